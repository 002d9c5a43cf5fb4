package validity_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/fill"
	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/internal/validity"
	"github.com/crdkit/crdkit/unstructured"
)

// Read says what decoding, filling and checking one after another say.
func TestReadRandom(t *testing.T) {
	var found struct{ valid, invalid, filled, refused, nulls int }
	for seed := range uint64(4000) {
		m := given.NewMaker(seed)
		doc := m.Schema()
		s, obj := given.Compiled(t, doc), m.Object(doc)
		root := plan.Root(s)
		kept := stored(s, obj)
		for _, obj := range []map[string]any{obj, kept, m.Changed(kept), spoil(m, unstructured.Clone(kept)).(map[string]any), without(m, kept)} {
			withHead(obj)
			text := given.ExactJSON(obj)
			decoded := jsonscan.DecodeObject([]byte(text))
			require.NotNil(t, decoded, text)
			left := fill.NewBudget(0, 0, 1_000_000)
			want := fill.Filler{Defaults: true, InPlace: true, Left: left}.Object(root, unstructured.Clone(decoded))
			wantStored, wantValid := validity.Object(root, want)

			got, isStored, isValid, used := read(t, root, text)
			if !isStored && wantStored && strings.Contains(text, "null") {
				found.nulls++ // One is replaced by a default.
				continue
			}
			require.Equal(t, wantStored, isStored, text)
			require.Equal(t, wantValid, isValid, text)
			if isStored {
				require.Equal(t, want, got, text)
				require.Equal(t, left.Values, used.Values, "values of the defaults of %s", text)
				require.Equal(t, left.Bytes, used.Bytes, "bytes of the defaults of %s", text)
			}
			switch {
			case !wantStored:
				found.refused++
			case wantValid:
				found.valid++
			default:
				found.invalid++
			}
			if wantStored && !jsonval.Equal(want, decoded) {
				found.filled++
			}
		}
	}
	require.Greater(t, found.refused, 1000, "%+v", found)
	require.Greater(t, found.valid, 1000, "%+v", found)
	require.Greater(t, found.invalid, 1000, "%+v", found)
	require.Greater(t, found.filled, 250, "%+v", found)
	require.Less(t, found.nulls, found.valid/20, "%+v", found)
}

func read(t *testing.T, root *plan.Node, text string) (obj map[string]any, isStored, isValid bool, left *fill.Budget) {
	t.Helper()
	left = fill.NewBudget(0, 0, 1_000_000)
	s := jsonscan.NewObject([]byte(text))
	defer s.Release()
	obj, isStored, isValid = validity.Read(s, root, left)
	if isStored {
		require.True(t, s.End(), text)
	}
	return obj, isStored, isValid, left
}

// without returns an object without some of its fields.
func without(m *given.Maker, obj map[string]any) map[string]any {
	out := unstructured.Clone(obj)
	var remove func(v any)
	remove = func(v any) {
		switch x := v.(type) {
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(x)) {
				if remove(x[k]); m.IntN(3) == 0 {
					delete(x, k)
				}
			}
		case []any:
			for _, c := range x {
				remove(c)
			}
		}
	}
	remove(out)
	return out
}
