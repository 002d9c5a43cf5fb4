package bolt

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"github.com/crdkit/crdkit/server/storage"
)

func openStore(t *testing.T, o Options) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "db"), o)
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// parts returns the number of parts in the bucket of large values.
func parts(t *testing.T, s *Store) (n int) {
	t.Helper()
	require.NoError(t, s.db.View(func(tx *bbolt.Tx) error {
		n = tx.Bucket(largeBucket).Stats().KeyN
		return nil
	}))
	return n
}

// Values of all sizes are returned as they were written: by reads, by lists of today and of before, and by watches. The
// parts of large ones are dropped when nothing can ask for them.
func TestLargeValues(t *testing.T) {
	for _, size := range []int{0, 1, inlineValue, inlineValue + 1, partSize, partSize + 1, 2 * partSize, 1_000_000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			ctx, s := t.Context(), openStore(t, Options{Events: 3})
			one, two := bytes.Repeat([]byte{'1'}, size), bytes.Repeat([]byte{'2'}, size)
			start, err := s.Revision(ctx)
			require.NoError(t, err)
			first, err := s.Create(ctx, "/a", one)
			require.NoError(t, err)
			second, err := s.Update(ctx, "/a", two, first)
			require.NoError(t, err)
			item, err := s.Get(ctx, "/a")
			require.NoError(t, err)
			require.Equal(t, storage.Item{Key: "/a", Value: two, Revision: second}, item)
			third, err := s.Delete(ctx, "/a", second)
			require.NoError(t, err)

			for revision, want := range map[int64][]storage.Item{
				start: nil, first: {{Key: "/a", Value: one, Revision: first}}, second: {{Key: "/a", Value: two, Revision: second}}, third: nil,
			} {
				page, err := s.List(ctx, storage.Range{Prefix: "/", Revision: revision})
				require.NoError(t, err)
				require.Equal(t, want, page.Items)
			}
			w, err := s.Watch(ctx, "/", start)
			require.NoError(t, err)
			var events []storage.Event
			for len(events) < 3 {
				changes, err := w.Next(ctx)
				require.NoError(t, err)
				events = append(events, changes.Events...)
			}
			require.Equal(t, []storage.Event{
				{Key: "/a", Revision: first, Value: one},
				{Key: "/a", Revision: second, Value: two, Previous: one},
				{Key: "/a", Revision: third, Previous: two},
			}, events)

			require.Equal(t, size > inlineValue, parts(t, s) > 0, "the log has them")
			for i := range 3 {
				_, err := s.Create(ctx, fmt.Sprintf("/b%d", i), small)
				require.NoError(t, err)
			}
			require.Zero(t, parts(t, s), "the log does not have them any more")
		})
	}
}

var small = []byte("small")

// A large value stays while its object has it, however long ago it was written, and goes at once when there is no room
// for a log.
func TestLargeValuesWithoutLog(t *testing.T) {
	ctx, s := t.Context(), openStore(t, Options{Events: 1})
	value := bytes.Repeat([]byte{'x'}, 100_000)
	revision, err := s.Create(ctx, "/a", value)
	require.NoError(t, err)
	for i := range 5 {
		_, err := s.Create(ctx, fmt.Sprintf("/b%d", i), small)
		require.NoError(t, err)
	}
	item, err := s.Get(ctx, "/a")
	require.NoError(t, err)
	require.Equal(t, value, item.Value)
	w := &write{key: "/a", expected: revision}
	require.NoError(t, s.transact([]*write{w}, 0))
	require.NoError(t, w.err)
	require.Zero(t, parts(t, s))
}

// Creates and deletions of small objects do not write large ones beside them again.
func TestSmallWritesBesideLargeValues(t *testing.T) {
	ctx, s := t.Context(), openStore(t, Options{})
	for i := range 10 {
		_, err := s.Create(ctx, fmt.Sprintf("/a%d", i), bytes.Repeat([]byte{'x'}, 2_000_000))
		require.NoError(t, err)
	}
	before := s.db.Stats()
	for range 20 {
		revision, err := s.Create(ctx, "/b", small)
		require.NoError(t, err)
		_, err = s.Delete(ctx, "/b", revision)
		require.NoError(t, err)
	}
	after := s.db.Stats()
	written := (after.TxStats.GetPageAlloc() - before.TxStats.GetPageAlloc()) / 40
	require.Less(t, written, int64(200_000), "bytes of pages for a write")
	t.Logf("%d bytes of pages for a write", written)
}

// A file of an earlier version is refused.
func TestEarlierVersion(t *testing.T) {
	file := filepath.Join(t.TempDir(), "db")
	db, err := bbolt.Open(file, 0o600, nil)
	require.NoError(t, err)
	require.NoError(t, db.Update(func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucket(objectsBucket)
		return err
	}))
	require.NoError(t, db.Close())
	_, err = Open(file, Options{})
	require.ErrorContains(t, err, "an earlier version")
	for _, err := range Items(file, "/") {
		require.ErrorContains(t, err, "an earlier version")
	}
}

// A damaged entry is an error.
func TestDamagedValues(t *testing.T) {
	for _, b := range [][]byte{nil, {5}, {5, 0, 1}, {1, 7, 1}, {255, 255, 255, 255, 255, 1, 1}} {
		_, _, err := cutValue(b, 1)
		require.ErrorIs(t, err, errDamaged, "%v", b)
	}
	s := openStore(t, Options{})
	require.NoError(t, s.db.View(func(tx *bbolt.Tx) error {
		_, err := value{revision: 7, size: maxValue}.load(tx)
		require.ErrorIs(t, err, errDamaged)
		return nil
	}))
}
