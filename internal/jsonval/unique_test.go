package jsonval

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// VAL-040: long lists, which are checked by hashes, have the same results as comparing each item with each.
func TestUnique(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	scalars := []any{nil, true, false, "", "a", "b", int64(0), int64(1), 0.0, math.Copysign(0, -1), 1.0, 1.5, math.NaN(), 7, json.Number("7")}
	var value func(depth int) any
	value = func(depth int) any {
		switch k := random.IntN(8); {
		case depth > 0 && k == 0:
			return []any{value(depth - 1), value(depth - 1)}
		case depth > 0 && k == 1:
			return map[string]any{"a": value(depth - 1), "b": value(depth - 1)}
		case k < 5:
			return random.Int64N(1 << 30)
		default:
			return scalars[random.IntN(len(scalars))]
		}
	}
	repeated := 0
	for round := range 4000 {
		size := FewItems + 1
		if round%100 == 0 {
			size = manyItems
		}
		items := make([]any, size+random.IntN(4))
		for i := range items {
			items[i] = value(4)
			if random.IntN(16) > 2 {
				items[i] = []any{int64(i), items[i]} // most of them differ
			}
		}
		unique := true
		for i, v := range items {
			for _, w := range items[:i] {
				unique = unique && !Equal(v, w)
			}
		}
		if !unique {
			repeated++
		}
		require.Equal(t, unique, Unique(items), "%v", items)
	}
	require.Greater(t, repeated, 100)
	require.Less(t, repeated, 3800)
}
