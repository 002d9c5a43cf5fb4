package given

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	kjson "sigs.k8s.io/json"

	"github.com/crdkit/crdkit/schema"
)

// A case has texts, and values in YAML or in JSON.
func TestCase(t *testing.T) {
	c := newCase(t, "-- schema.yaml --\ntype: object\n-- object.json --\n{\"a\": 1.0}\n-- want --\n-- want.errors --\none\n\ntwo\n")
	require.Equal(t, map[string]any{"a": 1.0}, c.Object("object"))
	require.Equal(t, map[string]any{"type": "object"}, c.Value("schema"))
	require.False(t, c.Has("want"))
	text, ok := c.Text("want.errors")
	require.True(t, ok)
	require.Equal(t, "one\n\ntwo", text)
	_, ok = c.Text("nothing")
	require.False(t, ok)
}

// A float64 stays one on its way through a text.
func TestJSON(t *testing.T) {
	v := map[string]any{"a": []any{1.0, int64(1), 1e20, 1e21, -0.5, 9223372036854775808.0, "x", nil, true}}
	var back any
	require.NoError(t, kjson.UnmarshalCaseSensitivePreserveInts([]byte(ExactJSON(v)), &back))
	require.Equal(t, any(v), back)
}

// The same seed makes the same things, and what it makes is JSON.
func TestMaker(t *testing.T) {
	structural := 0
	for seed := range uint64(300) {
		var texts [2]string
		for i := range texts {
			m := NewMaker(seed)
			doc := m.Schema()
			obj := m.Object(doc)
			texts[i] = ExactJSON(doc) + ExactJSON(obj)
			require.True(t, json.Valid([]byte(ExactJSON(obj))))
			texts[i] += ExactJSON(m.RuledSchema())
			p, err := schema.FromValue(doc)
			require.NoError(t, err)
			if _, errs := schema.Compile(p); errs == nil {
				structural++
			}
		}
		require.Equal(t, texts[0], texts[1])
	}
	require.Greater(t, structural, 10, "a part of the schemas is structural")
}
