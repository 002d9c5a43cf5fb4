package catalog

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The table of built-in kinds can be decoded, and all kinds compile.
func TestKinds(t *testing.T) {
	kinds, err := kubernetesKinds()
	require.NoError(t, err)
	require.NotEmpty(t, kinds)
	for _, k := range kinds {
		require.NotNil(t, k.Version(), k.Names.Kind)
		require.NotNil(t, k.Version().Schema(), k.Names.Kind)
		require.NotNil(t, k.Tracked(), k.Names.Kind)
		require.NotNil(t, BuiltInTypes()[k.Type], k.Type)
	}
	own, err := serverKinds()
	require.NoError(t, err)
	for _, k := range own {
		require.NotNil(t, k.Version(), k.Names.Kind)
	}
}

func BenchmarkCompilePod(b *testing.B) {
	table := readBuiltInKinds()
	for b.Loop() {
		for i := range table.Kinds {
			if table.Kinds[i].Kind == "Pod" {
				d, err := table.Kinds[i].definition(table.Types, false)
				require.NoError(b, err)
				mustCompile(d, nil, nil)
			}
		}
	}
}
