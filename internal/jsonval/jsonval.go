package jsonval

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
)

// MaxDepth is the maximum number of nested lists and maps: the limit of an API server's decoder (DEC-007).
const MaxDepth = 10000

// Describe describes v, as the end of a sentence: null, "a boolean", "a string", "the number 1.5", "a list", "an
// object". A value of a foreign type is "a Go " and that type.
func Describe(v any) string {
	switch x := v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	case int64:
		return "the number " + strconv.FormatInt(x, 10)
	case float64:
		return "the number " + strconv.FormatFloat(x, 'g', -1, 64)
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	return fmt.Sprintf("a Go %T", v)
}

// IsList reports whether a server treats an object as a list: if it has a list in a root field named items.
func IsList(obj map[string]any) bool {
	_, list := obj["items"].([]any)
	return list
}

// Clone returns a deep copy of v. Nil maps and lists stay nil. Values of foreign types are not copied: the result holds
// the same ones. No decoder produces a value that contains itself, is deeper than [MaxDepth] or larger than [MaxSize]:
// for these Clone returns v itself.
func Clone(v any) any {
	left := NewBudget()
	if c, ok := clone(v, MaxDepth, &left); ok {
		return c
	}
	return v
}

// clone descends at most depth levels of containers. It reports false as soon as there are more: a value that contains
// itself can have exponentially many paths.
func clone(v any, depth int, left *Budget) (any, bool) {
	switch x := v.(type) {
	case map[string]any:
		if depth == 0 || !left.Map(x) {
			return nil, false
		}
		if x == nil {
			return v, true
		}
		m := make(map[string]any, len(x))
		for k, e := range x {
			c, ok := clone(e, depth-1, left)
			if !ok {
				return nil, false
			}
			m[k] = c
		}
		return m, true
	case []any:
		if depth == 0 || !left.List(x) {
			return nil, false
		}
		if x == nil {
			return v, true
		}
		l := make([]any, len(x))
		for i, e := range x {
			c, ok := clone(e, depth-1, left)
			if !ok {
				return nil, false
			}
			l[i] = c
		}
		return l, true
	}
	return v, true
}

// Equal reports whether a and b are the same value, with strict types: int64 1 differs from float64 1 (STR-006).
// Numbers of the same type compare as in Go: 0 equals -0, and NaN equals nothing. A nil map or list equals an empty
// one, but not null.
//
// Other Go numbers and json.Number are equal to numbers of the same type and value or text. Any other foreign value
// equals nothing, and neither does a value that contains itself, is deeper than [MaxDepth] or larger than [MaxSize].
// Equal does not allocate.
func Equal(a, b any) bool {
	left := NewBudget()
	return equal(a, b, MaxDepth, &left)
}

// Identical reports whether a and b are one map.
func Identical(a, b map[string]any) bool {
	return reflect.ValueOf(a).UnsafePointer() == reflect.ValueOf(b).UnsafePointer()
}

func equal(a, b any, depth int, left *Budget) bool {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) || depth == 0 || !left.Map(x) {
			return false
		}
		for k, e := range x {
			f, ok := y[k]
			if !ok || !equal(e, f, depth-1, left) {
				return false
			}
		}
		return true
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) || depth == 0 || !left.List(x) {
			return false
		}
		for i, e := range x {
			if !equal(e, y[i], depth-1, left) {
				return false
			}
		}
		return true
	case string:
		y, ok := b.(string)
		return ok && left.Text(x) && x == y
	case int64:
		y, ok := b.(int64)
		return ok && x == y
	case nil, bool, float64, float32, json.Number,
		int, int8, int16, int32, uint, uint8, uint16, uint32, uint64, uintptr:
		// Comparing interfaces panics if they hold the same uncomparable type. None of these types is uncomparable.
		return a == b
	}
	return false
}

// Stored returns v as a server reads it back from storage, and whether that differs from v. Storage writes JSON, which
// has only one kind of number: a float64 whose text has neither point nor exponent is read back as an int64 if it fits.
// So 1.0 becomes 1 and -0.0 becomes 0, while 1.5, 1e21 and 9223372036854775808.0 stay. From 2^53 on the text decides:
// 4611686018427387904.0 is written, and read back, as 4611686018427388000.
//
// Foreign values stay as they are, and so does a value that contains itself, is deeper than [MaxDepth] or larger than
// [MaxSize]. If nothing changes, Stored returns v itself and does not allocate.
//
// Clauses: DEC-009.
func Stored(v any) (any, bool) {
	left := NewBudget()
	if out, changed, ok := stored(v, MaxDepth, &left); ok && changed {
		return out, true
	}
	return v, false
}

func stored(v any, depth int, left *Budget) (out any, changed, ok bool) {
	switch x := v.(type) {
	case float64:
		if i, whole := storedNumber(x); whole {
			return i, true, true
		}
	case map[string]any:
		if depth == 0 || !left.Map(x) {
			return v, false, false
		}
		var m map[string]any // the copy, made at the first change
		for k, e := range x {
			c, changed, ok := stored(e, depth-1, left)
			if !ok {
				return v, false, false
			}
			if changed {
				m = WithKey(m, x, k, c)
			}
		}
		if m != nil {
			return m, true, true
		}
	case []any:
		if depth == 0 || !left.List(x) {
			return v, false, false
		}
		var l []any
		for i, e := range x {
			c, changed, ok := stored(e, depth-1, left)
			if !ok {
				return v, false, false
			}
			if changed {
				l = WithItem(l, x, i, c)
			}
		}
		if l != nil {
			return l, true, true
		}
	}
	return v, false, true
}

// Emptied returns v without the fields of the objects in it, as pruning leaves a value that has no schema (PRU-003), and
// whether that differs from v. It descends at most levels levels of lists, and reports false as soon as there are more:
// a list that contains itself can have exponentially many paths. It uses up left.
func Emptied(v any, levels int, left *Budget) (out any, changed, ok bool) {
	switch x := v.(type) {
	case map[string]any:
		if len(x) > 0 {
			return map[string]any{}, true, true
		}
	case []any:
		if levels == 0 || !left.List(x) {
			return v, false, false
		}
		var l []any // the copy, made at the first change
		for i, c := range x {
			e, was, ok := Emptied(c, levels-1, left)
			if !ok {
				return v, false, false
			}
			if was {
				l = WithItem(l, x, i, e)
			}
		}
		if l != nil {
			return l, true, true
		}
	}
	return v, false, true
}

// WithKey sets a key of a map that is copied at its first change: c is the copy of m, or nil before that. It returns the
// copy.
func WithKey(c, m map[string]any, key string, v any) map[string]any {
	if c == nil {
		c = maps.Clone(m)
	}
	c[key] = v
	return c
}

// WithItem is [WithKey] for an item of a list.
func WithItem(c, l []any, i int, v any) []any {
	if c == nil {
		c = slices.Clone(l)
	}
	c[i] = v
	return c
}

// StaysFloat reports whether storage certainly keeps f as a float64, and does not turn it into an integer. It is faster
// than [Stored].
func StaysFloat(f float64) bool {
	return f-f == 0 && (f != math.Trunc(f) || f >= 1<<63 || f < -1<<63)
}

// storedNumber returns f as the int64 that it is after storage, or false if it stays a float64.
func storedNumber(f float64) (int64, bool) {
	const exact, limit = 1 << 53, 1 << 63 // up to exact, the shortest decimal text of a whole number is that number
	if f != math.Trunc(f) || !(math.Abs(f) < limit) {
		return 0, false
	}
	if math.Abs(f) <= exact {
		return int64(f), true
	}
	// JSON text has the fewest digits that distinguish f from its neighbors, followed by zeros.
	i, err := strconv.ParseInt(strconv.FormatFloat(f, 'f', -1, 64), 10, 64)
	return i, err == nil
}
