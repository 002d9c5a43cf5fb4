package validate_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validate"
)

type object = map[string]any

// of returns the schema of an object whose field v is as the document says.
func of(t *testing.T, doc object) *schema.Structural {
	return given.Compiled(t, object{"type": "object", "properties": object{"v": doc}})
}

func TestNilAndEmptyObjects(t *testing.T) {
	for _, obj := range []object{nil, {}, {"a": int64(1)}} {
		require.Nil(t, validate.Validate(nil, obj))
	}
	none := given.Compiled(t, object{"type": "object"})
	require.Nil(t, validate.Validate(none, nil))
	require.Nil(t, validate.Validate(none, object{}))
	required := given.Compiled(t, object{"type": "object", "required": []any{"a"}})
	require.Equal(t, "a: Required value", validate.Validate(required, nil).Err().Error(), "nil is an empty object")
	require.Nil(t, validate.Value(schema.Node{}, nil, "x"))
	require.Nil(t, validate.Lists(schema.Node{}, nil, []any{"x", "x"}))
	require.Nil(t, validate.Embedded(schema.Node{}, nil, object{}))
	require.Equal(t, `<nil>: Invalid value: "null":  in body must be of type object: "null"`, validate.Value(none.Root(), nil, nil).Err().Error())
}

// GEN-002: numbers, strings and booleans of other Go types are what their JSON is; all else is an error, never a panic.
func TestForeignValues(t *testing.T) {
	type text string
	type flag bool
	type number int16
	str, integer, num, boolean, anything := object{"type": "string"}, object{"type": "integer"}, object{"type": "number"},
		object{"type": "boolean"}, object{"x-kubernetes-preserve-unknown-fields": true}
	const convert = " is not a JSON value: convert with unstructured.FromStruct"

	for _, row := range []struct {
		name   string
		schema object
		value  any
		want   string
	}{
		{"int", integer, 5, ""},
		{"uint8", integer, uint8(5), ""},
		{"a named int", integer, number(5), ""},
		{"int beyond the maximum", object{"type": "integer", "maximum": int64(3)}, 5, `v: Invalid value: 5: v in body should be less than or equal to 3`},
		{"int as a string", str, 5, `v: Invalid value: "integer": v in body must be of type string: "integer"`},
		{"int in an enum", object{"type": "integer", "enum": []any{int64(5)}}, 5, ""},
		{"int not in an enum", object{"type": "integer", "enum": []any{int64(6)}}, 5, `v: Unsupported value: 5: supported values: "6"`},
		{"uint64 beyond int64", num, uint64(math.MaxUint64), ""},
		{"float32", num, float32(0.1), ""},
		{"float32 of a whole number is an integer", integer, float32(2), ""},
		{"float32 as an integer", integer, float32(1.5), `[v: Invalid value: "number": v in body must be of type integer: "number", ` +
			`<nil>: Invalid value: "": Checked value must be of type integer (default format) in v]`},
		{"json.Number", integer, json.Number("5"), ""},
		{"json.Number with a point", num, json.Number("5.5"), ""},
		{"json.Number that is none", num, json.Number("five"), `v: Invalid value: five: JSON has no such number`},
		{"a named string", object{"type": "string", "pattern": "^a"}, text("ab"), ""},
		{"a named string that does not match", object{"type": "string", "pattern": "^a"}, text("b"), `v: Invalid value: "b": v in body should match '^a'`},
		{"a named bool", boolean, flag(true), ""},
		{"int-or-string", object{"x-kubernetes-int-or-string": true}, 5, ""},
		{"int and the best branch", object{"x-kubernetes-int-or-string": true, "anyOf": []any{object{"type": "string"}, object{"type": "integer", "minimum": int64(9)}}}, 5,
			`[<nil>: Invalid value: "": "v" must validate at least one schema (anyOf), v: Invalid value: 5: v in body should be greater than or equal to 9]`},

		{"NaN", num, math.NaN(), `v: Invalid value: NaN: JSON has no such number`},
		{"NaN without a type", anything, math.NaN(), `v: Invalid value: NaN: JSON has no such number`},
		{"infinity", num, math.Inf(1), `v: Invalid value: +Inf: JSON has no such number`},
		{"float32 infinity", num, float32(math.Inf(-1)), `v: Invalid value: -Inf: JSON has no such number`},
		{"map of strings", object{"type": "object", "additionalProperties": str}, map[string]string{"a": "b"}, `v: Invalid value: Go type map[string]string` + convert},
		{"list of strings", object{"type": "array", "items": str}, []string{"a"}, `v: Invalid value: Go type []string` + convert},
		{"struct", object{"type": "object"}, struct{ A int }{1}, `v: Invalid value: Go type struct { A int }` + convert},
		{"struct without a type", anything, struct{}{}, `v: Invalid value: Go type struct {}` + convert},
		{"pointer", integer, new(int), `v: Invalid value: Go type *int` + convert},
		{"nil pointer", object{"type": "integer", "nullable": true}, (*int)(nil), `v: Invalid value: Go type *int` + convert},
		{"time", str, time.Time{}, `v: Invalid value: Go type time.Time` + convert},
		{"function", anything, func() {}, `v: Invalid value: Go type func()` + convert},
		{"channel", anything, make(chan int), `v: Invalid value: Go type chan int` + convert},
		{"complex number", num, 1i, `v: Invalid value: Go type complex128` + convert},
		{"in a list", object{"type": "array", "items": str}, []any{"a", struct{}{}}, `v[1]: Invalid value: Go type struct {}` + convert},
		{"in a set", object{"type": "array", "x-kubernetes-list-type": "set", "items": integer}, []any{1, 2}, ""},
		{"in a set, twice", object{"type": "array", "x-kubernetes-list-type": "set", "items": integer}, []any{1, 1}, `v[1]: Duplicate value: 1`},
		{"a key of a map", object{"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []any{"k"}, "items": object{"type": "object"}},
			[]any{object{"k": struct{}{}}, object{"k": struct{}{}}, object{"k": func() {}}, object{"k": func() {}}}, `v[1]: Duplicate value: {"k":{}}`},
		{"metadata of an embedded resource", object{"type": "object", "x-kubernetes-embedded-resource": true},
			object{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]string{"name": "a"}},
			`v.metadata: Invalid value: {"name":"a"}: json: cannot unmarshal Go map[string]string into Go value of type v1.ObjectMeta`},
		{"type of an embedded resource", object{"type": "object", "x-kubernetes-embedded-resource": true},
			object{"apiVersion": text("v1"), "kind": 5}, `[v.apiVersion: Invalid value: "v1": must be a string, v.kind: Invalid value: 5: must be a string]`},
		{"nil map", object{"type": "object"}, object(nil), ""},
		{"nil list", object{"type": "array", "minItems": int64(1)}, []any(nil), `v: Invalid value: 0: v in body should have at least 1 items`},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := of(t, row.schema)
			got := ""
			if err := validate.Validate(s, object{"v": row.value}).Err(); err != nil {
				got = err.Error()
			}
			require.Equal(t, row.want, got)

			// Where no schema looks, nothing is said.
			require.Nil(t, validate.Validate(of(t, anything), object{"unknown": row.value, "v": object{"unknown": row.value}}))
		})
	}
}

// Values that contain themselves, and those deeper than any document, end where the schema ends. Where they are more
// than can be walked, and the whole of them matters, they are too large.
func TestDepthAndCycles(t *testing.T) {
	loop, other, many, more, deep := given.Loop(), given.Loop(), given.Many(), given.Many(), given.Deep(100_000, "x")
	free := object{"x-kubernetes-preserve-unknown-fields": true}
	values := []any{loop, many, more, deep}

	for name, row := range map[string]struct {
		schema object
		value  any
		valid  bool
	}{
		"free":          {free, values, true},
		"maps":          {object{"additionalProperties": free}, object{"a": loop, "b": many, "c": deep}, true},
		"combinators":   {object{"anyOf": []any{object{"type": "string"}, object{"not": object{"type": "string"}}}}, many, true},
		"enum":          {object{"enum": []any{"a", object{"loop": object{}}, []any{[]any{}, []any{}, []any{}}}}, many, false},
		"enum, a map":   {object{"enum": []any{object{"loop": object{"loop": int64(1)}}}}, loop, false},
		"uniqueItems":   {object{"uniqueItems": true}, append([]any{many, more}, values...), true},
		"set":           {object{"type": "array", "x-kubernetes-list-type": "set", "items": free}, values, false},
		"set, repeated": {object{"type": "array", "x-kubernetes-list-type": "set", "items": free}, []any{many, many, loop, loop}, false},
		"set of maps":   {object{"type": "array", "x-kubernetes-list-type": "set", "items": free}, []any{loop, other}, true},
		"set of lists":  {object{"type": "array", "x-kubernetes-list-type": "set", "items": free}, []any{many, more}, false},
		"map": {object{"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []any{"k"}, "items": free},
			[]any{object{"k": many}, object{"k": more}, object{"k": loop}, object{"k": deep}}, false},
		"map, several keys": {object{"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []any{"k", "l"}, "items": free},
			[]any{object{"k": many, "l": deep}, object{"k": more, "l": deep}}, false},
		"embedded": {object{"type": "object", "x-kubernetes-embedded-resource": true},
			object{"apiVersion": "v1", "kind": "Pod", "metadata": loop, "spec": many}, true},
		"embedded, bad metadata": {object{"type": "object", "x-kubernetes-embedded-resource": true},
			object{"apiVersion": "v1", "kind": "Pod", "metadata": object{"labels": loop}}, false},
		"wrong types": {object{"type": "string", "maxLength": int64(1)}, many, false},
	} {
		t.Run(name, func(t *testing.T) {
			errs := validate.Validate(of(t, row.schema), object{"v": row.value})
			require.Equal(t, row.valid, len(errs) == 0, "%d errors", len(errs))
			if !row.valid {
				require.NotEmpty(t, errs.Err().Error())
			}
		})
	}
}

// A schema nested as deeply as can be, in every direction, on a value as deep.
func TestDeepSchema(t *testing.T) {
	const depth = 3000
	for name, wrap := range map[string]func(doc object, v any) (object, any){
		"items":      func(doc object, v any) (object, any) { return object{"items": doc}, []any{v} },
		"properties": func(doc object, v any) (object, any) { return object{"properties": object{"a": doc}}, object{"a": v} },
		"additional": func(doc object, v any) (object, any) { return object{"additionalProperties": doc}, object{"a": v} },
		"anyOf":      func(doc object, v any) (object, any) { return object{"anyOf": []any{doc}}, v },
		"oneOf":      func(doc object, v any) (object, any) { return object{"oneOf": []any{doc}}, v },
		"allOf":      func(doc object, v any) (object, any) { return object{"allOf": []any{doc}}, v },
		"not":        func(doc object, v any) (object, any) { return object{"not": doc}, v },
	} {
		t.Run(name, func(t *testing.T) {
			doc, v := object{"maximum": int64(1)}, any(int64(5))
			for range depth {
				doc, v = wrap(doc, v)
			}
			errs := validate.Validate(of(t, doc), object{"v": v})
			if name == "not" {
				require.Len(t, errs, 1, "an even number of them: the innermost fails, and so the outermost")
				return
			}
			require.NotEmpty(t, errs)
			require.Contains(t, fmt.Sprint(errs[len(errs)-1], errs[0], errs), "should be less than or equal to 1")
		})
	}
}

// Branches of branches: the best of them is found without trying each as often as it is deep.
func TestNestedBranchesTakeLinearTime(t *testing.T) {
	doc := object{"minimum": int64(9)}
	for range 300 {
		doc = object{"anyOf": []any{doc}, "oneOf": []any{object{"type": "string"}}}
	}
	errs := validate.Validate(of(t, doc), object{"v": int64(5)})
	require.NotEmpty(t, errs)
}

func TestLongStrings(t *testing.T) {
	long := strings.Repeat("aä", 10<<20/3)
	for _, doc := range []object{
		{"type": "string", "maxLength": int64(10)},
		{"type": "string", "minLength": int64(1) << 40},
		{"type": "string", "pattern": "^(a|ä)*b$"},
		{"type": "string", "format": "duration"},
		{"type": "string", "enum": []any{"a"}},
		{"type": "integer"},
	} {
		errs := validate.Validate(of(t, doc), object{"v": long})
		require.Len(t, errs, 1, "%v", doc)
		require.Contains(t, errs.Err().Error(), "v: ")
	}
	list := []any{long, long + "x", long}
	errs := validate.Validate(of(t, object{"type": "array", "x-kubernetes-list-type": "set", "items": object{"type": "string"}}), object{"v": list})
	require.Len(t, errs, 1)
}

// VAL-005: a set takes over where errors are many.
func TestManyErrors(t *testing.T) {
	list := given.List(5000, func(i int) any { return int64(i) })
	bad := object{"type": "string", "allOf": []any{object{"type": "string"}, object{"type": "string"}}}
	errs := validate.Validate(of(t, object{"type": "array", "items": bad}), object{"v": list})
	require.Len(t, errs, 2*len(list), "of each item its type, once, and allOf")
	require.Equal(t, `v[4999]: Invalid value: "integer": v[4999] in body must be of type string: "integer"`, errs[len(errs)-2].Error())
}

// LST-002 to LST-006 are the same for short lists, which the verdict compares item by item, and for long ones.
func TestLongLists(t *testing.T) {
	set := of(t, object{"type": "array", "x-kubernetes-list-type": "set", "items": object{"x-kubernetes-preserve-unknown-fields": true, "nullable": true}})
	keyed := of(t, object{"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []any{"a", "b"},
		"items": object{"type": "object", "x-kubernetes-preserve-unknown-fields": true}})
	for _, size := range []int{2, 15, 16, 17, 18, 100} {
		for name, item := range map[string]func(i int) any{
			"texts":   func(i int) any { return fmt.Sprint(i) },
			"numbers": func(i int) any { return int64(i) },
			"floats":  func(i int) any { return float64(i) + 0.5 },
			"objects": func(i int) any { return object{"a": int64(i)} },
			"lists":   func(i int) any { return []any{int64(i), "x"} },
		} {
			list := given.List(size, item)
			require.Nil(t, validate.Validate(set, object{"v": list}), "%d %s", size, name)
			list = append(list, item(0))
			require.Len(t, validate.Validate(set, object{"v": list}), 1, "%d %s", size, name)
		}
		for name, item := range map[string]func(i int) object{
			"texts":     func(i int) object { return object{"a": fmt.Sprint(i), "b": "x"} },
			"split":     func(i int) object { return object{"a": strings.Repeat("x", i), "b": strings.Repeat("x", 200-i)} },
			"numbers":   func(i int) object { return object{"a": int64(i), "c": "x"} },
			"booleans":  func(i int) object { return object{"a": fmt.Sprint(i), "b": i%2 == 0} },
			"one is no": func(i int) object { return object{"b": fmt.Sprint(i)} },
			"objects":   func(i int) object { return object{"a": object{"x": int64(i)}, "b": nil} },
		} {
			list := given.List(size, func(i int) any { return item(i) })
			require.Nil(t, validate.Validate(keyed, object{"v": list}), "%d %s", size, name)
			list = append(list, item(1))
			require.Len(t, validate.Validate(keyed, object{"v": list}), 1, "%d %s", size, name)
		}
	}
}

// The path of an error is that of its field, where the field is the place of the whole value too.
func TestPaths(t *testing.T) {
	s := of(t, object{"type": "array", "items": object{"type": "object", "additionalProperties": object{"type": "integer", "format": "int32", "not": object{"maximum": int64(5)}}}})
	errs := validate.Validate(s, object{"v": []any{object{}, object{"a.b": int64(5)}}})
	require.Len(t, errs, 1)
	require.Equal(t, "<nil>", errs[0].Field)
	require.Equal(t, []field.Segment{{Key: "v"}, {Index: 1, IsIndex: true}, {Key: "a.b"}}, errs[0].Path.Segments())

	errs = validate.Value(s.Root().Property("v"), field.NewPath("status"), []any{object{"x": "y"}})
	require.Equal(t, "status.[0].x", errs[0].Field)
	require.Equal(t, []field.Segment{{Key: "status"}, {Index: 0, IsIndex: true}, {Key: "x"}}, errs[0].Path.Segments())
}
