package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// Others may enter the directory that is made.
func TestOpenRoot(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a directory has no such permissions")
	}
	dir := filepath.Join(t.TempDir(), "new")
	root, err := openRoot(dir)
	require.NoError(t, err)
	defer root.Close()
	other := filepath.Join(t.TempDir(), "other")
	require.NoError(t, os.Mkdir(other, 0o755)) // less what the process masks
	want, err := os.Stat(other)
	require.NoError(t, err)
	got, err := os.Stat(dir)
	require.NoError(t, err)
	require.Equal(t, want.Mode(), got.Mode())
}
