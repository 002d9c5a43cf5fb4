package catalog

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/resource"
)

func TestTemplate(t *testing.T) {
	require.NoError(t, Template("a/{group}/{kind}_{version}.json").Check())
	for _, wrong := range []string{"a", "{{.Group}}/{{.ResourceKind}}.json", "https://example.org/{kind}.json", ""} {
		require.Error(t, Template(wrong).Check(), wrong)
	}
	file := Template("a/{group}/{kind}_{version}.json").File
	require.Equal(t, "a/example.org/tap_v1.json", file("example.org", "v1", "Tap"))
	for _, wrong := range [][3]string{
		{"..", "v1", "Tap"}, {"example..org", "v1", "Tap"}, {"a/b", "v1", "Tap"}, {"example.org", "../v1", "Tap"},
		{"example.org", "v1", "/etc/passwd"}, {"example.org", "v1", ""}, {"example.org", "v1", "a\x00"}, {"{kind}", "v1", "Tap"},
	} {
		require.Empty(t, file(wrong[0], wrong[1], wrong[2]), wrong)
	}
}

// schemaOf returns the schema of spec in the definition of a JSON Schema in which spec has the given one, and the
// keywords that are not checked.
func schemaOf(t *testing.T, spec string) (string, []string) {
	t.Helper()
	d, unchecked, err := Definition([]byte(`{"type":"object","properties":{"metadata":{"type":"object","properties":{"x":{}}},"spec":`+spec+`}}`),
		"example.org", "v1", "Tap")
	require.NoError(t, err)
	_, err = resource.Compile(d)
	require.NoError(t, err)
	s, err := d.Lookup().Schema("v1")
	require.NoError(t, err)
	out, err := json.Marshal(s.Properties["spec"])
	require.NoError(t, err)
	return string(out), unchecked
}

func TestDefinition(t *testing.T) {
	for _, c := range []struct {
		schema, want string
		unchecked    []string
	}{
		{`{"type":"string","maxLength":3}`, `{"type":"string","maxLength":3}`, nil},
		{`{"type":["null","string"]}`, `{"type":"string","nullable":true}`, nil},
		{`{"type":["null","string"],"enum":["a",null]}`, `{"type":"string","nullable":true}`, []string{"enum with null"}},
		{`{"type":["string","integer"]}`, `{"x-kubernetes-int-or-string":true}`, nil},
		{`{"oneOf":[{"type":"integer"},{"type":"string"}]}`, `{"x-kubernetes-int-or-string":true}`, nil},
		{`{"type":["string","object"]}`, `{"x-kubernetes-preserve-unknown-fields":true}`, []string{"type"}},
		{`true`, `{"x-kubernetes-preserve-unknown-fields":true}`, nil},
		{`{}`, `{"x-kubernetes-preserve-unknown-fields":true}`, nil},
		{`{"$ref":"#/definitions/a"}`, `{"x-kubernetes-preserve-unknown-fields":true}`, []string{"$ref"}},
		{`{"type":"object"}`, `{"type":"object","x-kubernetes-preserve-unknown-fields":true}`, nil},
		{`{"type":"object","additionalProperties":false}`, `{"type":"object"}`, nil},
		{`{"type":"object","additionalProperties":{"type":"string"}}`, `{"type":"object","additionalProperties":{"type":"string"}}`, nil},
		{`{"type":"object","properties":{"a":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"type":"string"}},"x-kubernetes-preserve-unknown-fields":true}`, nil},
		{`{"properties":{"a":{"type":"string"}},"additionalProperties":false}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, nil},
		{`{"type":"array"}`, `{"type":"array","items":{"x-kubernetes-preserve-unknown-fields":true}}`, nil},
		{`{"items":{"type":"string"}}`, `{"type":"array","items":{"type":"string"}}`, nil},
		{`{"type":"integer","exclusiveMinimum":0}`, `{"type":"integer","minimum":0,"exclusiveMinimum":true}`, nil},
		{`{"type":"integer","minimum":0,"exclusiveMinimum":true}`, `{"type":"integer","minimum":0,"exclusiveMinimum":true}`, nil},
		{`{"type":"string","const":"a"}`, `{"type":"string","enum":["a"]}`, nil},
		{`{"type":"string","if":{},"then":{}}`, `{"type":"string"}`, []string{"if", "then"}},
		{`{"type":"string","anyOf":[{"maxLength":3},{"pattern":"^a"}]}`, `{"type":"string","anyOf":[{"maxLength":3},{"pattern":"^a"}]}`, nil},
		{`{"type":"string","oneOf":[{"maxLength":3},{"format":"date"}]}`, `{"type":"string"}`, []string{"oneOf"}},
		{`{"type":"object","additionalProperties":false,"properties":{"a":{"type":"string"}},"not":{"properties":{"a":{"enum":["x"]}}}}`,
			`{"type":"object","properties":{"a":{"type":"string"}},"not":{"properties":{"a":{"enum":["x"]}}}}`, nil},
		{`{"type":"object","additionalProperties":false,"properties":{"a":{"type":"string"}},"not":{"required":["b"],"properties":{"b":{"enum":["x"]}}}}`,
			`{"type":"object","properties":{"a":{"type":"string"}}}`, []string{"not"}},
	} {
		got, unchecked := schemaOf(t, c.schema)
		require.JSONEq(t, c.want, got, c.schema)
		require.Equal(t, c.unchecked, unchecked, c.schema)
	}
}

func TestDefinitionNone(t *testing.T) {
	for _, other := range []string{`{"apiVersion":"v1","kind":"Pod"}`, `{"a":1}`, `{}`} {
		d, _, err := Definition([]byte(other), "example.org", "v1", "Tap")
		require.NoError(t, err)
		require.Nil(t, d, other)
	}
	for _, wrong := range []string{`[]`, `{"type":`, strings.Repeat(`{"type":"object","properties":{"a":`, 5_000) + "{}" + strings.Repeat("}}", 5_000)} {
		_, _, err := Definition([]byte(wrong), "example.org", "v1", "Tap")
		require.Error(t, err)
	}
}

func FuzzDefinition(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"oneOf":[{"type":"string"},{"type":"integer"}],"not":{"enum":[1]}}}}`)
	f.Add(`{"$schema":"x","items":[1],"type":["null",1],"allOf":[true],"properties":{"a":false},"additionalProperties":{"x":1}}`)
	f.Add(`{"properties":{"apiVersion":1,"metadata":null},"type":"object","default":1,"exclusiveMaximum":"x"}`)
	f.Fuzz(func(t *testing.T, text string) {
		d, _, err := Definition([]byte(text), "example.org", "v1", "Tap")
		if err == nil && d != nil {
			_, _ = resource.Compile(d)
		}
	})
}
