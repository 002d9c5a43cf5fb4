package crdtest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/given"
)

func TestMissingKind(t *testing.T) {
	one := given.Kind("Cluster", "as.example.com", "A", "{type: object}")
	other := given.Kind("Cluster", "bs.example.com", "B", "{type: object}")
	d, err := Parse(t, one).find("", "")
	require.NoError(t, err)
	require.Equal(t, "A", d.Spec.Names.Kind)
	_, err = Parse(t, one+"---\n"+other).find("", "")
	require.EqualError(t, err, "the kind is missing, and there are several: A, B")
}
