package jsonval

import (
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/crdkit/crdkit/field"
)

// Normalize returns v without foreign values, or an error if that is not possible. at is the path of v, nil for the
// root.
//
//   - A number of another Go type, including json.Number, becomes what a server decodes from its JSON text: an int64 if
//     that has no point, no exponent, and fits, else a float64 (DEC-004). So uint8(1) and float32(1) become int64 1,
//     float32(0.1) becomes 0.1, and an empty json.Number becomes 0. A float64 stays as it is.
//   - A bool or a string of a named type becomes a plain one.
//   - Any other type is an error that recommends unstructured.FromStruct: map[string]string, []string, structs,
//     pointers, and named types with custom marshalers.
//   - NaN and infinities are errors, and so is a value that contains itself or is deeper than [MaxDepth]; such a long
//     path is cut after its first steps. A value that is larger than [MaxSize] is an error for the whole value.
//
// Errors are of type Invalid. If there are several, the first one by keys and indexes is returned. If there is nothing
// to change, Normalize returns v itself, without an allocation. Otherwise it copies along the paths to the changes and
// shares the rest.
//
// Clauses: GEN-001, GEN-002, DEC-004, DEC-007.
func Normalize(at *field.Path, v any) (any, *field.Error) {
	left := NewBudget()
	if left.Each(v, MaxDepth, 1, normal) {
		return v, nil
	}
	left = NewBudget()
	out, _, err := normalize(at, v, MaxDepth, &left)
	if left.Size < 0 {
		// The error is for the whole value: it does not matter where the limit was exceeded.
		return nil, field.Invalid(at, field.OmitValue, tooLarge)
	}
	return out, err
}

// normal reports whether v, which [Budget.Each] has passed to it, is a finite float64: Normalize changes or refuses all
// others.
func normal(v any, _ int) bool {
	f, ok := v.(float64)
	return ok && finite(f)
}

func finite(f float64) bool { return math.Abs(f) <= math.MaxFloat64 }

// normalize handles values that are not normal, and may be slow. It visits keys in sorted order, so that its first
// error is always the same.
func normalize(at *field.Path, v any, depth int, left *Budget) (out any, changed bool, err *field.Error) {
	switch x := v.(type) {
	case string:
		if !left.Text(x) {
			return nil, false, errTooLarge
		}
		return v, false, nil
	case nil, bool, int64:
		return v, false, nil
	case float64:
		if !finite(x) {
			return nil, false, field.Invalid(at, x, noNumber)
		}
		return v, false, nil
	case map[string]any:
		if depth == 0 {
			return nil, false, tooDeep(at)
		}
		if !left.Map(x) {
			return nil, false, errTooLarge
		}
		var m map[string]any // the copy, made at the first change
		for _, k := range slices.Sorted(maps.Keys(x)) {
			left.Text(k) // the value is counted when it is visited
			c, changed, err := normalize(at.Child(k), x[k], depth-1, left)
			if err != nil {
				return nil, false, err
			}
			if changed {
				m = WithKey(m, x, k, c)
			}
		}
		if m == nil {
			return v, false, nil
		}
		return m, true, nil
	case []any:
		if depth == 0 {
			return nil, false, tooDeep(at)
		}
		if !left.List(x) {
			return nil, false, errTooLarge
		}
		var l []any
		for i, e := range x {
			c, changed, err := normalize(at.Index(i), e, depth-1, left)
			if err != nil {
				return nil, false, err
			}
			if changed {
				l = WithItem(l, x, i, c)
			}
		}
		if l == nil {
			return v, false, nil
		}
		return l, true, nil
	}
	out, err = foreign(at, v)
	return out, err == nil, err
}

// tooLarge is the detail of the error for a value larger than MaxSize.
const tooLarge = "too large, counting shared parts once for each place"

// errTooLarge ends a walk through such a value. Normalize returns an error for the whole value instead.
var errTooLarge = field.Invalid(nil, field.OmitValue, tooLarge)

const noNumber = "JSON has no such number"

// foreign converts a single value of another Go type.
func foreign(at *field.Path, v any) (any, *field.Error) {
	if n, ok := v.(json.Number); ok {
		return number(at, n)
	}
	switch v.(type) {
	case json.Marshaler, encoding.TextMarshaler: // its JSON does not depend on its kind alone
		return nil, foreignType(at, v)
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Bool:
		return r.Bool(), nil
	case reflect.String:
		return r.String(), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64:
		return number(at, v)
	}
	return nil, foreignType(at, v)
}

// number returns the value that a server decodes from the number's JSON text (DEC-004).
func number(at *field.Path, v any) (any, *field.Error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, field.Invalid(at, v, noNumber)
	}
	if i, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		return i, nil
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return nil, field.Invalid(at, v, "too large for a float64")
	}
	return f, nil
}

func foreignType(at *field.Path, v any) *field.Error {
	return field.Invalid(at, field.OmitValue,
		fmt.Sprintf("Go type %T is not a JSON value: convert with unstructured.FromStruct", v))
}

// tooDeep returns the error for a path of MaxDepth containers. Only its first steps are printed.
func tooDeep(at *field.Path) *field.Error {
	const enough = 10
	head := field.PathOf(at.Segments()[:enough]...)
	return field.Invalid(head, field.OmitValue, fmt.Sprintf("nested deeper than %d levels, or contains itself", MaxDepth))
}
