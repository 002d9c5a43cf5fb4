package verdict_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/errlist"
	"github.com/crdkit/crdkit/internal/golden"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/report"
	"github.com/crdkit/crdkit/internal/verdict"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/unstructured"
	"github.com/crdkit/crdkit/validate"
)

// Look answers each question as the walk does that is asked nothing else, and Compare says what a look at both values and a comparison say.
func TestCompareRandom(t *testing.T) {
	var found tally
	for seed := range uint64(2500) {
		m := golden.NewMaker(seed)
		doc := m.Schema()
		s, obj := golden.Compile(t, doc), m.Object(doc)
		if seed%2 == 0 {
			obj = stored(s, obj)
		}
		other := stored(s, m.Object(doc))
		spoiled := spoil(m, unstructured.Clone(obj)).(map[string]any)
		for _, pair := range [][2]map[string]any{
			{obj, unstructured.Clone(obj)}, {obj, m.Changed(obj)}, {m.Changed(obj), obj}, {obj, other}, {other, obj},
			{spoiled, unstructured.Clone(spoiled)}, {spoiled, m.Changed(spoiled)}, {spoiled, spoil(m, unstructured.Clone(spoiled)).(map[string]any)},
		} {
			agrees(t, s.Root, pair[0], pair[1], &found)
		}
	}
	require.Greater(t, found.same, 2000)
	require.Greater(t, found.differ, 2000)
	require.Greater(t, found.was, 500, "old values that differ and are in form")
	require.Greater(t, found.forgiven, 200, "errors that are forgiven")
	require.Greater(t, found.lenient, 100, "errors that are not even seen")
	require.Greater(t, found.reported, 200, "errors that are not")
}

type tally struct{ same, differ, was, forgiven, lenient, reported int }

// agrees checks what Look and Compare say of two values against what the other walks say.
func agrees(t *testing.T, n *schema.Node, v, old map[string]any, found *tally) {
	t.Helper()
	before, beforeOld := unstructured.Clone(v), unstructured.Clone(old)
	const checks = verdict.Schema | verdict.Embedded | verdict.Lists
	holds := verdict.Look(n, v, checks)
	require.Equal(t, holds&verdict.Schema != 0, verdict.OK(n, v, verdict.Schema), "schema of %s", golden.JSON(v))
	if holds&verdict.Embedded != 0 {
		require.Empty(t, validate.Embedded(n, nil, v))
	}
	require.Equal(t, holds == checks, verdict.OK(n, v, checks), "all of %s", golden.JSON(v))
	require.Equal(t, holds, verdict.Look(n, v, verdict.Schema)|verdict.Look(n, v, verdict.Embedded)|verdict.Look(n, v, verdict.Lists))

	formed, all := verdict.Look(n, v, verdict.Stored) != 0, verdict.Look(n, v, checks|verdict.Stored)
	require.Equal(t, formed, all&verdict.Stored != 0)
	if formed {
		require.Equal(t, holds|verdict.Stored, all)
	}
	c := verdict.Compare(n, v, old, checks|verdict.Stored)
	require.Equal(t, all, c.Holds, "node %+v: %s over %s", n, golden.JSON(v), golden.JSON(old))
	if formed {
		require.Equal(t, c.Was && equalBesideMetadata(v, old), c.Same, "%s over %s", golden.JSON(v), golden.JSON(old))
		if c.Was {
			require.NotZero(t, verdict.Look(n, old, verdict.Stored), "%s over %s", golden.JSON(v), golden.JSON(old))
		}
	} else {
		require.False(t, c.Same || c.Was || c.Forgiven)
	}
	var gathered errlist.List
	report.Update(&gathered, n, nil, v, old)
	errs := gathered.Errors()
	if c.Forgiven {
		require.Empty(t, errs, "%s over %s", golden.JSON(v), golden.JSON(old))
	}
	lenient := verdict.Compare(n, v, old, checks|verdict.Stored|verdict.Lenient)
	if lenient.Holds&verdict.Schema != 0 {
		require.Empty(t, errs, "%s over %s", golden.JSON(v), golden.JSON(old))
		if all&verdict.Schema == 0 {
			found.lenient++
		}
	}
	require.Equal(t, c.Holds, lenient.Holds&(c.Holds|^verdict.Schema))
	require.Equal(t, c.Was, lenient.Was)
	require.Equal(t, c.Same, lenient.Same)
	switch {
	case c.Same:
		found.same++
	case formed:
		found.differ++
		if c.Was {
			found.was++
		}
	}
	switch {
	case c.Forgiven && c.Holds&verdict.Schema == 0:
		found.forgiven++
	case formed && c.Holds&verdict.Schema == 0 && len(errs) > 0:
		found.reported++
	}
	require.Equal(t, before, v, "the walk modifies the value")
	require.Equal(t, beforeOld, old, "the walk modifies the old value")
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
func spoil(m *golden.Maker, v any) any {
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
	f.Add(uint64(5), []byte(`{"spec":[{"a":1.0},{"a":[null]}],"":{"kind":7}}`), []byte(`{"spec":[{"a":1},{"a":[]}],"":{"kind":7}}`))
	f.Fuzz(func(t *testing.T, seed uint64, text, oldText []byte) {
		m := golden.NewMaker(seed)
		doc := m.Schema()
		s := golden.Compile(t, doc)
		obj, err := unstructured.DecodeJSON(text)
		if err != nil {
			obj = spoil(m, stored(s, m.Object(doc))).(map[string]any)
		}
		old, err := unstructured.DecodeJSON(oldText)
		if err != nil {
			old = m.Changed(obj)
		}
		agrees(t, s.Root, obj, old, new(tally))
		agrees(t, s.Root, obj, unstructured.Clone(obj), new(tally))
	})
}
