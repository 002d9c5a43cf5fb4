package ratchet_test

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/ratchet"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/unstructured"
	"github.com/crdkit/crdkit/validate"
)

func TestRandom(t *testing.T) {
	forgiven := map[string]int{}
	for seed := range uint64(1000) {
		m := given.NewMaker(seed)
		doc := m.Schema()
		s := given.Compiled(t, doc)
		for range 2 {
			obj := m.Object(doc)
			for _, old := range []map[string]any{m.Changed(obj), m.Changed(m.Changed(obj)), m.Object(doc), nil} {
				forgiven[laws(t, s, obj, old)]++
				errs, create := ratchet.Validate(s, obj, old), validate.Validate(s, obj)
				require.True(t, subsequence(given.Typed(errs), given.Typed(create)), "schema %s\nobject %s\nold %s\nsays %v\nof what a create says %v",
					given.ExactJSON(doc), given.ExactJSON(obj), given.ExactJSON(old), errs, create)
			}
		}
	}
	for _, share := range []string{"valid", "all", "some", "none"} {
		require.Greater(t, forgiven[share], 150, "%v", forgiven)
	}
}

// laws checks everything that holds for any schema and any two objects, and reports how much is forgiven.
func laws(t *testing.T, s *schema.Structural, obj, old map[string]any) (share string) {
	t.Helper()
	beforeObj, beforeOld := unstructured.Clone(obj), unstructured.Clone(old)
	errs, create := ratchet.Validate(s, obj, old), validate.Validate(s, obj)
	for range 2 {
		require.Equal(t, errs, ratchet.Validate(s, obj, old), "the order depends on Go's maps")
	}
	if plainKeys(obj) {
		require.Subset(t, create, errs, "object %s\nold %s", given.ExactJSON(obj), given.ExactJSON(old))
		require.LessOrEqual(t, len(errs), len(create))
	}

	// It is its three parts, in the order of STR-012; of embedded resources nothing is forgiven.
	if old == nil {
		require.Equal(t, create, errs, "without an old object")
	} else {
		parts := append(field.List(nil), ratchet.Value(s.Root(), nil, obj, old)...)
		parts = append(parts, validate.Embedded(s.Root(), nil, obj)...)
		require.Equal(t, append(parts, ratchet.Lists(s.Root(), nil, obj, old)...), errs)
	}

	// A valid old object has nothing that could be forgiven, unless the order of a map list makes the difference (an
	// enum, say).
	if old != nil && !hasMapList(plan.Root(s)) && len(validate.Validate(s, old)) == 0 {
		require.Equal(t, create, errs, "what was valid")
	}
	unchanged(t, s, obj)
	require.Equal(t, beforeObj, obj, "the object is modified")
	require.Equal(t, beforeOld, old, "the old object is modified")

	switch {
	case len(create) == 0:
		return "valid"
	case len(errs) == len(create):
		return "none"
	case len(errs) == 0:
		return "all"
	}
	return "some"
}

// unchanged checks an update that changes nothing, clause by clause.
func unchanged(t *testing.T, s *schema.Structural, obj map[string]any) {
	t.Helper()
	same := unstructured.Clone(obj)
	require.Empty(t, ratchet.Lists(s.Root(), nil, obj, same), "RAT-020: duplicates were there before")
	if plan.NewPair(plan.Root(s), obj, same).Equal() {
		require.Empty(t, ratchet.Value(s.Root(), nil, obj, same), "RAT-005: the whole object is forgiven")
	}
	// What remains is about the root, or about one of its fields.
	errs := ratchet.Value(s.Root(), nil, obj, same)
	if own(plan.Root(s), obj) {
		return
	}
	// RAT-009: else it is about a field that counts as changed.
	for _, k := range slices.Sorted(maps.Keys(obj)) {
		if n, _ := plan.Root(s).Child(k); n != nil && !plan.ResourceField(k) && plan.NewPair(n, obj[k], same[k]).Equal() {
			for _, e := range errs {
				segments := e.Path.Segments()
				require.False(t, len(segments) > 0 && segments[0].Key == k, "%s is forgiven: %v", k, e)
			}
		}
	}
}

// own reports whether the root has something to say about obj itself, which may name any of its fields.
func own(n *plan.Node, obj map[string]any) bool {
	return n.Combine != nil || n.Required != nil || n.Accept&plan.KindOf(obj) == 0
}

func hasMapList(n *plan.Node) bool {
	if n == nil {
		return false
	}
	return n.List == plan.ListMap || hasMapList(n.Items) || hasMapList(n.Additional) ||
		slices.ContainsFunc(n.Props, func(p plan.Prop) bool { return hasMapList(p.Node) })
}

// subsequence reports whether texts are some of all, in the same order.
func subsequence(texts, all []string) bool {
	for _, text := range texts {
		i := slices.Index(all, text)
		if i < 0 {
			return false
		}
		all = all[i+1:]
	}
	return true
}

// plainKeys reports whether no two places in v have the same name, as a.b and b in a have. Of two errors that are the
// same but for their value a server reports the first (VAL-005): that can be another one if the first is forgiven.
func plainKeys(v any) bool {
	switch x := v.(type) {
	case map[string]any:
		for k, c := range x {
			if k == "" || strings.ContainsAny(k, ".[") || !plainKeys(c) {
				return false
			}
		}
	case []any:
		for _, c := range x {
			if !plainKeys(c) {
				return false
			}
		}
	}
	return true
}

func TestNoAllocs(t *testing.T) {
	var old any = map[string]any{"spec": "something else"}
	given.NoAllocs(t, map[string]func(given.Sized){
		"Validate": func(s given.Sized) { ratchet.Validate(s.Schema, s.Object, old.(map[string]any)) },
		"Value":    func(s given.Sized) { ratchet.Value(s.Schema.Root(), nil, s.Value, old) },
		"Lists":    func(s given.Sized) { ratchet.Lists(s.Schema.Root(), nil, s.Value, old) },
	})
}

// Goroutines may share a schema and both objects.
func TestConcurrentUse(t *testing.T) {
	for _, size := range given.Sizes(t) {
		broken := unstructured.Clone(size.Object)
		given.BreakOne(broken["spec"].(map[string]any))
		want := given.Typed(ratchet.Validate(size.Schema, broken, size.Object))
		require.NotEmpty(t, want)
		given.Concurrently(3, func() {
			if !slices.Equal(want, given.Typed(ratchet.Validate(size.Schema, broken, size.Object))) {
				t.Error("another result")
			}
		})
	}
}

func FuzzRatchetedValidate(f *testing.F) {
	for seed := range uint64(20) {
		m := given.NewMaker(seed)
		doc := m.Schema()
		obj := m.Object(doc)
		f.Add([]byte(given.ExactJSON(doc)), []byte(given.ExactJSON(obj)), []byte(given.ExactJSON(m.Changed(obj))))
	}
	f.Fuzz(func(t *testing.T, schemaText, object, before []byte) {
		_, s, obj, ok := given.Decode(schemaText, object)
		if !ok {
			return
		}
		old, err := unstructured.DecodeJSON(before)
		if err != nil || bytes.Equal(before, []byte("null")) {
			old = nil
		}
		laws(t, s, obj, old)
	})
}

func BenchmarkRatchetedValidate(b *testing.B) {
	for _, size := range given.Sizes(b) {
		broken := unstructured.Clone(size.Object)
		given.BreakOne(broken["spec"].(map[string]any))
		elsewhere := unstructured.Clone(broken)
		elsewhere["metadata"] = map[string]any{"name": "n", "labels": map[string]any{"another": "label"}}
		for _, row := range []struct {
			name     string
			obj, old map[string]any
		}{{"valid", size.Object, broken}, {"forgiven", broken, elsewhere}, {"reported", broken, size.Object}} {
			given.Bench(b, size.Name+"/"+row.name, func() { ratchet.Validate(size.Schema, row.obj, row.old) })
		}
	}
}
