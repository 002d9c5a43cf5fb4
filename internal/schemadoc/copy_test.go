package schemadoc_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/schemadoc"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/schema"
)

// everywhere has a schema of the type string under each keyword, and one of another type beside those in lists and
// maps.
const everywhere = `{items: {type: string}, allOf: [{type: string}, {type: number}], anyOf: [{type: number}, {type: string}], oneOf: [{type: string}],
	not: {type: string}, properties: {a: {type: string}, b: {type: number}}, patternProperties: {a: {type: string}},
	additionalProperties: {type: string}, additionalItems: {type: string}, definitions: {a: {type: string}},
	dependencies: {a: {type: string}, b: [c]}}`

func TestChildren(t *testing.T) {
	for _, text := range []string{everywhere, "{items: [{type: string}, {type: number}, {type: string}]}", "{type: object}"} {
		p, changes := given.Schema(t, text), 0
		same := schemadoc.MapChildren(p, func(_ schema.Location, q *schema.JSONSchemaProps) *schema.JSONSchemaProps { return q })
		require.Same(t, p, same)
		changed := schemadoc.MapChildren(p, func(_ schema.Location, q *schema.JSONSchemaProps) *schema.JSONSchemaProps {
			if q.Type != "string" {
				return q
			}
			changes++
			return &schema.JSONSchemaProps{Title: "changed"}
		})
		require.Equal(t, given.Schema(t, text), p, "it is not modified")
		for loc, q := range changed.Children() {
			require.NotEqual(t, "string", q.Type, "%s", loc.Path(nil))
			if q.Type == "" {
				require.Equal(t, "changed", q.Title)
				changes--
			}
		}
		require.Zero(t, changes, text)
		require.Equal(t, p.Dependencies["b"], changed.Dependencies["b"])
	}
}

func TestChildrenWithoutSchemas(t *testing.T) {
	p := &schema.JSONSchemaProps{AllOf: []*schema.JSONSchemaProps{nil}}
	require.Same(t, p, schemadoc.MapChildren(p, func(schema.Location, *schema.JSONSchemaProps) *schema.JSONSchemaProps { panic("nil has no copy") }))
}
