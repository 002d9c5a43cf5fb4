package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// The names are those of the types that this module has: go run ./cmd/builtins writes them.
func TestNames(t *testing.T) {
	t.Chdir("../..")
	written, err := os.ReadFile(namesFile)
	require.NoError(t, err)
	require.Equal(t, names(), string(written))
}
