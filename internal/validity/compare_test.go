package validity_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/internal/validity"
	"github.com/crdkit/crdkit/unstructured"
)

// Compare says what walks of both objects and a comparison of them say.
func TestCompareRandom(t *testing.T) {
	var found tally
	for seed := range uint64(2500) {
		m := given.NewMaker(seed)
		doc := m.Schema()
		s, obj := given.Compiled(t, doc), m.Object(doc)
		if seed%2 == 0 {
			obj = stored(s, obj)
		}
		other := stored(s, m.Object(doc))
		spoiled := spoil(m, unstructured.Clone(obj)).(map[string]any)
		for _, pair := range [][2]map[string]any{
			{obj, unstructured.Clone(obj)}, {obj, m.Changed(obj)}, {m.Changed(obj), obj}, {obj, other}, {other, obj},
			{spoiled, unstructured.Clone(spoiled)}, {spoiled, m.Changed(spoiled)}, {spoiled, spoil(m, unstructured.Clone(spoiled)).(map[string]any)},
		} {
			agrees(t, plan.Root(s), pair[0], pair[1], &found)
		}
	}
	require.Greater(t, found.same, 2000)
	require.Greater(t, found.differ, 2000)
	require.Greater(t, found.forgiven, 200, "errors that are known to be forgiven")
	require.Greater(t, found.missed, 0, "errors that are forgiven, which takes another look")
	require.Greater(t, found.reported, 200, "errors that are not")
	require.Less(t, found.unsure, found.differ/10, "old objects whose form takes another look")
}

type tally struct{ same, differ, unsure, forgiven, missed, reported int }

// agrees checks what Compare says of two objects against what the other walks say.
func agrees(t *testing.T, n *plan.Node, v, old map[string]any, found *tally) {
	t.Helper()
	withHead(v)
	withHead(old)
	before, beforeOld := unstructured.Clone(v), unstructured.Clone(old)
	about := given.ExactJSON(v) + " over " + given.ExactJSON(old)
	stored, oldStored := validity.StoredObject(n, v), validity.StoredObject(n, old)
	valid := validity.OK(n, v, validity.Schema|validity.Embedded|validity.Lists)
	equal := equalBesideMetadata(v, old)

	isStored, isValid := validity.Object(n, v)
	require.Equal(t, stored, isStored, about)
	require.Equal(t, stored && valid, isValid, about)

	c := validity.Compare(n, v, old, false)
	require.Equal(t, stored, c.Stored, about)
	require.Equal(t, stored && valid, c.Valid, about)
	require.Equal(t, stored && equal, c.Same, about)
	require.True(t, oldStored || !c.OldStored, about)
	require.True(t, !c.Same || c.OldStored, about)
	if stored && oldStored && !c.OldStored {
		found.unsure++
	}
	lenient := validity.Compare(n, v, old, true)
	require.True(t, lenient.Valid || !c.Valid, about)
	require.Equal(t, c, validity.Change{Stored: lenient.Stored, Valid: c.Valid, OldStored: lenient.OldStored, Same: lenient.Same}, about)

	var errs refusal.List
	validity.ReportUpdate(&errs, n, nil, "", v, old)
	validity.ReportEmbedded(&errs, n, nil, "", v)
	validity.ReportUpdatedLists(&errs, n, nil, v, old)
	switch {
	case lenient.Valid:
		require.Empty(t, errs.Errors(), about)
	case stored && errs.Len() > 0:
		found.reported++
	case stored:
		found.missed++
	}
	switch {
	case lenient.Valid && !valid:
		found.forgiven++
	case c.Same:
		found.same++
	case c.OldStored:
		found.differ++
	}
	require.Equal(t, before, v, "the walk modifies the object")
	require.Equal(t, beforeOld, old, "the walk modifies the old object")
}

// withHead gives an object what a caller of Compare knows it to have.
func withHead(obj map[string]any) {
	obj["apiVersion"], obj["kind"], obj["metadata"] = "g.io/v1", "Thing", map[string]any{"name": "n"}
}

func equalBesideMetadata(v, old map[string]any) bool {
	a, b := unstructured.Clone(v), unstructured.Clone(old)
	_, has := a["metadata"]
	_, had := b["metadata"]
	delete(a, "metadata")
	delete(b, "metadata")
	return has == had && jsonval.Equal(a, b)
}

// spoil puts a value of another kind in the place of some scalars.
func spoil(m *given.Maker, v any) any {
	switch x := v.(type) {
	case map[string]any:
		for k, c := range x {
			x[k] = spoil(m, c)
		}
	case []any:
		for i, c := range x {
			x[i] = spoil(m, c)
		}
	case string:
		if m.IntN(4) == 0 {
			return []any{x}
		}
	case int64:
		if m.IntN(4) == 0 {
			return x + 1000
		}
	}
	return v
}

// FuzzCompare compares any two objects under the schema that a seed makes.
func FuzzCompare(f *testing.F) {
	f.Add(uint64(1), []byte(`{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"name":"n"}}`), []byte(`{"kind":null}`))
	f.Add(uint64(2), []byte(nil), []byte(nil))
	f.Add(uint64(3), []byte("null"), []byte("null")) // no objects
	f.Add(uint64(5), []byte(`{"spec":[{"a":1.0},{"a":[null]}],"":{"kind":7}}`), []byte(`{"spec":[{"a":1},{"a":[]}],"":{"kind":7}}`))
	f.Fuzz(func(t *testing.T, seed uint64, text, oldText []byte) {
		m := given.NewMaker(seed)
		doc := m.Schema()
		s := given.Compiled(t, doc)
		obj, err := unstructured.DecodeJSON(text)
		if err != nil || obj == nil {
			obj = spoil(m, stored(s, m.Object(doc))).(map[string]any)
		}
		old, err := unstructured.DecodeJSON(oldText)
		if err != nil || old == nil {
			old = m.Changed(obj)
		}
		agrees(t, plan.Root(s), obj, old, new(tally))
		agrees(t, plan.Root(s), obj, unstructured.Clone(obj), new(tally))
	})
}
