package crdcheck_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/schema"
)

// LIB-001: whatever is made in Go, there are errors and no panics.
func TestMadeInGo(t *testing.T) {
	require.NotEmpty(t, crdcheck.Validate(nil))
	require.NotEmpty(t, crdcheck.ValidateUpdate(nil, nil))
	require.Nil(t, crdcheck.Warnings(nil, nil))
	require.NotEmpty(t, crdcheck.Validate(&crd.CustomResourceDefinition{}))
	require.NotEmpty(t, crdcheck.ValidateUpdate(&crd.CustomResourceDefinition{}, nil))

	list := "map"
	for name, p := range map[string]*schema.JSONSchemaProps{
		"nil properties":    {Type: "object", Properties: map[string]*schema.JSONSchemaProps{"a": nil}},
		"nil branches":      {Type: "object", AllOf: []*schema.JSONSchemaProps{nil}, Default: map[string]any{}},
		"nil definitions":   {Type: "object", Definitions: map[string]*schema.JSONSchemaProps{"a": nil}},
		"nil list of items": {Type: "array", Items: &schema.SchemaOrArray{Schemas: []*schema.JSONSchemaProps{nil}}},
		"nil key of a list": {Type: "array", XListType: &list, XListMapKeys: []string{"k"}, Items: &schema.SchemaOrArray{
			Schema: &schema.JSONSchemaProps{Type: "object", Properties: map[string]*schema.JSONSchemaProps{"k": nil}},
		}},
		"a default of a foreign type": {Type: "object", Properties: map[string]*schema.JSONSchemaProps{"a": {Type: "string", Default: make(chan int)}}},
		"an enum of a foreign type":   {Type: "object", MaxProperties: new(int64), Enum: []any{func() {}}},
	} {
		t.Run(name, func(t *testing.T) {
			d := given.Definition(t, change{version: `{subresources: {status: {}}}`}.document(t))
			d.Spec.Versions[0].Schema.OpenAPIV3Schema = p
			require.NotEmpty(t, given.Texts(crdcheck.Validate(d)))
			require.NotPanics(t, func() {
				crdcheck.ValidateUpdate(d, d)
				crdcheck.Warnings(d, d)
			})
		})
	}

	// A schema that contains itself is too deep, in whatever it does so.
	p := &schema.JSONSchemaProps{Type: "object"}
	p.Properties = map[string]*schema.JSONSchemaProps{"a": p}
	q := &schema.JSONSchemaProps{Type: "object"}
	q.PatternProperties = map[string]*schema.JSONSchemaProps{"a": q}
	for _, p := range []*schema.JSONSchemaProps{p, q} {
		d, fine := given.Definition(t, lamp), given.Definition(t, lamp)
		d.Spec.Versions = append(d.Spec.Versions, crd.Version{Name: "v2", Schema: &crd.Validation{OpenAPIV3Schema: p}})
		want := []string{`spec.versions[1].schema.openAPIV3Schema: Invalid value: "": must not be nested deeper than 10000 levels`}
		require.Equal(t, want, given.Texts(crdcheck.Validate(d)))
		require.Equal(t, want, given.Texts(crdcheck.ValidateUpdate(d, fine)))
		require.Equal(t, want, given.Texts(crdcheck.ValidateUpdate(fine, d)))
		require.Nil(t, crdcheck.Warnings(d, fine))
	}
}

// A document may be as deep as it can be parsed.
func TestDeepSchema(t *testing.T) {
	const depth = 4900
	doc := strings.Replace(lamp, "{type: object}", `{"type": "object", "properties": {"a": SCHEMA}}`, 1)
	data, err := yaml.YAMLToJSON([]byte(strings.Replace(doc, "SCHEMA", `{"type": "string"}`, 1)))
	require.NoError(t, err)
	deep := strings.Repeat(`{"type":"array","items":`, depth) + `{"type":"string"}` + strings.Repeat("}", depth)
	data = []byte(strings.Replace(string(data), `{"type":"string"}`, deep, 1))
	d := given.Definition(t, data)
	require.Empty(t, crdcheck.Validate(d))
	require.Empty(t, crdcheck.ValidateUpdate(d, d))
}

// EMD-007, LIB-001: nothing is modified, and the same definition gives the same errors in the same order.
func TestPure(t *testing.T) {
	for _, doc := range []string{lamp, strings.Replace(lamp, "{type: object}", `{type: array, $ref: x, properties: {b: {id: x}, a: {id: x}, c: {}}}`, 1)} {
		d := given.Definition(t, doc)
		before := given.JSON(t, d)
		first := given.Texts(crdcheck.Validate(d))
		for range 10 {
			require.Equal(t, first, given.Texts(crdcheck.Validate(d)))
		}
		crdcheck.ValidateUpdate(d, d)
		require.Equal(t, string(before), string(given.JSON(t, d)))
	}
}
