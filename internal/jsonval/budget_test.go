package jsonval_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
)

// shared returns lists in one another, each of which has the one below ten times.
func shared(levels int) any {
	v := []any{int64(1)}
	for range levels {
		v = []any{v, v, v, v, v, v, v, v, v, v}
	}
	return v
}

// No function takes longer for what stands in many places than for a large tree.
func TestTooLarge(t *testing.T) {
	text := strings.Repeat("x", 1<<20)
	texts := make([]any, 17)
	for i := range texts {
		texts[i] = text
	}
	for name, v := range map[string]any{
		"lists": shared(50), "maps": map[string]any{"a": shared(50)}, "texts": texts,
		"keys": []any{map[string]any{strings.Repeat("k", 17<<20): nil}},
	} {
		at := field.NewPath("spec")
		require.EqualError(t, jsonval.TooLarge(at, v), "spec: Invalid value: too large, counting shared parts once for each place", name)
		_, err := jsonval.Normalize(at, v)
		require.EqualError(t, err, jsonval.TooLarge(at, v).Error(), name)
		_, err = jsonval.Normalize(at, []any{1, v}) // not normal at first sight
		require.EqualError(t, err, jsonval.TooLarge(at, v).Error(), name)
		require.True(t, jsonval.TooDeep(v), name)
		require.False(t, jsonval.Encodable(v), name)
	}
	v := map[string]any{"a": shared(50), "b": 1.0}
	jsonval.Clone(v).(map[string]any)["c"] = true
	require.Contains(t, v, "c", "Clone returns v itself")
	require.False(t, jsonval.Equal(shared(50), shared(50)))
	_, changed := jsonval.Stored(v)
	require.False(t, changed)

	// What a text of 3 MiB decodes to is within the budget.
	numbers := make([]any, 1_500_000)
	for i := range numbers {
		numbers[i] = int64(1)
	}
	maps := make([]any, 350_000)
	for i := range maps {
		maps[i] = map[string]any{"a": int64(1)}
	}
	for _, v := range []any{numbers, maps, strings.Repeat("x", 3<<20), nested(jsonval.MaxDepth)} {
		require.Nil(t, jsonval.TooLarge(nil, v))
		require.False(t, jsonval.TooDeep(v))
		require.True(t, jsonval.Encodable(v))
	}
}

func TestEncodable(t *testing.T) {
	type link struct {
		Next   *link
		hidden any
	}
	var chain, short *link
	for i := range 100_000 {
		if i == 1000 {
			short = chain
		}
		chain = &link{Next: chain}
	}
	ring := &link{}
	ring.Next = ring
	for name, v := range map[string]any{
		"chain": chain, "ring": ring, "in a map": map[string]any{"a": []*link{chain}}, "as a key's value": map[int]any{1: chain},
		"deep": nested(jsonval.MaxDepth + 1), "many": []map[string]any{{"a": shared(50)}}, "bytes": make([]byte, 17<<20),
	} {
		require.False(t, jsonval.Encodable(v), name)
	}
	for name, v := range map[string]any{
		"nil": nil, "short": short, "hidden": link{hidden: chain}, "array": [2]int{1, 2}, "interfaces": []any{[]string{"a"}},
		"encodes itself": loud("x"),
	} {
		require.True(t, jsonval.Encodable(v), name)
	}
}
