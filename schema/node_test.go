package schema_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/schema"
)

func TestNode(t *testing.T) {
	s := given.Loose(t, `
type: object
required: [b, a]
properties:
  b: {type: string, format: date, nullable: true, maxLength: 5, enum: [x, {w: 1.0}], default: {z: [1.0]}}
  a: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k, l], items: {type: integer, format: nonsense}}
  c: {x-kubernetes-int-or-string: true, type: object}
  d: {type: object, x-kubernetes-map-type: atomic, x-kubernetes-preserve-unknown-fields: true, additionalProperties: {type: boolean}}
  e: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-validations: [{rule: "true", message: m}, {rule: self == self}]}
`)
	root := s.Root()
	require.False(t, root.IsZero())
	require.Equal(t, "object", root.Type())
	require.Equal(t, []string{"b", "a"}, root.Required(), "in the schema's order")
	require.True(t, root.IsResource())
	var names []string
	for name, n := range root.Properties() {
		require.Equal(t, root.Property(name), n)
		names = append(names, name)
	}
	require.Equal(t, []string{"a", "b", "c", "d", "e"}, names)
	for range root.Properties() {
		break
	}

	a, b, c, d, e := root.Property("a"), root.Property("b"), root.Property("c"), root.Property("d"), root.Property("e")
	require.Equal(t, "date", b.Format())
	require.True(t, b.Nullable())
	require.Equal(t, []any{"x", map[string]any{"w": int64(1)}}, b.Enum(), "DEF-009")
	require.Equal(t, map[string]any{"z": []any{int64(1)}}, b.Default(), "DEF-009")

	require.Equal(t, "map", a.ListType())
	require.Equal(t, []string{"k", "l"}, a.ListMapKeys())
	require.Equal(t, "integer", a.Items().Type())
	require.Empty(t, a.Items().Format(), "FMT-001: it is not checked")
	require.Nil(t, a.Enum())
	require.Nil(t, a.Rules())
	require.False(t, a.IsResource() || a.Nullable() || a.IntOrString() || a.PreserveUnknownFields())

	require.True(t, c.IntOrString())
	require.Equal(t, "atomic", d.MapType())
	require.True(t, d.PreserveUnknownFields())
	require.Equal(t, "boolean", d.AdditionalProperties().Type())
	require.True(t, e.IsResource())
	require.Equal(t, []schema.ValidationRule{{Rule: "true", Message: "m"}, {Rule: "self == self"}}, e.Rules())

	// What is written to a result does not reach the schema.
	b.Default().(map[string]any)["z"] = nil
	b.Enum()[0], e.Rules()[0].Rule, root.Required()[0], a.ListMapKeys()[0] = nil, "", "", ""
	require.Equal(t, map[string]any{"z": []any{int64(1)}}, b.Default())
	require.Equal(t, "x", b.Enum()[0])
	require.Equal(t, "true", e.Rules()[0].Rule)
	require.Equal(t, "b", root.Required()[0])
	require.Equal(t, "k", a.ListMapKeys()[0])
}

func TestListTypes(t *testing.T) {
	for _, typ := range []string{"", "atomic", "set", "map"} {
		p := &schema.JSONSchemaProps{Type: "array", XListType: &typ}
		s, err := schema.CompileLoose(p)
		require.NoError(t, err)
		require.Equal(t, typ, s.Root().ListType())
	}
}

// The zero Node has nothing, and a way may lead through it.
func TestZeroNode(t *testing.T) {
	for _, n := range []schema.Node{{}, (*schema.Structural)(nil).Root(), new(schema.Structural).Root(), given.Loose(t, "{}").Root().Property("a")} {
		require.True(t, n.IsZero())
		require.Equal(t, n, n.Property("a").Items().AdditionalProperties())
		child, declared := n.Child("a")
		require.Zero(t, child)
		require.False(t, declared)
		require.Empty(t, slices.Collect(func(yield func(string) bool) {
			for name := range n.Properties() {
				yield(name)
			}
		}))
		require.Empty(t, n.Type()+n.Format()+n.ListType()+n.MapType())
		require.Nil(t, n.Default())
		require.Nil(t, n.Enum())
		require.Nil(t, n.Required())
		require.False(t, n.IsResource() || n.Nullable())
	}
}

// The other packages get at the tree.
func TestHandles(t *testing.T) {
	s := given.Loose(t, "{properties: {a: {type: string}}}")
	a := s.Root().Property("a")
	require.Same(t, plan.Root(s).Prop("a").Node, plan.Of(a))
	require.Equal(t, a, plan.View[schema.Node](plan.Of(a)))
	require.Nil(t, plan.Root(new(schema.Structural)))
	require.Nil(t, plan.Of(schema.Node{}))
}
