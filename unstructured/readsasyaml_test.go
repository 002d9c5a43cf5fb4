package unstructured_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/unstructured"
)

var jsonBodies = []struct {
	text string
	same bool // they are known to read the same
}{
	{`{}`, true},
	{`{"a":1,"b":[true,null,-2],"c":{"d":"e f"}}`, true},
	{"{\n  \"a\": 1,\n  \"b\": [\n    2\n  ]\n}\n", true},
	{`{"a":"\"\\\n\r\t\u0026\u003C"}`, true},
	{`{"a":"x: y # z, [&*!|>%@"}`, true},
	{`{"<<":{"a":1}}`, true},
	{`{"1":1,"true":2,"null":3}`, true},
	{`{"a":9999999999999999999}`, false},
	{`{"a":999999999999999999}`, true},
	{`{"a":1.0}`, false},
	{`{"a":1e3}`, false},
	{`{"a":-0}`, false},
	{`{"a":"é"}`, false},
	{`{"a":"\u007f"}`, false},
	{`{"a":"\ud800"}`, false},
	{`{"a":"\/"}`, false},
	{"{\"a\":\t1}", false},
	{"{\"a\" :1}", false},
	{`{"` + strings.Repeat("k", 1100) + `":1}`, false},
	{`{"a":"` + strings.Repeat("k", 1100) + `"}`, true},
	{`[]`, false},
	{``, false},
}

// A JSON body that is read as JSON instead of YAML is the same object.
func TestReadsAsYAML(t *testing.T) {
	for _, c := range jsonBodies {
		require.Equal(t, c.same, jsonscan.ReadsAsYAML([]byte(c.text)), c.text)
		readsAsYAML(t, []byte(c.text))
	}
}

func FuzzReadsAsYAML(f *testing.F) {
	for _, c := range jsonBodies {
		f.Add([]byte(c.text))
	}
	f.Fuzz(readsAsYAML)
}

func readsAsYAML(t *testing.T, text []byte) {
	if !jsonscan.ReadsAsYAML(text) {
		return
	}
	asJSON, findings, err := unstructured.DecodeJSONStrict(text)
	if err != nil || len(findings) > 0 {
		return
	}
	converted, findings, err := unstructured.YAMLToJSONStrict(text)
	require.NoError(t, err)
	require.Empty(t, findings)
	asYAML, err := unstructured.DecodeJSON(converted)
	require.NoError(t, err)
	require.Equal(t, asYAML, asJSON)
}
