package constraint_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/internal/tool/constraint"
)

func TestSchemaPath(t *testing.T) {
	var root constraint.Steps
	require.Empty(t, root.String())
	spec := root.To(constraint.Step{Name: "spec"})
	ports := spec.To(constraint.Step{Name: "ports"})
	require.Equal(t, "spec.ports[*].name", ports.To(constraint.Step{Item: true}).To(constraint.Step{Name: "name"}).String())
	require.Equal(t, "spec.labels[*]", spec.To(constraint.Step{Name: "labels"}).To(constraint.Step{Other: true}).String())
	require.Equal(t, "[*].a", root.To(constraint.Step{Item: true}).To(constraint.Step{Name: "a"}).String())
	require.Equal(t, "spec.ports", ports.String(), "steps to other places do not change it")
}

// A schema path and a path in an object lead to the same node.
func TestNodeAt(t *testing.T) {
	root := plan.Root(given.Structural(t, `{type: object, properties: {
		list: {type: array, items: {type: object, properties: {a: {type: string}}}},
		map: {type: object, additionalProperties: {type: integer}},
		any: {type: object, x-kubernetes-preserve-unknown-fields: true}}}`))
	var schemaPath constraint.Steps
	for _, c := range []struct {
		path       *field.Path
		schemaPath constraint.Steps
		typ        string // of the node; empty if there is none
	}{
		{nil, schemaPath, "object"},
		{field.NewPath("list"), schemaPath.To(constraint.Step{Name: "list"}), "array"},
		{field.NewPath("list").Index(3), schemaPath.To(constraint.Step{Name: "list"}).To(constraint.Step{Item: true}), "object"},
		{field.NewPath("list").Index(3).Child("a"), schemaPath.To(constraint.Step{Name: "list"}).To(constraint.Step{Item: true}).To(constraint.Step{Name: "a"}), "string"},
		{field.NewPath("map").Key("x"), schemaPath.To(constraint.Step{Name: "map"}).To(constraint.Step{Other: true}), "integer"},
		{field.NewPath("any", "x"), schemaPath.To(constraint.Step{Name: "any"}).To(constraint.Step{Name: "x"}), ""},
		{field.NewPath("any", "x", "y"), schemaPath.To(constraint.Step{Name: "any"}).To(constraint.Step{Name: "x"}).To(constraint.Step{Name: "y"}), ""},
		{field.NewPath("list").Child("a"), schemaPath.To(constraint.Step{Name: "list"}).To(constraint.Step{Name: "a"}), ""},
		{field.NewPath("map").Index(0), schemaPath.To(constraint.Step{Name: "map"}).To(constraint.Step{Item: true}), ""},
	} {
		n := constraint.NodeAt(root, c.path.Segments())
		require.Same(t, n, c.schemaPath.Node(root), "%s and %s", c.path, c.schemaPath)
		if c.typ == "" {
			require.Nil(t, n, "%s", c.path)
			continue
		}
		require.Equal(t, c.typ, n.Type, "%s", c.path)
	}
	require.Nil(t, constraint.NodeAt(nil, field.NewPath("a").Segments()))
}
