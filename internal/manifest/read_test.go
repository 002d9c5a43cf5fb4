package manifest

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// Files are read up to a limit. What they say of their size does not matter.
func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.yaml")
	require.NoError(t, os.WriteFile(name, []byte("a: 1\n"), 0o644))
	for size, fails := range map[int64]bool{0: false, 5: false, MaxFile: false, 1 << 40: true} {
		require.NoError(t, os.Truncate(name, size))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		data, err := ReadFile(name)
		same, errFS := ReadFS(os.DirFS(dir), "a.yaml")
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(5*MaxFile))
		if fails {
			require.EqualError(t, err, "read "+name+": the file is larger than the limit of 64 MiB")
			require.ErrorContains(t, errFS, "larger than the limit")
			continue
		}
		require.NoError(t, err)
		require.NoError(t, errFS)
		require.Len(t, data, int(size))
		require.Len(t, same, int(size))
	}
	_, err := ReadFile(filepath.Join(dir, "none"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = ReadFile(dir)
	require.Error(t, err)
	_, err = ReadFS(fstest.MapFS{}, "none")
	require.ErrorIs(t, err, fs.ErrNotExist)
	if _, err := os.Stat("/proc/self/pagemap"); err == nil { // which has gigabytes
		data, err := ReadFile("/proc/self/pagemap")
		require.NoError(t, err)
		require.Empty(t, data)
	}
}
