package patch_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/patch"
	"github.com/crdkit/crdkit/internal/test/given"
)

// A server writes with encoding/json: PAT-004 (texts), PAT-007 and DEC-009 (numbers).
func TestEncode(t *testing.T) {
	obj := map[string]any{
		"": nil, "b": true, "i": int64(math.MinInt64), "f": 5.0, "g": 2.5, "h": 1e21, "z": math.Copysign(0, -1),
		"s": "<&>\u2028\u2029\u2030\x00\x7f\"\\\n\xff", "<k>\xff": []any{}, "l": []any{nil, map[string]any{"y": "é", "x": int64(1)}},
	}
	before := jsonval.Clone(obj)
	text, err := patch.Encode(obj)
	require.NoError(t, err)
	require.Equal(t, before, any(obj))
	require.Equal(t, string(given.JSON(t, obj)), string(text))

	obj["s"], obj["k"] = "", obj["<k>\xff"]
	delete(obj, "<k>\xff")
	text, err = patch.Encode(obj)
	require.NoError(t, err)
	got := given.Object(t, text)
	stored, _ := jsonval.Stored(obj)
	require.True(t, jsonval.Equal(stored, got), "DEC-009: %s", text)

	text, err = patch.Encode(map[string]any{"m": map[string]any(nil), "l": []any(nil), "i": 1, "s": []string{"a"}})
	require.NoError(t, err)
	require.Equal(t, `{"i":1,"l":[],"m":{},"s":["a"]}`, string(text), "GEN-002")
	text, err = patch.Encode(nil)
	require.NoError(t, err)
	require.Equal(t, `{}`, string(text))
}

func TestEncodeNoJSON(t *testing.T) {
	cycle := map[string]any{}
	cycle["a"], cycle["b"] = []any{cycle}, cycle
	for name, v := range map[string]any{
		"NaN": math.NaN(), "infinity": []any{math.Inf(1)}, "DEC-007 cycle": cycle, "foreign": map[string]any{"f": func() {}}, "chan": make(chan int),
	} {
		text, err := patch.Encode(map[string]any{"a": v})
		require.Error(t, err, name)
		require.Nil(t, text, name)
		_, err = json.Marshal(patch.Operation{Op: "add", Path: "/a", Value: v})
		require.Error(t, err, name)
	}
}
