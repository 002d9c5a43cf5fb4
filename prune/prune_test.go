package prune_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/prune"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/unstructured"
)

func TestRandom(t *testing.T) {
	pruned := given.Random(t, 3000, laws)
	require.Greater(t, pruned, 1000, "objects with something to prune")
	require.Less(t, pruned, 8000, "objects without")
}

// laws checks everything that holds for any schema and object, and reports whether there was nothing to prune.
func laws(t *testing.T, p *schema.JSONSchemaProps, s *schema.Structural, obj map[string]any) (complete bool) {
	t.Helper()
	before := unstructured.Clone(obj)
	got, unknown := prune.Prune(s, obj), prune.Unknown(s, obj)
	require.Equal(t, before, obj, "the argument is modified")
	require.Equal(t, given.Same(got, obj), len(unknown) == 0, "Unknown is empty exactly when Prune returns its argument")
	require.Equal(t, given.Same(got, obj), reflect.DeepEqual(got, obj), "an equal object is the same")

	want, wantUnknown := slowPrune(p, unstructured.Clone(obj), true)
	require.Equal(t, want, any(got))
	require.Equal(t, wantUnknown, unknown)

	require.True(t, given.Same(prune.Prune(s, got), got), "PRU-013: idempotent")
	require.Nil(t, prune.Unknown(s, got))

	// Each field as a value on its own, with its schema and with none.
	for name, q := range p.Properties {
		v, ok := obj[name]
		if !ok {
			continue
		}
		n := s.Root().Property(name)
		want, unknown := slowPrune(q, jsonval.Clone(v), false)
		require.Equal(t, want, prune.Value(n, v), name)
		require.Equal(t, unknown, prune.UnknownValue(n, v), name)
		want, unknown = slowPrune(nil, jsonval.Clone(v), false)
		require.Equal(t, want, prune.Value(schema.Node{}, v), name)
		require.Equal(t, unknown, prune.UnknownValue(schema.Node{}, v), name)
	}
	require.Equal(t, before, obj, "the argument is modified")
	return len(unknown) == 0
}

// PRU-001: without a schema only what every resource has is known.
func TestNilSchema(t *testing.T) {
	obj := map[string]any{"apiVersion": "v1", "kind": "K", "metadata": map[string]any{"x": int64(1)}, "spec": map[string]any{}}
	require.Equal(t, map[string]any{"apiVersion": "v1", "kind": "K", "metadata": map[string]any{"x": int64(1)}}, prune.Prune(nil, obj))
	require.Equal(t, []string{"spec"}, prune.Unknown(nil, obj))
	// PRU-011: with no schema nothing is hidden.
	require.Equal(t, []string{"apiVersion", "kind", "metadata", "spec"}, prune.UnknownValue(schema.Node{}, obj))
	require.Equal(t, map[string]any{}, prune.Value(schema.Node{}, obj))
}

func TestNilAndEmptyObjects(t *testing.T) {
	s := given.Compiled(t, map[string]any{"type": "object"})
	for _, s := range []*schema.Structural{nil, s} {
		require.Nil(t, prune.Prune(s, nil))
		require.Nil(t, prune.Unknown(s, nil))
		require.Equal(t, map[string]any{}, prune.Prune(s, map[string]any{}))
		require.Nil(t, prune.Unknown(s, map[string]any{}))
	}
	require.Nil(t, prune.Value(s.Root(), nil))
	require.Nil(t, prune.Value(schema.Node{}, nil))
	require.Nil(t, prune.UnknownValue(schema.Node{}, nil))
	require.Equal(t, map[string]any(nil), prune.Value(s.Root(), map[string]any(nil)))
	require.Equal(t, map[string]any(nil), prune.Value(schema.Node{}, map[string]any(nil)))
}

// Values of other Go types are kept, like scalars.
func TestForeignValues(t *testing.T) {
	s := given.Compiled(t, map[string]any{"properties": map[string]any{"a": map[string]any{"type": "object"}}})
	for _, v := range []any{map[string]string{"x": "y"}, []string{"x"}, struct{ X int }{1}, new(int), func() {}, 1, uint8(1)} {
		obj := map[string]any{"a": v}
		require.True(t, given.Same(prune.Prune(s, obj), obj), "%T", v)
		require.Empty(t, prune.Unknown(s, obj), "%T", v)
		require.Equal(t, map[string]any{}, prune.Prune(s, map[string]any{"b": v}), "%T", v)
	}
}

// What no decoder makes: Prune stops, and keeps it as it is.
func TestDepthAndCycles(t *testing.T) {
	s := given.Compiled(t, map[string]any{"properties": map[string]any{
		"open":  map[string]any{"type": "object", "additionalProperties": true},
		"keep":  map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true},
		"list":  map[string]any{"type": "array"},
		"lists": map[string]any{"type": "array", "x-kubernetes-preserve-unknown-fields": true},
		"typed": map[string]any{"type": "array", "items": map[string]any{"type": "array", "items": map[string]any{"type": "object"}}},
	}})
	bottom := map[string]any{"x": int64(1)}
	loop, many, deep := given.Loop(), given.Many(), given.Deep(100_000, bottom)
	loops := map[string]any{"deep": deep, "many": many}
	obj := map[string]any{"open": loops, "keep": map[string]any{"loop": loop, "deep": deep, "many": many}, "list": many, "lists": many}
	require.True(t, given.Same(prune.Prune(s, obj), obj))
	require.Empty(t, prune.Unknown(s, obj))

	// Those of objects are no trouble: they are emptied.
	require.Equal(t, map[string]any{"open": map[string]any{"a": map[string]any{}, "b": []any{map[string]any{}}}},
		prune.Prune(s, map[string]any{"open": map[string]any{"a": loop, "b": []any{loop}}}))
	require.Equal(t, []string{"open.a.loop"}, prune.Unknown(s, map[string]any{"open": map[string]any{"a": loop}}))
	require.Equal(t, map[string]any{}, prune.Prune(s, map[string]any{"unknown": many}))

	// As deep as a server's decoder goes, all is found.
	obj = map[string]any{"open": map[string]any{"k": given.Deep(9_990, bottom)}}
	require.Equal(t, []string{"open.k" + strings.Repeat("[0]", 9_990) + ".x"}, prune.Unknown(s, obj))
	require.False(t, given.Same(prune.Prune(s, obj), obj))
}

// Paths are bounded, whether many fields stand deep down or many objects do, and the same ones are left each time.
func TestManyUnknownFieldsDeepDown(t *testing.T) {
	deep := func(v any) map[string]any {
		return map[string]any{"open": map[string]any{"k": given.Deep(9_000, v)}}
	}
	wide, objects := map[string]any{}, []any{}
	for i := range 5_000 {
		wide[fmt.Sprintf("field%04d", i)] = int64(i)
		objects = append(objects, map[string]any{"a": int64(i), "b": int64(i)})
	}
	described := map[string]any{"type": "object", "properties": map[string]any{"a": map[string]any{"type": "object"}}}
	for range 2_000 {
		described = map[string]any{"type": "array", "items": described}
	}
	s := given.Compiled(t, map[string]any{"properties": map[string]any{
		"open":      map[string]any{"type": "object", "additionalProperties": true},
		"described": described,
	}})
	for name, obj := range map[string]map[string]any{
		"one object": deep(wide), "many objects": deep(objects), "described": {"described": given.Deep(2_000, wide)},
	} {
		paths := prune.Unknown(s, obj)
		size := 0
		for _, p := range paths {
			size += len(p)
		}
		require.Greater(t, size, 7<<20, name)
		require.LessOrEqual(t, size, 8<<20, name)
		require.True(t, slices.IsSorted(paths), name)
		require.Equal(t, paths, prune.Unknown(s, obj), "the same each time: %s", name)
		require.Nil(t, prune.Unknown(s, prune.Prune(s, obj)), "nothing is left of them: %s", name)
	}
	require.True(t, strings.HasSuffix(prune.Unknown(s, deep(wide))[0], "[0].field0000"), "the first by name")
}

func TestNoAllocs(t *testing.T) {
	given.NoAllocs(t, map[string]func(given.Sized){
		"Prune":        func(s given.Sized) { prune.Prune(s.Schema, s.Object) },
		"Unknown":      func(s given.Sized) { prune.Unknown(s.Schema, s.Object) },
		"Value":        func(s given.Sized) { prune.Value(s.Schema.Root(), s.Value) },
		"UnknownValue": func(s given.Sized) { prune.UnknownValue(s.Schema.Root(), s.Value) },
	})
}

// Goroutines may share a schema and an object.
func TestConcurrentUse(t *testing.T) {
	m := given.NewMaker(3)
	doc := m.Schema()
	s, obj := given.Compiled(t, doc), m.Object(doc)
	obj["unknown"] = []any{map[string]any{"a": int64(1)}}
	want := prune.Prune(s, obj)
	given.Concurrently(50, func() {
		if !reflect.DeepEqual(want, prune.Prune(s, obj)) || len(prune.Unknown(s, obj)) == 0 {
			t.Error("another result")
		}
	})
}

func FuzzPrune(f *testing.F) { given.Fuzz(f, laws) }

func BenchmarkPrune(b *testing.B) {
	for _, size := range given.Sizes(b) {
		unknown := unstructured.Clone(size.Object)
		unknown["spec"].(map[string]any)["unknown"] = int64(1)
		for name, obj := range map[string]map[string]any{"complete": size.Object, "unknown": unknown} {
			given.Bench(b, size.Name+"/"+name, func() { prune.Prune(size.Schema, obj) })
		}
	}
}
