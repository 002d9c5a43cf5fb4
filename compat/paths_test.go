package compat

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/internal/tool/sample"
)

// Changes of a value at a path copy only the changed parts.
func TestChangesAtPaths(t *testing.T) {
	const text = "{a: {b: [1, {c: 2}, 3]}, d: {}}"
	b := field.NewPath("a", "b")
	for _, c := range []struct {
		path              *field.Path
		value             any  // there, if has
		has               bool // a value
		replaced, removed string
	}{
		{field.NewPath("a"), map[string]any{"b": []any{int64(1), map[string]any{"c": int64(2)}, int64(3)}}, true, "{a: x, d: {}}", "{d: {}}"},
		{b.Index(0), int64(1), true, "{a: {b: [x, {c: 2}, 3]}, d: {}}", "{a: {b: [{c: 2}, 3]}, d: {}}"},
		{b.Index(2), int64(3), true, "{a: {b: [1, {c: 2}, x]}, d: {}}", "{a: {b: [1, {c: 2}]}, d: {}}"},
		{b.Index(1).Child("c"), int64(2), true, "{a: {b: [1, {c: x}, 3]}, d: {}}", "{a: {b: [1, {}, 3]}, d: {}}"},
		{b.Index(1).Child("e"), nil, false, "{a: {b: [1, {c: 2, e: x}, 3]}, d: {}}", ""},
		{field.NewPath("d", "e"), nil, false, "{a: {b: [1, {c: 2}, 3]}, d: {e: x}}", ""},
		{b.Index(3), nil, false, "", ""},
		{b.Index(0).Child("c"), nil, false, "", ""},
		{field.NewPath("d", "e", "f"), nil, false, "", ""},
		{field.NewPath("a").Index(0), nil, false, "", ""},
		{b.Child("c"), nil, false, "", ""},
	} {
		obj, path := given.Object(t, text), c.path.Segments()
		v, ok := valueAt(obj, path)
		require.Equal(t, c.has, ok, "%s", c.path)
		require.Equal(t, c.value, v, "%s", c.path)
		got := tryReplaced(obj, path, "x")
		if c.replaced == "" {
			require.Nil(t, got, "%s", c.path)
		} else {
			require.Equal(t, given.Object(t, c.replaced), got, "%s", c.path)
		}
		if c.removed != "" {
			require.Equal(t, given.Object(t, c.removed), sample.Removed(obj, path), "%s", c.path)
		}
		require.Equal(t, given.Object(t, text), obj, "%s: the object is not modified", c.path)
	}
	last, ok := sample.Removed(given.Object(t, "{a: [1]}"), field.NewPath("a").Index(0).Segments()).(map[string]any)
	require.True(t, ok)
	require.Equal(t, []any{}, last["a"], "not nil, which JSON has as null")
}

func TestValuesAtSchemaPaths(t *testing.T) {
	p := newPair(t, `{type: object, properties: {a: {type: string}, l: {type: array, items: {type: object, properties: {b: {type: string}}}},
		m: {type: object, additionalProperties: {type: integer}}}, additionalProperties: false}`, `{type: object, x-kubernetes-preserve-unknown-fields: true}`)
	spec := constraint.Steps{property("spec")}
	l, m := spec.To(property("l")), spec.To(property("m"))
	obj := given.Object(t, "{spec: {a: x, l: [{b: 1}, {}, {b: 2}], m: {k: 3, j: 4}, other: 5}}")
	for _, c := range []struct {
		schemaPath constraint.Steps
		values     []any
		first      string // its path
	}{
		{nil, []any{obj}, "<nil>"},
		{spec.To(property("a")), []any{"x"}, "spec.a"},
		{spec.To(property("c")), nil, "none"},
		{l.To(items).To(property("b")), []any{int64(1), int64(2)}, "spec.l[0].b"},
		{l.To(property("b")), nil, "none"},
		{m.To(undeclared), []any{int64(4), int64(3)}, "spec.m.j"},
		{m.To(items), nil, "none"},
		{spec.To(undeclared), []any{int64(5)}, "spec.other"},
		{spec.To(property("a")).To(property("b")), nil, "none"},
		{spec.To(property("m")).To(property("k")), []any{int64(3)}, "spec.m.k"},
	} {
		require.Equal(t, c.values, valuesAt(p.old.root, obj, c.schemaPath), "%s", c.schemaPath)
		path, v, ok := firstAt(p.old, obj, c.schemaPath)
		require.Equal(t, c.first != "none", ok, "%s", c.schemaPath)
		if ok {
			require.Equal(t, c.values[0], v, "%s", c.schemaPath)
			require.Equal(t, c.first, field.PathOf(path...).String())
		}
	}
	require.Len(t, valuesAt(nil, obj, spec.To(undeclared)), 4, "without a schema all fields are undeclared")
	_, _, ok := firstAt(p.old, given.Object(t, "{spec: {l: []}}"), l.To(items))
	require.False(t, ok)
	require.Equal(t, 13, countValues(obj))
}

// The order in which removable parts of a witness are removed.
func TestRemovablePaths(t *testing.T) {
	obj := given.Object(t, "{apiVersion: v, kind: K, metadata: {name: x}, spec: {metadata: 1, l: [1, 2, 2, {a: b}]}}")
	var got []string
	for _, path := range removablePaths(obj, nil, 0) {
		got = append(got, field.PathOf(path...).String())
	}
	want := []string{"spec", "spec.l", "spec.metadata", "spec.l[3]", "spec.l[2]", "spec.l[0]", "spec.l[3].a"}
	require.Equal(t, want, got)

	long := map[string]any{"a": []any{}, "b": map[string]any{}}
	for i := range 2 * maxShrinkPaths {
		long["a"] = append(long["a"].([]any), int64(i))
	}
	require.Len(t, removablePaths(long, nil, 0), 2+maxShrinkPaths)
	deep := map[string]any{}
	for range 110 {
		deep = map[string]any{"a": deep}
	}
	require.Len(t, removablePaths(deep, nil, 0), 101)
}

func TestLacks(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"{v: {a: 1}}", "{v: {a: 2}}", false},
		{"{v: {a: 1, b: 2}}", "{v: {a: 1}}", false},
		{"{v: {a: 1}}", "{v: {a: 1, b: 2}}", true},
		{"{v: {}}", "{v: {b: null}}", true},
		{"{v: [1, 2]}", "{v: [3]}", false},
		{"{v: [1]}", "{v: [1, 2]}", true},
		{"{v: [1, {}]}", "{v: [1, {a: 1}]}", true},
		{"{v: 1}", "{v: {a: 1}}", true},
		{"{v: 1}", "{v: [1]}", true},
		{"{v: 1}", "{v: {}}", false},
		{"{v: {a: 1}}", "{v: 1}", false},
	} {
		require.Equal(t, c.want, lacks(given.Object(t, c.a), given.Object(t, c.b)), "%s and %s", c.a, c.b)
	}
}
