package crd

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func stored(list []string, versions ...Version) *CustomResourceDefinition {
	return &CustomResourceDefinition{Spec: Spec{Versions: versions}, Status: Status{StoredVersions: list}}
}

var (
	v1   = Version{Name: "v1"}
	inV1 = Version{Name: "v1", Storage: true}
	inV2 = Version{Name: "v2", Storage: true}
)

// PRE-001, PRE-002: the versions that a server adds to the list.
func TestStoredVersionsAfter(t *testing.T) {
	for _, row := range []struct {
		name string
		d    *CustomResourceDefinition
		old  *CustomResourceDefinition
		want []string
	}{
		{"created: the own status does not count", stored([]string{"v9"}, v1, inV2), nil, []string{"v2"}},
		{"created without a storage version", stored(nil, v1), nil, nil},
		{"the first storage version counts", stored(nil, inV1, inV2), nil, []string{"v1"}},
		{"updated: the storage version is already listed", stored(nil, inV2), stored([]string{"v1", "v2"}), []string{"v1", "v2"}},
		{"updated: a new storage version goes behind", stored([]string{"v9"}, inV2), stored([]string{"v1"}), []string{"v1", "v2"}},
		{"updated without a storage version", stored(nil, v1), stored([]string{"v1"}), []string{"v1"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			require.Equal(t, row.want, row.d.StoredVersionsAfter(row.old))
		})
	}
	t.Run("the old list is not written to", func(t *testing.T) {
		list := append(make([]string, 0, 4), "v1")
		require.Equal(t, []string{"v1", "v2"}, stored(nil, inV2).StoredVersionsAfter(stored(list)))
		require.Empty(t, list[:4][1])
	})
}
