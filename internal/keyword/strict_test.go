package keyword_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/keyword"
	"github.com/crdkit/crdkit/internal/test/given"
)

type document struct {
	Kind   keyword.Opaque     `json:"kind"`
	Schema keyword.SchemaKeys `json:"schema"`
}

// CDC-003, CDC-004.
func TestFindings(t *testing.T) {
	for _, row := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", `{"kind": {"any": 1}, "schema": {"type": 5, "properties": {"a": {"not": {"$ref": ""}}}, "externalDocs": {"url": 1}}}`, nil},
		{"unknown fields, in their order", `{"schema": {"properties": {"a": {"readOnly": true}}, "allOf": [{"x": 1}]}, "Kind": 1}`,
			[]string{`unknown field "schema.properties.a.readOnly"`, `unknown field "schema.allOf[0].x"`, `unknown field "Kind"`}},
		{"duplicate fields", `{"kind": 1, "kind": 2, "schema": {"type": "a", "type": "b"}}`,
			[]string{`duplicate field "kind"`, `duplicate field "schema.type"`}},
		{"YAML, sorted", "schema: {z: 1, a: 1}\nb: 1\n", []string{`unknown field "b"`, `unknown field "schema.a"`, `unknown field "schema.z"`}},
		{"YAML tells of repeated keys first", "z: 1\nkind: a\nkind: b\n", []string{"yaml: unmarshal errors:\n  line 3: key \"kind\" already set in map", `unknown field "z"`}},
		{"nobody looks into items", `{"schema": {"items": {"x": 1}, "additionalProperties": {"x": 1}, "default": {"x": 1, "x": 2}}}`, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			findings, err := keyword.Findings([]byte(row.text), new(document))
			require.NoError(t, err)
			require.Equal(t, row.want, findings)
		})
	}
	t.Run("a hundred at most", func(t *testing.T) {
		keys := map[string]int{}
		for i := range 200 {
			keys[fmt.Sprint("k", i)] = i
		}
		findings, err := keyword.Findings(given.JSON(t, keys), new(document))
		require.NoError(t, err)
		require.Len(t, findings, 100)
	})
	for name, text := range map[string]string{"no text": "", "a list": "[]", "no YAML": "{a", "a text where a schema has to be": `{"schema": "x"}`} {
		t.Run(name, func(t *testing.T) {
			findings, err := keyword.Findings([]byte(text), new(document))
			require.Error(t, err)
			require.Nil(t, findings)
		})
	}
}

// Findings about names that are nested too deep would be too long, so there is one about all of them.
func TestLongPaths(t *testing.T) {
	const levels = 4000
	name := strings.Repeat("n", 1000)
	text := strings.Repeat(`{"`+name+`":`, levels) + "1" + strings.Repeat("}", levels)
	var into map[string]any
	findings, err := keyword.UnmarshalStrict([]byte(text), &into)
	require.NoError(t, err)
	require.Equal(t, []string{jsonscan.LongPathsFinding}, findings)
}

func ExampleFindings() {
	findings, err := keyword.Findings([]byte(`{"type": "object", "colour": "red"}`), new(keyword.SchemaKeys))
	fmt.Println(findings, err)
	// Output: [unknown field "colour"] <nil>
}
