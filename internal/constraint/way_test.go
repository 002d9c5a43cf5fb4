package constraint_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/constraint"
)

func TestWay(t *testing.T) {
	var root constraint.Way
	require.Empty(t, root.String())
	spec := root.To(constraint.Step{Name: "spec"})
	ports := spec.To(constraint.Step{Name: "ports"})
	require.Equal(t, "spec.ports[*].name", ports.To(constraint.Step{Item: true}).To(constraint.Step{Name: "name"}).String())
	require.Equal(t, "spec.labels[*]", spec.To(constraint.Step{Name: "labels"}).To(constraint.Step{Other: true}).String())
	require.Equal(t, "[*].a", root.To(constraint.Step{Item: true}).To(constraint.Step{Name: "a"}).String())
	require.Equal(t, "spec.ports", ports.String(), "steps to other places do not change it")
}
