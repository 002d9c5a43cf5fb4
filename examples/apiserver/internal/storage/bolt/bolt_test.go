package bolt_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/examples/apiserver/internal/storage/bolt"
	"github.com/crdkit/crdkit/server/storage"
	"github.com/crdkit/crdkit/server/storage/storagetest"
)

func open(t *testing.T, file string, o bolt.Options) *bolt.Store {
	t.Helper()
	s, err := bolt.Open(file, o)
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

func TestStore(t *testing.T) {
	storagetest.Run(t, func(t *testing.T) storage.Store {
		return open(t, filepath.Join(t.TempDir(), "db"), bolt.Options{})
	})
}

func TestReopen(t *testing.T) {
	file := filepath.Join(t.TempDir(), "db")
	s := open(t, file, bolt.Options{})
	created, err := s.Create(t.Context(), "/a/1", []byte("one"))
	require.NoError(t, err)
	updated, err := s.Update(t.Context(), "/a/1", []byte("two"), created)
	require.NoError(t, err)
	_, err = bolt.Open(file, bolt.Options{})
	require.Error(t, err, "two processes in one file")
	require.NoError(t, s.Close())
	_, err = s.Get(t.Context(), "/a/1")
	require.ErrorIs(t, err, storage.ErrClosed)
	_, err = s.Create(t.Context(), "/a/2", []byte("two"))
	require.ErrorIs(t, err, storage.ErrClosed)

	s = open(t, file, bolt.Options{})
	item, err := s.Get(t.Context(), "/a/1")
	require.NoError(t, err)
	require.Equal(t, storage.Item{Key: "/a/1", Value: []byte("two"), Revision: updated}, item)
	w, err := s.Watch(t.Context(), "/a/", created)
	require.NoError(t, err)
	changes, err := w.Next(t.Context())
	require.NoError(t, err)
	require.Equal(t, []storage.Event{{Key: "/a/1", Revision: updated, Value: []byte("two"), Previous: []byte("one")}}, changes.Events)
}

func TestLogIsBounded(t *testing.T) {
	for _, c := range []struct {
		name    string
		options bolt.Options
		size    int
	}{
		{"by the number of changes", bolt.Options{Events: 10}, 1},
		{"by their bytes", bolt.Options{Bytes: 20_000}, 1000},
		{"except the latest", bolt.Options{Bytes: 1}, 1000},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx := t.Context()
			s := open(t, filepath.Join(t.TempDir(), "db"), c.options)
			start, err := s.Revision(ctx)
			require.NoError(t, err)
			slow, err := s.Watch(ctx, "/a/", start)
			require.NoError(t, err)
			revision, err := s.Create(ctx, "/a/1", []byte("x"))
			require.NoError(t, err)
			for i := range 30 {
				revision, err = s.Update(ctx, "/a/1", []byte(strings.Repeat("x", c.size)+fmt.Sprint(i)), revision)
				require.NoError(t, err)
			}
			_, err = slow.Next(ctx)
			require.ErrorIs(t, err, storage.ErrCompacted)
			_, err = s.Watch(ctx, "/a/", start)
			require.ErrorIs(t, err, storage.ErrCompacted)
			_, err = s.List(ctx, storage.Range{Prefix: "/a/", Revision: start})
			require.ErrorIs(t, err, storage.ErrCompacted)

			w, err := s.Watch(ctx, "/a/", revision-1)
			require.NoError(t, err)
			changes, err := w.Next(ctx)
			require.NoError(t, err)
			require.Len(t, changes.Events, 1)
			page, err := s.List(ctx, storage.Range{Prefix: "/a/", Revision: revision - 1})
			require.NoError(t, err)
			require.Equal(t, strings.Repeat("x", c.size)+"28", string(page.Items[0].Value))
		})
	}
}

func TestCloseEndsWatches(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "db"), bolt.Options{})
	latest, err := s.Revision(t.Context())
	require.NoError(t, err)
	w, err := s.Watch(t.Context(), "/", latest)
	require.NoError(t, err)
	var wg sync.WaitGroup
	wg.Go(func() {
		_, err := w.Next(t.Context())
		if err != storage.ErrClosed {
			t.Error(err)
		}
	})
	require.NoError(t, s.Close())
	wg.Wait()
}

func BenchmarkCreate(b *testing.B) {
	s, err := bolt.Open(filepath.Join(b.TempDir(), "db"), bolt.Options{})
	require.NoError(b, err)
	defer s.Close()
	value := []byte(strings.Repeat("x", 1000))
	var n int64
	var mu sync.Mutex
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			mu.Lock()
			n++
			key := fmt.Sprintf("/a/%d", n)
			mu.Unlock()
			if _, err := s.Create(b.Context(), key, value); err != nil {
				b.Error(err)
			}
		}
	})
}
