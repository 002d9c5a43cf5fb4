package bolt_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/examples/apiserver/internal/storage/bolt"
	"github.com/crdkit/crdkit/server/storage"
)

// smallDisk returns a directory of a file system of that size.
func smallDisk(t *testing.T, bytes int) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprint("size=", bytes)); err != nil {
		t.Skipf("no file system of its own: %v", err)
	}
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	return dir
}

// On a full disk, all objects can be deleted. Small creates do not use up the room for that.
func TestFullDisk(t *testing.T) {
	dir := smallDisk(t, 96<<20)
	s := open(t, filepath.Join(dir, "db"), bolt.Options{Reserve: 12 << 20})
	ctx, random := t.Context(), rand.NewChaCha8([32]byte{})
	large := make([]byte, 1<<20)
	_, _ = random.Read(large)
	revisions := map[string]int64{}
	var err error
	var full int
	var last string              // the key of a small one
	for i := 0; full < 50; i++ { // large ones until there is no room, and then small ones, which would fill what is left
		value := large
		if full > 0 || i < 3 {
			value = large[:20_000]
		}
		key := fmt.Sprintf("/a/%04d", i)
		var revision int64
		if revision, err = s.Create(ctx, key, value); err != nil {
			require.ErrorContains(t, err, "only deletions are possible")
			full++
			continue
		}
		if revisions[key] = revision; len(value) < len(large) {
			last = key
		}
	}
	require.Greater(t, len(revisions), 5)

	// An update that hardly grows an object is possible, another one is not.
	_, err = s.Update(ctx, last, large, revisions[last])
	require.ErrorContains(t, err, "only deletions are possible")
	revisions[last], err = s.Update(ctx, last, large[:20_001], revisions[last])
	require.NoError(t, err)

	for key, revision := range revisions {
		_, err := s.Delete(ctx, key, revision)
		require.NoError(t, err, key)
	}
	page, err := s.List(ctx, storage.Range{Prefix: "/"})
	require.NoError(t, err)
	require.Empty(t, page.Items)

	require.NoError(t, s.Close())
	s = open(t, filepath.Join(dir, "db"), bolt.Options{Reserve: 12 << 20})
	page, err = s.List(ctx, storage.Range{Prefix: "/"})
	require.NoError(t, err)
	require.Empty(t, page.Items)
}

// Old values that the log keeps are in pages with values that stay. There is room to drop them nevertheless.
func TestFullDiskWithOldValues(t *testing.T) {
	dir := smallDisk(t, 96<<20)
	s := open(t, filepath.Join(dir, "db"), bolt.Options{Reserve: 4 << 20})
	ctx, value := t.Context(), make([]byte, 12_000)
	_, _ = rand.NewChaCha8([32]byte{}).Read(value)
	revisions := map[string]int64{}
	var err error
	for i := range 1_500 {
		key := fmt.Sprintf("/a/%04d", i)
		revisions[key], err = s.Create(ctx, key, value)
		require.NoError(t, err)
	}
	for i := 0; i < 1_500; i += 2 {
		key := fmt.Sprintf("/a/%04d", i)
		revisions[key], err = s.Update(ctx, key, value, revisions[key])
		require.NoError(t, err)
	}
	for i := 0; err == nil; i++ {
		_, err = s.Create(ctx, fmt.Sprint("/b/", i), make([]byte, 1<<20))
	}
	require.ErrorContains(t, err, "only deletions are possible")
	for key, revision := range revisions {
		_, err := s.Delete(ctx, key, revision)
		require.NoError(t, err, key)
	}
}

// The reserve is there from the beginning, and comes back when the disk has room again.
func TestReserve(t *testing.T) {
	dir := smallDisk(t, 24<<20)
	file := filepath.Join(dir, "db.reserve")
	s := open(t, filepath.Join(dir, "db"), bolt.Options{Reserve: 4 << 20})
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.EqualValues(t, 4<<20, info.Size())

	others := filepath.Join(dir, "others")
	require.ErrorIs(t, os.WriteFile(others, make([]byte, 24<<20), 0o600), syscall.ENOSPC)
	for i := 0; err == nil; i++ {
		_, err = s.Create(t.Context(), fmt.Sprint("/a/", i), make([]byte, 1<<20))
	}
	require.ErrorContains(t, err, "only deletions are possible")
	require.NoFileExists(t, file)

	require.NoError(t, os.Remove(others))
	require.Eventually(t, func() bool {
		_, err := s.Create(t.Context(), "/b", make([]byte, 1<<20))
		return err == nil
	}, 5*time.Second, 50*time.Millisecond)
	require.FileExists(t, file)
}
