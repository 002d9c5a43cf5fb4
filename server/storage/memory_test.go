package storage_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

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

// No key has revision 0.
func TestMemoryWithoutRevision(t *testing.T) {
	m := storage.NewMemory(storage.MemoryOptions{})
	write := func(want error) {
		t.Helper()
		_, err := m.Update(t.Context(), "/a", []byte("x"), 0)
		require.ErrorIs(t, err, want)
		_, err = m.Delete(t.Context(), "/a", 0)
		require.ErrorIs(t, err, want)
	}
	write(storage.ErrNotFound)
	page, err := m.List(t.Context(), storage.Range{Prefix: "/"})
	require.NoError(t, err)
	require.Empty(t, page.Items)
	_, err = m.Create(t.Context(), "/a", []byte("x"))
	require.NoError(t, err)
	write(storage.ErrConflict)
}

func TestMemoryHistoryIsBounded(t *testing.T) {
	for _, c := range []struct {
		name    string
		options storage.MemoryOptions
		size    int
	}{
		{"by the number of changes", storage.MemoryOptions{Events: 10}, 1},
		{"by their bytes", storage.MemoryOptions{Bytes: 20_000}, 1000},
		{"except the latest", storage.MemoryOptions{Bytes: 1}, 1000},
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

// Close ends waiting watches.
func TestMemoryClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := storage.NewMemory(storage.MemoryOptions{})
		w, err := m.Watch(t.Context(), "/", 1)
		require.NoError(t, err)
		waits := make(chan error, 1)
		go func() {
			_, err := w.Next(t.Context())
			waits <- err
		}()
		synctest.Wait()
		require.Empty(t, waits)
		require.NoError(t, m.Close())
		require.NoError(t, m.Close())
		require.ErrorIs(t, <-waits, storage.ErrClosed)
	})
}

// A list of an older revision has keys that were deleted since, even if the store is now empty.
func TestMemoryListsWhatWasDeleted(t *testing.T) {
	m := storage.NewMemory(storage.MemoryOptions{})
	defer m.Close()
	var revision int64
	for _, key := range []string{"/a/1", "/a/2"} {
		var err error
		revision, err = m.Create(t.Context(), key, []byte("x"))
		require.NoError(t, err)
	}
	for _, key := range []string{"/a/1", "/a/2"} {
		item, err := m.Get(t.Context(), key)
		require.NoError(t, err)
		_, err = m.Delete(t.Context(), key, item.Revision)
		require.NoError(t, err)
	}
	page, err := m.List(t.Context(), storage.Range{Prefix: "/a/", Revision: revision})
	require.NoError(t, err)
	require.Len(t, page.Items, 2)
}

// A page of a list of an older version costs no more than the page and what has changed since.
func TestMemorySmallPages(t *testing.T) {
	m := storage.NewMemory(storage.MemoryOptions{})
	defer m.Close()
	var revision int64
	for i := 100_000; i < 200_000; i++ {
		var err error
		revision, err = m.Create(t.Context(), fmt.Sprint("/a/", i), []byte("x"))
		require.NoError(t, err)
	}
	_, err := m.Create(t.Context(), "/a/last", []byte("x"))
	require.NoError(t, err)
	r := storage.Range{Prefix: "/a/", Limit: 1, Revision: revision}
	for i := range int64(20_000) {
		page, err := m.List(t.Context(), r)
		require.NoError(t, err)
		require.Equal(t, []any{1, fmt.Sprint("/a/", 100_000+i), 99_999 - i},
			[]any{len(page.Items), page.Items[0].Key, page.Remaining})
		r.After = page.Items[0].Key
	}
}

// Every call returns an error if the store is closed or the context has ended.
func TestMemoryIsOver(t *testing.T) {
	calls := func(m storage.Store, ctx context.Context) map[string]error {
		out := map[string]error{}
		_, out["Get"] = m.Get(ctx, "/a/1")
		_, out["List"] = m.List(ctx, storage.Range{Prefix: "/a/"})
		_, out["Revision"] = m.Revision(ctx)
		_, out["Create"] = m.Create(ctx, "/a/2", []byte("x"))
		_, out["Update"] = m.Update(ctx, "/a/1", []byte("x"), 1)
		_, out["Delete"] = m.Delete(ctx, "/a/1", 1)
		_, out["Watch"] = m.Watch(ctx, "/a/", 0)
		return out
	}
	m := storage.NewMemory(storage.MemoryOptions{})
	_, err := m.Create(t.Context(), "/a/1", []byte("x"))
	require.NoError(t, err)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, err := range calls(m, ended) {
		require.ErrorIs(t, err, context.Canceled, name)
	}
	require.NoError(t, m.Close())
	for name, err := range calls(m, t.Context()) {
		require.ErrorIs(t, err, storage.ErrClosed, name)
	}
}
