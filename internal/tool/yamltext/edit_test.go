package yamltext

import (
	"testing"

	"github.com/crdkit/crdkit/field"
	"github.com/stretchr/testify/require"
)

func TestSetInteger(t *testing.T) {
	b := []field.Segment{{Key: "a"}, {Key: "b"}}
	for _, c := range []struct {
		name, before, want string
		index              int
		path               []field.Segment
	}{
		{"block", "a: # one\n  b:\n    c: d\n", "a: # one\n  b:\n    max: 7\n    c: d\n", 0, b},
		{"a value that is there", "a:\n  b: {c: d, max: 5} # two\n", "a:\n  b: {c: d, max: 7} # two\n", 0, b},
		{"flow", "a: {b: {c: d}}\n", "a: {b: {max: 7, c: d}}\n", 0, b},
		{"empty flow", "a: {b: {}}\n", "a: {b: {max: 7}}\n", 0, b},
		{"carriage returns", "a:\r\n  b:\r\n    c: d\r\n", "a:\r\n  b:\r\n    max: 7\r\n    c: d\r\n", 0, b},
		{"JSON", `{"a": {"b": {"c": 1}}}`, `{"a": {"b": {"max": 7, "c": 1}}}`, 0, b},
		{"JSON in lines", "{\"a\": {\"b\": {\n  \"c\": 1}}}", "{\"a\": {\"b\": {\n  \"max\": 7,\n  \"c\": 1}}}", 0, b},
		{"JSON with a value", `{"a": {"b": {"max": 12, "c": 1}}}`, `{"a": {"b": {"max": 7, "c": 1}}}`, 0, b},
		{"the second document", "x: y\n---\na:\n  b:\n    c: d\n", "x: y\n---\na:\n  b:\n    max: 7\n    c: d\n", 1, b},
		{"an item", "a:\n- c: é\n- d: e\n", "a:\n- c: é\n- max: 7\n  d: e\n", 0, []field.Segment{{Key: "a"}, {IsIndex: true, Index: 1}}},
		{"a byte order mark", "\ufeffa: {b: {c: d}}\n", "\ufeffa: {b: {max: 7, c: d}}\n", 0, b},
	} {
		out, err := SetInteger([]byte(c.before), c.index, c.path, "max", 7)
		require.NoError(t, err, c.name)
		require.Equal(t, c.want, string(out), c.name)
	}
	for name, text := range map[string]string{
		"no such map":          "a: {c: d}\n",
		"no map":               "a: {b: 1}\n",
		"an alias":             "x: &x\n  c: d\na:\n  b: *x\n",
		"a quoted value":       "a:\n  b:\n    max: \"5\"\n",
		"what cannot be read":  "a: [\n",
		"no document":          "# nothing\n",
		"a list on the way":    "a: [1]\n",
		"an anchor of the map": "a:\n  b: &x\n    c: d\ne: *x\n",
	} {
		_, err := SetInteger([]byte(text), 0, b, "max", 7)
		require.Error(t, err, name)
	}
	_, err := SetInteger([]byte("a: b\n"), -1, nil, "max", 7)
	require.Error(t, err)
}

func TestOffset(t *testing.T) {
	text := "\ufeffé: 1\nb: ü2\n"
	require.Equal(t, 3, offset([]byte(text), Position{Line: 1, Column: 1}))
	require.Equal(t, 5, offset([]byte(text), Position{Line: 1, Column: 2}))
	require.Equal(t, "2\n", text[offset([]byte(text), Position{Line: 2, Column: 5}):])
	require.Equal(t, len(text), offset([]byte(text), Position{Line: 9, Column: 1}))
}
