package defaulting_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/internal/fill"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/unstructured"
)

func TestRandom(t *testing.T) {
	defaulted := given.Random(t, 3000, laws)
	require.Greater(t, defaulted, 1000, "objects with something to do")
	require.Less(t, defaulted, 8000, "objects without")
}

// laws checks everything that holds for any schema and object, and reports whether there was nothing to do.
func laws(t *testing.T, p props, s *schema.Structural, obj map[string]any) (complete bool) {
	t.Helper()
	before := unstructured.Clone(obj)
	slow := func(nulls, fill bool) map[string]any {
		want := unstructured.Clone(before)
		if nulls {
			slowDropNulls(p, want)
		}
		if fill {
			slowFill(p, want)
		}
		return want
	}
	for _, operation := range []struct {
		name  string
		do    func(*schema.Structural, map[string]any) map[string]any
		want  map[string]any
		twice bool // doing it twice is doing it once
	}{
		// Nulls in a default are not dropped, as they come in later: the next time they are (DEF-004).
		{"Default", defaulting.Default, slow(true, true), !nullDefault(p)},
		{"Fill", defaulting.Fill, slow(false, true), true},
		{"DropNulls", defaulting.DropNulls, slow(true, false), true},
	} {
		got := operation.do(s, obj)
		require.Equal(t, before, obj, "%s modifies its argument", operation.name)
		require.Equal(t, operation.want, got, operation.name)
		require.Equal(t, given.Same(got, obj), reflect.DeepEqual(got, obj), "%s returns its argument when there is nothing to do", operation.name)
		if operation.twice {
			require.True(t, given.Same(operation.do(s, got), got), "%s twice", operation.name)
		}

		// DEF-010: the result is no part of the schema, and no two parts of it are one. So writing everywhere changes
		// nothing else.
		fresh := operation.do(s, unstructured.Clone(before))
		distinct(t, fresh, map[any]bool{})
		scribble(fresh)
		require.Equal(t, operation.want, operation.do(s, unstructured.Clone(before)), "%s after writing to its result", operation.name)
	}
	// The same in place, in an object of its own.
	own := unstructured.Clone(before)
	filled := fill.Filler{Defaults: true, InPlace: true, Left: fill.NewBudget(0, 0, math.MaxInt)}.Object(plan.Root(s), own)
	require.True(t, given.Same(filled, own), "another object")
	require.Equal(t, slow(false, true), own)
	distinct(t, own, map[any]bool{})

	for name, q := range p.Properties {
		if v, ok := obj[name]; ok {
			want := jsonval.Clone(v)
			slowDropNulls(q, want)
			slowFill(q, want)
			require.Equal(t, want, defaulting.Value(s.Root().Property(name), v), name)
		}
	}
	require.Equal(t, before, obj, "the argument is modified")
	return given.Same(defaulting.Default(s, obj), obj)
}

// nullDefault reports whether there is a null in any default.
func nullDefault(p props) bool {
	if p == nil {
		return false
	}
	if hasNull(p.Default) || nullDefault(items(p)) || p.AdditionalProperties != nil && nullDefault(p.AdditionalProperties.Schema) {
		return true
	}
	for _, q := range p.Properties {
		if nullDefault(q) {
			return true
		}
	}
	return false
}

func hasNull(v any) bool {
	switch x := v.(type) {
	case map[string]any:
		for _, c := range x {
			if c == nil || hasNull(c) {
				return true
			}
		}
	case []any:
		for _, c := range x {
			if c == nil || hasNull(c) {
				return true
			}
		}
	}
	return false
}

// distinct fails if a map or a list occurs twice in v.
func distinct(t *testing.T, v any, seen map[any]bool) {
	t.Helper()
	once := func(size int) {
		at := reflect.ValueOf(v).UnsafePointer()
		if size == 0 {
			return // all empty lists may be one
		}
		require.False(t, seen[at], "%v occurs twice", v)
		seen[at] = true
	}
	switch x := v.(type) {
	case map[string]any:
		once(1)
		for _, c := range x {
			distinct(t, c, seen)
		}
	case []any:
		once(len(x))
		for _, c := range x {
			distinct(t, c, seen)
		}
	}
}

// scribble writes into every map and list of v.
func scribble(v any) {
	switch x := v.(type) {
	case map[string]any:
		for k, c := range x {
			scribble(c)
			x[k] = "scribble"
		}
		x["scribble"] = "scribble"
	case []any:
		for i, c := range x {
			scribble(c)
			x[i] = "scribble"
		}
	}
}

func TestNilAndEmptyObjects(t *testing.T) {
	defaults := given.Compiled(t, map[string]any{"properties": map[string]any{"a": map[string]any{"default": "D"}}})
	none := given.Compiled(t, map[string]any{"type": "object"})
	for name, do := range map[string]func(*schema.Structural, map[string]any) map[string]any{
		"Default": defaulting.Default, "Fill": defaulting.Fill, "DropNulls": defaulting.DropNulls,
	} {
		obj := map[string]any{"a": nil}
		require.True(t, given.Same(do(nil, obj), obj), "%s without a schema", name)
		require.Nil(t, do(nil, nil), name)
		require.Nil(t, do(none, nil), name)
		if name == "DropNulls" {
			require.Nil(t, do(defaults, nil))
			continue
		}
		require.Equal(t, map[string]any{"a": "D"}, do(defaults, nil), "%s: nil is an empty object", name)
		require.Equal(t, map[string]any{"a": "D"}, do(defaults, map[string]any{}), name)
	}
	require.Nil(t, defaulting.Value(defaults.Root(), nil))
	require.Nil(t, defaulting.Value(schema.Node{}, nil))
	require.Equal(t, map[string]any{"a": "D"}, defaulting.Value(defaults.Root(), map[string]any(nil)))
	require.Equal(t, "text", defaulting.Value(defaults.Root(), "text"))
}

// GEN-002: a nil map is an empty object, also within another.
func TestNilMapWithin(t *testing.T) {
	s := given.Compiled(t, map[string]any{"properties": map[string]any{"o": map[string]any{"properties": map[string]any{"a": map[string]any{"default": "D"}}}}})
	require.Equal(t, map[string]any{"o": map[string]any{"a": "D"}}, defaulting.Default(s, map[string]any{"o": map[string]any(nil)}))
}

// DEF-010: two insertions are two copies.
// Few of many properties are there, and beside them keys that no schema describes: those stay as they are.
func TestUndescribedKeys(t *testing.T) {
	known := map[string]any{"z": map[string]any{"default": "d"}}
	for _, k := range "abcdefghij" {
		known[string(k)] = map[string]any{"properties": map[string]any{"p": map[string]any{"default": int64(1)}}}
	}
	s := given.Compiled(t, map[string]any{"properties": known})
	obj := map[string]any{"l": []any{nil}, "m": map[string]any{"p": nil}, "n": nil}
	require.Equal(t, map[string]any{"l": []any{nil}, "m": map[string]any{"p": nil}, "n": nil, "z": "d"}, defaulting.Default(s, obj))
	require.Equal(t, obj, defaulting.DropNulls(s, obj))
}

func TestInsertionsAreCopies(t *testing.T) {
	s := given.Compiled(t, map[string]any{"properties": map[string]any{
		"l": map[string]any{"items": map[string]any{"type": "object", "default": map[string]any{"a": []any{int64(1)}}}},
	}})
	first := defaulting.Default(s, map[string]any{"l": []any{nil, nil}})
	list := first["l"].([]any)
	list[0].(map[string]any)["a"].([]any)[0] = "changed"
	want := map[string]any{"a": []any{int64(1)}}
	require.Equal(t, want, list[1])
	require.Equal(t, []any{want, want}, defaulting.Default(s, map[string]any{"l": []any{nil, nil}})["l"])
}

// Values of other Go types are kept, like scalars.
func TestForeignValues(t *testing.T) {
	s := given.Compiled(t, map[string]any{"properties": map[string]any{"a": map[string]any{
		"default": "D", "properties": map[string]any{"b": map[string]any{"default": "E"}}, "items": map[string]any{"default": "F"},
	}}})
	for _, v := range []any{map[string]string{}, []string{""}, struct{ B *int }{}, (*int)(nil), func() {}, 1, uint8(1)} {
		obj := map[string]any{"a": v}
		require.True(t, given.Same(defaulting.Default(s, obj), obj), "%T", v)
	}
}

// Where a schema leads into a value that no decoder makes, the walk ends with the schema.
func TestDepthAndCycles(t *testing.T) {
	deepSchema := map[string]any{"type": "string", "default": "D"}
	for range 2000 {
		deepSchema = map[string]any{"type": "array", "items": deepSchema}
	}
	s := given.Compiled(t, map[string]any{"properties": map[string]any{
		"deep": deepSchema,
		"free": map[string]any{"x-kubernetes-preserve-unknown-fields": true, "default": "D"},
		"a":    map[string]any{"default": "D"},
	}})
	loop := map[string]any{"a": nil}
	loop["loop"] = loop
	list := []any{nil}
	list[0] = list
	deep := given.Deep(100_000, nil)
	got := defaulting.Default(s, map[string]any{"deep": list, "free": []any{loop, list, deep}})
	require.Equal(t, "D", got["a"])
	require.Len(t, got["free"], 3)

	got = defaulting.Default(s, map[string]any{"deep": deep})
	require.Equal(t, "D", got["a"])

	v := defaulting.Default(s, map[string]any{"deep": given.Deep(2000, nil)})["deep"]
	for range 2000 {
		v = v.([]any)[0]
	}
	require.Equal(t, "D", v)
}

func TestNoAllocs(t *testing.T) {
	given.NoAllocs(t, map[string]func(given.Sized){
		"Default":   func(s given.Sized) { defaulting.Default(s.Schema, s.Object) },
		"Fill":      func(s given.Sized) { defaulting.Fill(s.Schema, s.Object) },
		"DropNulls": func(s given.Sized) { defaulting.DropNulls(s.Schema, s.Object) },
		"Value":     func(s given.Sized) { defaulting.Value(s.Schema.Root(), s.Value) },
	})
}

// Goroutines may share a schema and an object.
func TestConcurrentUse(t *testing.T) {
	s := given.Compiled(t, map[string]any{"properties": map[string]any{
		"a": map[string]any{"default": map[string]any{"x": []any{int64(1)}}},
		"l": map[string]any{"items": map[string]any{"properties": map[string]any{"b": map[string]any{"default": "D"}}}},
	}})
	obj := map[string]any{"l": []any{map[string]any{}, map[string]any{"b": nil}}}
	want := defaulting.Default(s, obj)
	given.Concurrently(50, func() {
		got := defaulting.Default(s, obj)
		if !reflect.DeepEqual(want, got) {
			t.Error("another result")
		}
		scribble(got)
	})
}

func FuzzDefault(f *testing.F) { given.Fuzz(f, laws) }

func BenchmarkDefault(b *testing.B) {
	for _, size := range given.Sizes(b) {
		absent := unstructured.Clone(size.Object)
		absent["spec"] = without(absent["spec"].(map[string]any))
		for name, obj := range map[string]map[string]any{"complete": size.Object, "absent": absent} {
			given.Bench(b, size.Name+"/"+name, func() { defaulting.Default(size.Schema, obj) })
		}
	}
}

// without leaves out the fields of the benchmarks' objects that have a default.
func without(m map[string]any) map[string]any {
	for k, v := range m {
		switch k {
		case "colour", "class", "replicas", "paused", "branch", "protocol", "count", "enabled":
			delete(m, k)
		default:
			if c, ok := v.(map[string]any); ok {
				without(c)
			}
		}
	}
	return m
}
