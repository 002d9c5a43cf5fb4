package compat

import (
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/keyword"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/schema"
)

// specNode returns the node of a schema for spec.
func specNode(t *testing.T, schema string) *plan.Node {
	t.Helper()
	p := newPair(t, schema, schema)
	return constraint.Steps{property("spec")}.Node(p.old.root)
}

// ignoredKeywords are those that sameKeywords does not compare: what no structural schema has, what describes a schema,
// the schemas below it, and rules.
var ignoredKeywords = []string{"id", "$schema", "$ref", "patternProperties", "dependencies", "additionalItems", "definitions",
	"description", "title", "example", "externalDocs", "items", "properties", "x-kubernetes-validations"}

// Schemas that differ in one keyword do not have the same keywords.
func TestSameKeywords(t *testing.T) {
	keywords, compared := keyword.Of[schema.JSONSchemaProps]().Names, slices.Clone(ignoredKeywords)
	for _, c := range [][2]string{
		{"{type: string}", "{type: integer}"},
		{"{type: string}", "{type: string, nullable: true}"},
		{"{type: string, minLength: 1}", "{type: string, minLength: 2}"},
		{"{type: string, maxLength: 1}", "{type: string, maxLength: 2}"},
		{"{type: string}", "{type: string, maxLength: 2}"},
		{"{type: string, pattern: a}", "{type: string, pattern: b}"},
		{"{type: string, format: date}", "{type: string, format: duration}"},
		{"{type: integer}", "{x-kubernetes-int-or-string: true}"},
		{"{type: string, enum: [a]}", "{type: string, enum: [b]}"},
		{"{type: string, enum: [a]}", "{type: string}"},
		{"{type: string, default: a}", "{type: string, default: b}"},
		{"{type: integer, minimum: 1}", "{type: integer, minimum: 2}"},
		{"{type: integer, minimum: 1}", "{type: integer, minimum: 1, exclusiveMinimum: true}"},
		{"{type: integer, maximum: 1}", "{type: integer, maximum: 2}"},
		{"{type: integer, maximum: 1}", "{type: integer, maximum: 1, exclusiveMaximum: true}"},
		{"{type: integer, multipleOf: 1}", "{type: integer, multipleOf: 2}"},
		{"{type: integer, multipleOf: 1}", "{type: integer, maximum: 1}"},
		{"{type: integer, format: int32, minimum: 1}", "{type: integer, format: int64, minimum: 1}"},
		{"{type: array, minItems: 1, items: {type: string}}", "{type: array, minItems: 2, items: {type: string}}"},
		{"{type: array, maxItems: 1, items: {type: string}}", "{type: array, maxItems: 2, items: {type: string}}"},
		{"{type: array, items: {type: string}}", "{type: array, x-kubernetes-list-type: set, items: {type: string}}"},
		{"{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a], items: {type: object, required: [a, b], properties: {a: {type: string}, b: {type: string}}}}",
			"{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [b], items: {type: object, required: [a, b], properties: {a: {type: string}, b: {type: string}}}}"},
		{"{type: array, items: {type: string}}", "{type: array, uniqueItems: true, items: {type: string}}"},
		{"{type: object}", "{type: object, additionalProperties: true}"},
		{"{type: object, minProperties: 1}", "{type: object, minProperties: 2}"},
		{"{type: object, maxProperties: 1}", "{type: object, maxProperties: 2}"},
		{"{type: object, required: [a], properties: {a: {type: string}}}", "{type: object, properties: {a: {type: string}}}"},
		{"{type: object, required: [a], properties: {a: {type: string}}}", "{type: object, required: [a], properties: {a: {type: string, default: x}}}"},
		{"{type: object}", "{type: object, x-kubernetes-map-type: atomic}"},
		{"{type: object}", "{type: object, x-kubernetes-preserve-unknown-fields: true}"},
		{"{type: object}", "{type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}"},
		{"{type: string, allOf: [{maxLength: 1}]}", "{type: string}"},
		{"{type: string, allOf: [{maxLength: 1}]}", "{type: string, allOf: [{maxLength: 2}]}"},
		{"{type: string, anyOf: [{maxLength: 1}]}", "{type: string, anyOf: [{maxLength: 2}]}"},
		{"{type: string, oneOf: [{maxLength: 1}]}", "{type: string, oneOf: [{maxLength: 2}]}"},
		{"{type: string, not: {maxLength: 1}}", "{type: string, not: {maxLength: 2}}"},
		{"{type: string, not: {maxLength: 1}}", "{type: string, allOf: [{maxLength: 1}]}"},
		{"{type: array, items: {type: string}, not: {items: {maxLength: 1}}}", "{type: array, items: {type: string}, not: {items: {maxLength: 2}}}"},
		{"{type: object, properties: {a: {type: string}}, not: {properties: {a: {maxLength: 1}}}}",
			"{type: object, properties: {a: {type: string}}, not: {properties: {a: {maxLength: 2}}}}"},
		{"{type: object, properties: {a: {type: string}, b: {type: string}}, not: {properties: {a: {maxLength: 1}}}}",
			"{type: object, properties: {a: {type: string}, b: {type: string}}, not: {properties: {b: {maxLength: 1}}}}"},
	} {
		a, b := specNode(t, c[0]), specNode(t, c[1])
		require.False(t, sameKeywords(a, b), "%s and %s", c[0], c[1])
		require.False(t, sameKeywords(b, a), "%s and %s", c[1], c[0])
		require.True(t, sameKeywords(a, specNode(t, c[0])), c[0])
		require.True(t, sameKeywords(b, specNode(t, c[1])), c[1])
		p, q := reflect.ValueOf(given.Schema(t, c[0])).Elem(), reflect.ValueOf(given.Schema(t, c[1])).Elem()
		for i, name := range keywords {
			if !reflect.DeepEqual(p.Field(i).Interface(), q.Field(i).Interface()) {
				compared = append(compared, name)
			}
		}
	}
	require.Subset(t, compared, keywords, "every other keyword is in a row")
	for _, c := range [][2]string{
		{"{type: string, description: a}", "{type: string}"},
		{"{type: integer, x-kubernetes-validations: [{rule: self > 1}]}", "{type: integer}"},
		{"{type: object, properties: {a: {type: string}}}", "{type: object, properties: {a: {type: string, maxLength: 1}}}"},
		{"{type: array, items: {type: string}}", "{type: array, items: {type: string, maxLength: 1}}"},
	} {
		require.True(t, sameKeywords(specNode(t, c[0]), specNode(t, c[1])), "%s and %s", c[0], c[1])
	}
}

func TestSameFields(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"{type: object, properties: {a: {type: string}}}", "{type: object, properties: {a: {type: integer, minimum: 1}}}", true},
		{"{type: object, properties: {a: {type: string}}}", "{type: object, properties: {b: {type: string}}}", false},
		{"{type: object, properties: {a: {type: string}}}", "{type: object, properties: {a: {type: string}, b: {type: string}}}", false},
		{"{type: object, properties: {a: {type: string}}}", "{type: object, properties: {a: {type: string, nullable: true}}}", false},
		{"{type: object, properties: {a: {type: string}}}", "{type: object, properties: {a: {type: string, default: x}}}", false},
		{"{type: object, properties: {a: {type: string, nullable: true}}}", "{type: object, properties: {a: {type: string, nullable: true, default: x}}}", false},
		{"{type: object, additionalProperties: {type: string}}", "{type: object, additionalProperties: {type: integer}}", true},
		{"{type: object, additionalProperties: {type: string}}", "{type: object, additionalProperties: {type: string, nullable: true}}", false},
		{"{type: object, additionalProperties: {type: string}}", "{type: object}", false},
	} {
		a, b := specNode(t, c.a), specNode(t, c.b)
		require.Equal(t, c.want, sameFields(a, b), "%s and %s", c.a, c.b)
		require.Equal(t, c.want, sameFields(b, a), "%s and %s", c.b, c.a)
	}
	for schema, want := range map[string]bool{
		"{type: object}": false, "{type: object, properties: {a: {type: string}}}": false, "{type: object, required: [a], properties: {a: {type: string}}}": true,
		"{type: object, minProperties: 1}": true, "{type: object, maxProperties: 9}": true, "{type: object, not: {minProperties: 3}}": true,
	} {
		require.Equal(t, want, constrainsPresence(specNode(t, schema)), schema)
	}
}
