package definition

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// APP-001: which groups are protected.
func TestProtected(t *testing.T) {
	for group, want := range map[string]bool{
		"k8s.io": true, "kubernetes.io": true, "a.k8s.io": true, "a.b.kubernetes.io": true, "storage.k8s.io": true,
		"k8s.io.example.com": false, "ak8s.io": false, "io": false, "": false,
	} {
		require.Equal(t, want, ProtectedGroup(group), group)
	}
}
