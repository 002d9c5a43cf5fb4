package explain

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/schema"
)

var definition = given.Head("Namespaced", "widgets.example.org", "Widget") + `
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [name]
            x-kubernetes-validations: [{rule: self.name == oldSelf.name, message: stays}]
            properties:
              name: {type: string, maxLength: 63, description: The name.}
              parts: {type: array, items: {type: object, properties: {id: {type: integer, default: 3}}}}
              kept: {type: object, x-kubernetes-map-type: atomic, x-kubernetes-preserve-unknown-fields: true}
              tags: {type: array, x-kubernetes-list-type: set, minItems: 1, items: {type: string, pattern: "^a", format: byte}}
              ports: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [m, p], items: {type: object, properties: {
                m: {type: integer, minimum: 1, maximum: 9, exclusiveMaximum: true}, p: {type: string, not: {enum: [x]}, anyOf: [{minLength: 1}]}}}}
`

// Tests of cmd/crdkit cover texts: here is what a caller in Go sees.
func TestField(t *testing.T) {
	d := given.Definition(t, definition)
	i, err := Field(d, "", []string{"spec", "name"})
	require.NoError(t, err)
	require.Equal(t, "spec.name", i.Path)
	require.Equal(t, "string", i.Type)
	require.True(t, i.Required)
	require.Equal(t, "self.name == oldSelf.name", i.Immutable)
	require.Equal(t, []string{"maxLength: 63"}, i.Bounds)
	require.Len(t, i.Rules, 1)
	require.Positive(t, i.Rules[0].Share)

	i, err = Field(d, "v1", []string{"spec", "parts", "id"})
	require.NoError(t, err)
	require.JSONEq(t, "3", string(i.Default))

	for path, want := range map[string][]string{
		"kept":    {"map type: atomic", "unknown fields are kept"},
		"tags":    {"minItems: 1", "list type: set", "items: pattern: ^a", "items: format: byte"},
		"ports":   {"a list with the keys m, p"},
		"ports.m": {"minimum: 1", "less than: 9"},
		"ports.p": {"anyOf: 1 schemas", "not: a schema"},
	} {
		i, err = Field(d, "v1", strings.Split("spec."+path, "."))
		require.NoError(t, err)
		require.Equal(t, want, i.Bounds, path)
	}

	i, err = Field(d, "v1", nil)
	require.NoError(t, err)
	require.Empty(t, i.Path)
	require.Len(t, i.Fields, 1)

	_, err = Field(d, "v1", []string{"spec", "nam"})
	require.EqualError(t, err, `spec has no field nam, did you mean "name"?`)
	_, err = Field(d, "v2", nil)
	require.EqualError(t, err, "widgets.example.org has no version v2")
}

// A rule spells the name of a field as an identifier that is no keyword.
func TestEscapedNames(t *testing.T) {
	d := given.Definition(t, given.Kind("Namespaced", "widgets.example.org", "Widget", `{type: object, properties: {spec: {type: object,
		x-kubernetes-validations: [{rule: self.__namespace__ == oldSelf.__namespace__}, {rule: self.a__dash__b == oldSelf.a__dash__b}],
		properties: {namespace: {type: string}, a-b: {type: string}}}}}`))
	for name, rule := range map[string]string{"namespace": "self.__namespace__ == oldSelf.__namespace__", "a-b": "self.a__dash__b == oldSelf.a__dash__b"} {
		i, err := Field(d, "v1", []string{"spec", name})
		require.NoError(t, err)
		require.Len(t, i.Rules, 1)
		require.Equal(t, rule, i.Immutable)
	}
}

// Deep types, and many required fields, take linear time.
func TestHostile(t *testing.T) {
	wide := &schema.JSONSchemaProps{Properties: map[string]*schema.JSONSchemaProps{}}
	for i := range 300_000 {
		name := fmt.Sprintf("a-long-name-that-all-fields-begin-with-%06d", i)
		wide.Properties[name] = &schema.JSONSchemaProps{Type: "string"}
		wide.Required = append(wide.Required, name)
	}
	var i Info
	i.describe(wide)
	require.Len(t, i.Fields, 300_000)
	require.True(t, i.Fields[299_999].Required)

	deep := &schema.JSONSchemaProps{Type: "string"}
	for range 9_000 {
		deep = &schema.JSONSchemaProps{Type: "array", Items: &schema.SchemaOrArray{Schema: deep}}
	}
	require.Equal(t, strings.Repeat("[]", 9_000)+"string", typeText(deep))
}
