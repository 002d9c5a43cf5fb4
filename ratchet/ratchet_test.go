package ratchet_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/prune"
	"github.com/crdkit/crdkit/ratchet"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/unstructured"
	"github.com/crdkit/crdkit/validate"
)

type object = map[string]any

// of returns the schema of an object whose field v is as the document says.
func of(t testing.TB, doc object) *schema.Structural {
	return given.Compiled(t, object{"type": "object", "properties": object{"v": doc}})
}

func TestNilAndEmptyObjects(t *testing.T) {
	require.Nil(t, ratchet.Validate(nil, object{"a": int64(1)}, nil))
	require.Nil(t, ratchet.Value(schema.Node{}, nil, "x", "y"))
	require.Nil(t, ratchet.Lists(schema.Node{}, nil, []any{"x", "x"}, nil))

	required := given.Compiled(t, object{"type": "object", "required": []any{"a"}})
	const missing = "a: Required value"
	require.Equal(t, []string{missing}, given.Texts(ratchet.Validate(required, nil, nil)), "no old object forgives nothing")
	require.Equal(t, []string{missing}, given.Texts(ratchet.Validate(required, object{}, nil)))
	require.Nil(t, ratchet.Validate(required, object{}, object{}), "an empty one is equal")
	require.Nil(t, ratchet.Validate(required, nil, object{}), "and a nil object is an empty one")
	require.Equal(t, []string{missing}, given.Texts(ratchet.Validate(required, object{}, object{"x": int64(1)})))
	require.Nil(t, ratchet.Validate(required, object{"a": "x"}, nil))
	require.Equal(t, []string{missing}, given.Texts(ratchet.RatchetedValidate(required, object{}, nil)), "the same under its old name")
}

// A limit holds with and without an old object.
func TestLimit(t *testing.T) {
	s := of(t, object{"type": "array", "items": object{"type": "integer"}})
	bad := object{"v": []any{"a", "b", "c"}}
	for _, old := range []object{nil, {}} {
		all := ratchet.Validate(s, bad, old)
		require.Len(t, all, 3)
		require.Equal(t, all, ratchet.Validate(s, bad, old, field.Limit{Errors: 3}))
		for _, errs := range []field.List{
			ratchet.Validate(s, bad, old, field.Limit{Errors: 1}), ratchet.RatchetedValidate(s, bad, old, field.Limit{Errors: 1}, field.Limit{Errors: 2}),
		} {
			require.Len(t, errs, 2)
			require.Equal(t, all[0], errs[0])
			require.Equal(t, 2, errs[1].BadValue.(*field.Omitted).Errors)
		}
	}
}

// Null is a value (RAT-002): the same null as before is forgiven, and nothing below what was null is.
func TestNullValues(t *testing.T) {
	n := of(t, object{"type": "object", "required": []any{"a"}}).Root().Property("v")
	require.Empty(t, ratchet.Value(n, nil, nil, nil))
	require.NotEmpty(t, ratchet.Value(n, nil, nil, object{}))
	require.NotEmpty(t, ratchet.Value(n, nil, object{}, nil))
	require.Empty(t, ratchet.Value(n, nil, object{}, object{}))
}

// RAT-008: what pruning and defaulting make of both objects counts, so that neither a new default nor a field that is
// no longer known is a change.
func TestDefaultsAndPrunedFieldsAreNoChange(t *testing.T) {
	s := of(t, object{"type": "object", "maxProperties": int64(1), "properties": object{
		"a": object{"type": "string"}, "mode": object{"type": "string", "default": "On"},
	}})
	served := func(obj object) object { return defaulting.Default(s, prune.Prune(s, obj)) }
	stored := object{"v": object{"a": "x", "gone": "x"}}
	sent := object{"v": object{"a": "x", "mode": "On"}}
	require.NotEmpty(t, ratchet.Validate(s, sent, stored), "as it lies in storage")
	require.Empty(t, ratchet.Validate(s, served(sent), served(stored)), "as it is read")
}

// RAT-013: a create forgives nothing.
func TestCreate(t *testing.T) {
	s := of(t, object{"type": "integer", "maximum": int64(5)})
	obj := object{"v": int64(9)}
	require.Equal(t, validate.Validate(s, obj), ratchet.Validate(s, obj, nil))
	require.Empty(t, ratchet.Validate(s, obj, obj))
}

// RAT-020, STR-014: an update of a status asks about the lists of whole objects.
func TestListsOfWholeObjects(t *testing.T) {
	set := object{"type": "array", "x-kubernetes-list-type": "set", "items": object{"type": "string"}}
	s := given.Compiled(t, object{"type": "object", "properties": object{"spec": set, "status": set}})
	twice, once := []any{"x", "x"}, []any{"x"}
	const duplicate = `status[1]: Duplicate value: "x"`
	require.Equal(t, []string{duplicate}, given.Texts(ratchet.Lists(s.Root(), nil, object{"spec": once, "status": twice}, object{"spec": once})))
	require.Empty(t, ratchet.Lists(s.Root(), nil, object{"spec": twice, "status": twice}, object{"spec": twice}))
	require.Equal(t, []string{"at[1]: Duplicate value: \"x\""}, given.Texts(ratchet.Lists(s.Root().Property("spec"), field.NewPath("at"), twice, nil)))
	require.Empty(t, ratchet.Lists(s.Root(), nil, object{"spec": int64(1), "status": once}, object{}), "what is wrong otherwise is not its affair")
}

// GEN-002: values of other Go types never cause a panic; numbers of the same type and value are unchanged, all else
// changed.
func TestForeignValues(t *testing.T) {
	type text string
	n := of(t, object{"type": "string", "maxLength": int64(1)}).Root().Property("v")
	for _, row := range []struct {
		name     string
		v, old   any
		forgiven bool
	}{
		{"int", 5, 5, true},
		{"int and int64", 5, int64(5), false},
		{"other ints", 5, 6, false},
		{"json.Number", json.Number("5"), json.Number("5"), true},
		{"json.Number that is none", json.Number("five"), json.Number("six"), false},
		{"NaN", math.NaN(), math.NaN(), false},
		{"a named string", text("long"), text("long"), false},
		{"a struct", struct{}{}, struct{}{}, false},
		{"a map of strings", map[string]string{}, map[string]string{}, false},
		{"a channel", make(chan int), nil, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			require.NotEmpty(t, validate.Value(n, nil, row.v))
			require.Equal(t, row.forgiven, len(ratchet.Value(n, nil, row.v, row.old)) == 0)
			require.NotEmpty(t, ratchet.Value(n, nil, row.v, "long"))
			require.NotEmpty(t, ratchet.Value(n, nil, "long", row.old))
		})
	}
}

// Values that contain themselves, or are deeper than any decoder lets through, count as changed.
func TestDepthAndCycles(t *testing.T) {
	loop, many, deep := given.Loop(), given.Many(), given.Deep(100_000, "x")
	free := object{"x-kubernetes-preserve-unknown-fields": true}
	for name, row := range map[string]struct {
		schema object
		value  any
	}{
		"in a list":     {object{"type": "array", "maxItems": int64(0), "items": free}, []any{loop, many, deep}},
		"a wrong type":  {object{"type": "string"}, loop},
		"a list":        {object{"type": "string"}, many},
		"deep":          {object{"type": "string"}, deep},
		"in a map":      {object{"type": "object", "maxProperties": int64(0), "additionalProperties": object{"type": "array", "items": free}}, object{"a": many}},
		"unknown":       {object{"type": "object", "maxProperties": int64(0), "x-kubernetes-preserve-unknown-fields": true}, loop},
		"in a map list": {object{"type": "array", "maxItems": int64(0), "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []any{"k"}, "items": object{"properties": object{"k": free, "v": object{"type": "array", "items": free}}}}, []any{object{"k": "x", "v": many}, object{"k": many}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := of(t, row.schema)
			obj := object{"v": row.value}
			require.NotEmpty(t, validate.Validate(s, obj))
			require.NotEmpty(t, ratchet.Validate(s, obj, obj))
		})
	}
}

// Objects in one another as deeply as can be, each with something wrong of its own.
func TestDeepObjects(t *testing.T) {
	const depth = 1000
	doc, v, was := object{"x-kubernetes-preserve-unknown-fields": true}, any("x"), any("z")
	for range depth {
		doc = object{"type": "object", "required": []any{"missing"}, "properties": object{"a": doc, "b": object{"type": "string"}}}
		v, was = object{"a": v, "b": "x"}, object{"a": was, "b": "x"}
	}
	s, obj := of(t, doc), object{"v": v}
	require.Empty(t, ratchet.Validate(s, obj, unstructured.Clone(obj)))
	require.Len(t, ratchet.Validate(s, obj, object{"v": was}), depth)
}
