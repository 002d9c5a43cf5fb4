package storage_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/server/storage"
	"github.com/crdkit/crdkit/server/storage/storagetest"
)

func TestMemory(t *testing.T) {
	storagetest.Run(t, func(t *testing.T) storage.Store {
		m := storage.NewMemory(storage.MemoryOptions{Events: 10_000_000})
		t.Cleanup(func() { require.NoError(t, m.Close()) })
		return m
	})
}

func TestMemoryHistoryIsBounded(t *testing.T) {
	for _, c := range []struct {
		name    string
		options storage.MemoryOptions
		size    int
	}{
		{"by the number of changes", storage.MemoryOptions{Events: 10}, 1},
		{"by their bytes", storage.MemoryOptions{Bytes: 20_000}, 1000},
		{"but for the latest", storage.MemoryOptions{Bytes: 1}, 1000},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, m := t.Context(), storage.NewMemory(c.options)
			start, err := m.Revision(ctx)
			require.NoError(t, err)
			slow, err := m.Watch(ctx, "/a/", start)
			require.NoError(t, err)
			revision, err := m.Create(ctx, "/a/1", []byte("x"))
			require.NoError(t, err)
			for i := range 30 {
				revision, err = m.Update(ctx, "/a/1", []byte(strings.Repeat("x", c.size)+fmt.Sprint(i)), revision)
				require.NoError(t, err)
			}
			_, err = slow.Next(ctx)
			require.ErrorIs(t, err, storage.ErrCompacted)
			_, err = m.Watch(ctx, "/a/", start)
			require.ErrorIs(t, err, storage.ErrCompacted)
			_, err = m.List(ctx, storage.Range{Prefix: "/a/", Revision: start})
			require.ErrorIs(t, err, storage.ErrCompacted)

			w, err := m.Watch(ctx, "/a/", revision-1)
			require.NoError(t, err)
			changes, err := w.Next(ctx)
			require.NoError(t, err)
			require.Len(t, changes.Events, 1)
			page, err := m.List(ctx, storage.Range{Prefix: "/a/", Revision: revision - 1})
			require.NoError(t, err)
			require.Equal(t, strings.Repeat("x", c.size)+"28", string(page.Items[0].Value))
		})
	}
}

func TestMemoryClose(t *testing.T) {
	ctx, m := t.Context(), storage.NewMemory(storage.MemoryOptions{})
	w, err := m.Watch(ctx, "/", 1)
	require.NoError(t, err)
	waits := make(chan error)
	go func() {
		_, err := w.Next(ctx)
		waits <- err
	}()
	require.NoError(t, m.Close())
	require.NoError(t, m.Close())
	require.ErrorIs(t, <-waits, storage.ErrClosed)
	_, err = m.Create(ctx, "/a", []byte("x"))
	require.ErrorIs(t, err, storage.ErrClosed)
}
