//go:build !race

// The race detector makes a sync.Pool forget things.

package pattern

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Strings that are not ASCII cost no allocation either.
func TestNoAllocsBeyondASCII(t *testing.T) {
	p, err := Compile("^[^/]+/[^/]+$")
	require.NoError(t, err)
	match := func() {
		require.True(t, p.MatchString("é/a"))
		require.False(t, p.MatchString("é/a/世"))
	}
	match()
	require.Zero(t, testing.AllocsPerRun(10, match))
}
