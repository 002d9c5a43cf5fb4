package defaulting_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/unstructured"
)

func TestLimit(t *testing.T) {
	s := given.Compiled(t, map[string]any{"properties": map[string]any{
		"l": map[string]any{"items": map[string]any{"properties": map[string]any{
			"a": map[string]any{"default": map[string]any{"x": []any{int64(1), "y"}}},
			"b": map[string]any{"type": "string"},
		}}},
		"m": map[string]any{"additionalProperties": map[string]any{"properties": map[string]any{"a": map[string]any{"default": "D"}}}},
		"n": map[string]any{"items": map[string]any{"default": "N"}},
	}})
	const perItem = 5 // the item, and the four values of its default
	items := func(n int) map[string]any {
		l := given.List(n, func(int) any { return map[string]any{"b": nil} })
		return map[string]any{"l": l}
	}
	limit := defaulting.Limit{Values: 10*perItem + 1} // the whole object is changed, too
	got, err := defaulting.DefaultWithin(s, items(10), limit)
	require.NoError(t, err)
	require.Equal(t, defaulting.Default(s, items(10)), got)

	obj := items(11)
	before := unstructured.Clone(obj)
	got, err = defaulting.DefaultWithin(s, obj, limit)
	require.EqualError(t, err, "the object's defaults are more than 51 values or 67108864 bytes")
	var tooLarge *defaulting.LimitError
	require.ErrorAs(t, err, &tooLarge)
	require.Equal(t, defaulting.Limit{Values: 51, Bytes: 64 << 20}, tooLarge.Limit)
	require.Equal(t, defaulting.DropNulls(s, obj), got, "nulls are dropped, and no default is there")
	filled, err := defaulting.FillWithin(s, obj, limit)
	require.Error(t, err)
	require.True(t, given.Same(obj, filled), "nothing is filled in")
	require.Equal(t, before, any(obj), "the object is modified")

	for name, obj := range map[string]map[string]any{
		"values of a map": {"m": map[string]any{"a": map[string]any{}, "b": map[string]any{}}},
		"nulls of a list": {"n": []any{nil, nil, nil, nil}},
	} {
		_, err := defaulting.FillWithin(s, obj, defaulting.Limit{Values: 3})
		require.Error(t, err, name)
		_, err = defaulting.FillWithin(s, obj, defaulting.Limit{Values: 9})
		require.NoError(t, err, name)
	}
}

func TestLimitOfBytes(t *testing.T) {
	s := given.Compiled(t, map[string]any{"properties": map[string]any{
		"l": map[string]any{"items": map[string]any{"properties": map[string]any{"a": map[string]any{"default": strings.Repeat("x", 1_000)}}}},
	}})
	obj := map[string]any{"l": []any{map[string]any{}, map[string]any{}}}
	_, err := defaulting.FillWithin(s, obj, defaulting.Limit{Bytes: 2_500})
	require.NoError(t, err)
	_, err = defaulting.FillWithin(s, obj, defaulting.Limit{Bytes: 1_500})
	require.Error(t, err)
	require.Len(t, defaulting.Value(s.Root(), obj).(map[string]any)["l"].([]any)[0], 1)
}
