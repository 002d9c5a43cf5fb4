package storagetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/server/storage"
)

// Run runs all tests. For each of them, open returns an empty store and registers a cleanup that closes it.
func Run(t *testing.T, open func(t *testing.T) storage.Store) {
	for _, c := range []struct {
		name string
		test func(*testing.T, store)
	}{
		{"a key is created once, and updated and deleted only at its revision", testWrites},
		{"a write has conditions about other keys", testConditions},
		{"a list has the keys with a prefix, in order", testList},
		{"all pages of a list have one revision", testPages},
		{"a page has a limited size", testPageBytes},
		{"a watch returns every change after its revision, once and in order", testWatch},
		{"a watch from a future revision is refused", testFuture},
		{"a watch waits for changes", testWait},
		{"one of several concurrent writers wins", testRace},
		{"watches agree with lists during concurrent writes", testManyWriters},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, store{open(t), t}) })
	}
}

// A store is the tested store, with methods for calls that must succeed.
type store struct {
	storage.Store
	t *testing.T
}

// must returns the revision of a write that must succeed, or of the store.
func (s store) must(revision int64, err error) int64 {
	s.t.Helper()
	require.NoError(s.t, err)
	return revision
}

// list is List, which must succeed.
func (s store) list(r storage.Range) storage.Page {
	s.t.Helper()
	page, err := s.List(s.t.Context(), r)
	require.NoError(s.t, err)
	return page
}

func testWrites(t *testing.T, s store) {
	ctx := t.Context()
	start := s.must(s.Revision(ctx))
	require.Positive(t, start)

	_, err := s.Get(ctx, "/a")
	require.ErrorIs(t, err, storage.ErrNotFound)
	_, err = s.Update(ctx, "/a", []byte("x"), 5)
	require.ErrorIs(t, err, storage.ErrNotFound)
	_, err = s.Delete(ctx, "/a", 5)
	require.ErrorIs(t, err, storage.ErrNotFound)

	created := s.must(s.Create(ctx, "/a", []byte("one")))
	require.Greater(t, created, start)
	_, err = s.Create(ctx, "/a", []byte("two"))
	require.ErrorIs(t, err, storage.ErrExists)
	item, err := s.Get(ctx, "/a")
	require.NoError(t, err)
	require.Equal(t, storage.Item{Key: "/a", Value: []byte("one"), Revision: created}, item)

	updated := s.must(s.Update(ctx, "/a", []byte("two"), created))
	require.Greater(t, updated, created)
	_, err = s.Update(ctx, "/a", []byte("three"), created)
	require.ErrorIs(t, err, storage.ErrConflict)
	_, err = s.Delete(ctx, "/a", created)
	require.ErrorIs(t, err, storage.ErrConflict)
	item, err = s.Get(ctx, "/a")
	require.NoError(t, err)
	require.Equal(t, storage.Item{Key: "/a", Value: []byte("two"), Revision: updated}, item)

	other := s.must(s.Create(ctx, "/b", []byte("b")))
	require.Greater(t, other, updated, "one revision counts the changes of all keys")
	deleted := s.must(s.Delete(ctx, "/a", updated))
	require.Greater(t, deleted, other)
	_, err = s.Get(ctx, "/a")
	require.ErrorIs(t, err, storage.ErrNotFound)
	require.Equal(t, deleted, s.must(s.Revision(ctx)))

	again := s.must(s.Create(ctx, "/a", []byte("again")))
	require.Greater(t, again, deleted)

	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, err = s.Get(ended, "/a")
	require.Error(t, err)
}

func testConditions(t *testing.T, s store) {
	ctx := t.Context()
	other := s.must(s.Create(ctx, "/o/1", []byte("other")))
	key := storage.Condition{Key: "/o/1", Revision: other}
	prefix := storage.Condition{Prefix: "/o/", Revision: other}
	a := s.must(s.Create(ctx, "/a", []byte("one"), key, prefix, storage.Condition{Prefix: "/nothing/"}))
	a = s.must(s.Update(ctx, "/a", []byte("two"), a, key, prefix))

	changed := s.must(s.Update(ctx, "/o/1", []byte("changed"), other))
	gone := storage.Condition{Key: "/o/2", Revision: other}
	for _, c := range []storage.Condition{key, prefix, gone} {
		_, err := s.Create(ctx, "/b", []byte("one"), c)
		require.ErrorIs(t, err, storage.ErrCondition)
		_, err = s.Update(ctx, "/a", []byte("three"), a, c)
		require.ErrorIs(t, err, storage.ErrCondition)
	}
	_, err := s.Create(ctx, "/a", []byte("one"), key)
	require.ErrorIs(t, err, storage.ErrExists)
	_, err = s.Update(ctx, "/a", []byte("three"), changed, key)
	require.ErrorIs(t, err, storage.ErrConflict)
	_, err = s.Update(ctx, "/b", []byte("three"), changed, key)
	require.ErrorIs(t, err, storage.ErrNotFound)
	item, err := s.Get(ctx, "/a")
	require.NoError(t, err)
	require.Equal(t, "two", string(item.Value))
}

func testList(t *testing.T, s store) {
	ctx := t.Context()
	for _, key := range []string{"/b/2", "/a/1", "/b/1", "/b", "/b/10", "/c/1", "/b0"} {
		s.must(s.Create(ctx, key, []byte(key)))
	}
	page := s.list(storage.Range{Prefix: "/b/"})
	require.Equal(t, []string{"/b/1", "/b/10", "/b/2"}, keys(page.Items))
	require.Equal(t, "/b/10", string(page.Items[1].Value))
	latest := s.must(s.Revision(ctx))
	require.Equal(t, latest, page.Revision)
	require.Zero(t, page.Remaining)

	page = s.list(storage.Range{Prefix: "/nothing/"})
	require.Empty(t, page.Items)
	_, err := s.List(ctx, storage.Range{Prefix: "/b/", Revision: latest + 100})
	require.ErrorIs(t, err, storage.ErrFuture)
}

func testPages(t *testing.T, s store) {
	ctx := t.Context()
	revisions := map[string]int64{}
	for i := range 10 {
		key := fmt.Sprintf("/a/%02d", i)
		revisions[key] = s.must(s.Create(ctx, key, []byte("old")))
	}
	first := s.list(storage.Range{Prefix: "/a/", Limit: 3})
	require.Equal(t, []string{"/a/00", "/a/01", "/a/02"}, keys(first.Items))
	require.EqualValues(t, 7, first.Remaining)

	// Between reading the pages, change one key of each page twice, delete one, create one, and delete and recreate
	// one.
	revision := revisions["/a/04"]
	for _, text := range []string{"new", "newer"} {
		revision = s.must(s.Update(ctx, "/a/04", []byte(text), revision))
	}
	s.must(s.Delete(ctx, "/a/05", revisions["/a/05"]))
	s.must(s.Create(ctx, "/a/055", []byte("new")))
	s.must(s.Delete(ctx, "/a/09", revisions["/a/09"]))
	s.must(s.Create(ctx, "/a/09", []byte("back")))
	s.must(s.Create(ctx, "/a/99", []byte("new")))

	all := first.Items
	for page := first; page.Remaining > 0; {
		page = s.list(storage.Range{Prefix: "/a/", Limit: 3, Revision: first.Revision, After: all[len(all)-1].Key})
		require.Equal(t, first.Revision, page.Revision)
		require.EqualValues(t, 10-len(all)-len(page.Items), page.Remaining)
		all = append(all, page.Items...)
	}
	require.Len(t, all, 10)
	for i, item := range all {
		key := fmt.Sprintf("/a/%02d", i)
		require.Equal(t, storage.Item{Key: key, Value: []byte("old"), Revision: revisions[key]}, item)
	}
	now := s.list(storage.Range{Prefix: "/a/", After: "/a/04"})
	require.Equal(t, []string{"/a/055", "/a/06", "/a/07", "/a/08", "/a/09", "/a/99"}, keys(now.Items))
	require.Equal(t, "back", string(now.Items[4].Value))
}

// A page ends with the item whose value exceeds the limit of bytes.
func testPageBytes(t *testing.T, s store) {
	for i := range 30 {
		s.must(s.Create(t.Context(), fmt.Sprintf("/a/%02d", i), make([]byte, 100)))
	}
	for _, c := range []struct{ bytes, limit, want int }{{1, 0, 1}, {99, 0, 1}, {100, 0, 2}, {1050, 0, 11}, {1050, 3, 3}, {100_000, 0, 30}} {
		all := 0
		for r := (storage.Range{Prefix: "/a/", Bytes: c.bytes, Limit: c.limit}); ; {
			page := s.list(r)
			require.Len(t, page.Items, min(c.want, 30-all), "%+v after %q", c, r.After)
			all += len(page.Items)
			require.EqualValues(t, 30-all, page.Remaining)
			if page.Remaining == 0 {
				break
			}
			r.After, r.Revision = page.Items[len(page.Items)-1].Key, page.Revision
		}
	}
}

func testWatch(t *testing.T, s store) {
	ctx := t.Context()
	start := s.must(s.Revision(ctx))
	created := s.must(s.Create(ctx, "/a/1", []byte("one")))
	s.must(s.Create(ctx, "/b/1", []byte("other")))
	updated := s.must(s.Update(ctx, "/a/1", []byte("two"), created))

	w, err := s.Watch(ctx, "/a/", start)
	require.NoError(t, err)
	defer w.Close()
	want := []storage.Event{
		{Key: "/a/1", Revision: created, Value: []byte("one")},
		{Key: "/a/1", Revision: updated, Value: []byte("two"), Previous: []byte("one")},
	}
	require.Equal(t, want, next(t, w, 2))

	deleted := s.must(s.Delete(ctx, "/a/1", updated))
	again := s.must(s.Create(ctx, "/a/1", []byte("again")))
	want = []storage.Event{
		{Key: "/a/1", Revision: deleted, Previous: []byte("two")},
		{Key: "/a/1", Revision: again, Value: []byte("again")},
	}
	require.Equal(t, want, next(t, w, 2))

	// A watch that starts in the middle.
	w2, err := s.Watch(ctx, "/a/", updated)
	require.NoError(t, err)
	defer w2.Close()
	require.Equal(t, want, next(t, w2, 2))
}

func testFuture(t *testing.T, s store) {
	latest := s.must(s.Revision(t.Context()))
	_, err := s.Watch(t.Context(), "/a/", latest+100)
	require.ErrorIs(t, err, storage.ErrFuture)
}

func testWait(t *testing.T, s store) {
	latest := s.must(s.Revision(t.Context()))
	w, err := s.Watch(t.Context(), "/a/", latest)
	require.NoError(t, err)
	defer w.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = w.Next(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	// The context has ended, but not the watch.
	revision := s.must(s.Create(t.Context(), "/a/1", []byte("one")))
	require.Equal(t, []storage.Event{{Key: "/a/1", Revision: revision, Value: []byte("one")}}, next(t, w, 1))
}

func testRace(t *testing.T, s store) {
	ctx := t.Context()
	revision := s.must(s.Create(ctx, "/a/1", []byte("0")))
	for round := range 20 {
		var wg sync.WaitGroup
		var mu sync.Mutex
		var won []int64
		for i := range 8 {
			wg.Go(func() {
				written, err := s.Update(ctx, "/a/1", fmt.Appendf(nil, "%d-%d", round, i), revision)
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					won = append(won, written)
				} else if !errors.Is(err, storage.ErrConflict) {
					t.Errorf("round %d: %v", round, err)
				}
			})
		}
		wg.Wait()
		require.Len(t, won, 1, "round %d", round)
		revision = won[0]
	}
}

func testManyWriters(t *testing.T, s store) {
	ctx := t.Context()
	start := s.must(s.Revision(ctx))
	stop := make(chan struct{})
	var writers, watchers sync.WaitGroup
	const watches, lastKey = 4, "/a/last"
	seen := make([][]storage.Event, watches)
	for i := range watches {
		watchers.Go(func() {
			w, err := s.Watch(ctx, "/a/", start)
			if err != nil {
				t.Error(err)
				return
			}
			defer w.Close()
			for n := 0; n == 0 || seen[i][n-1].Key != lastKey; n = len(seen[i]) {
				changes, err := w.Next(ctx)
				if err != nil {
					t.Error(err)
					return
				}
				seen[i] = append(seen[i], changes.Events...)
			}
		})
	}
	for i := range 4 {
		writers.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 1))
			for {
				select {
				case <-stop:
					return
				default:
				}
				writeRandomly(ctx, t, s, fmt.Sprintf("/a/%d", r.IntN(20)), r)
			}
		})
	}
	time.Sleep(500 * time.Millisecond)
	close(stop)
	writers.Wait()
	s.must(s.Create(ctx, lastKey, []byte("last")))
	watchers.Wait()
	page := s.list(storage.Range{Prefix: "/a/"})

	for i, events := range seen {
		state := map[string]storage.Item{}
		at := start
		for _, e := range events {
			require.Greater(t, e.Revision, at, "watch %d", i)
			at = e.Revision
			before, has := state[e.Key]
			require.Equal(t, has, e.Previous != nil, "watch %d, %s at %d: was it there?", i, e.Key, e.Revision)
			if has {
				require.Equal(t, string(before.Value), string(e.Previous), "watch %d, %s at %d", i, e.Key, e.Revision)
			}
			if e.Value == nil {
				delete(state, e.Key)
			} else {
				state[e.Key] = storage.Item{Key: e.Key, Value: e.Value, Revision: e.Revision}
			}
		}
		require.Len(t, state, len(page.Items), "watch %d", i)
		for _, item := range page.Items {
			require.Equal(t, item, state[item.Key], "watch %d", i)
		}
		require.Equal(t, len(seen[0]), len(events), "watch %d", i)
	}
	t.Logf("%d changes", len(seen[0]))
}

// writeRandomly creates, updates or deletes a key.
func writeRandomly(ctx context.Context, t *testing.T, s store, key string, r *rand.Rand) {
	item, err := s.Get(ctx, key)
	switch value := fmt.Appendf(nil, "%d", r.Int64()); {
	case errors.Is(err, storage.ErrNotFound):
		_, err = s.Create(ctx, key, value)
	case err == nil && r.IntN(4) == 0:
		_, err = s.Delete(ctx, key, item.Revision)
	case err == nil:
		_, err = s.Update(ctx, key, value, item.Revision)
	}
	if !slices.ContainsFunc([]error{nil, storage.ErrNotFound, storage.ErrExists, storage.ErrConflict}, func(expected error) bool { return errors.Is(err, expected) }) {
		t.Errorf("%s: %v", key, err)
	}
}

// next reads changes until it has at least n events.
func next(t *testing.T, w storage.Watch, n int) (events []storage.Event) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for len(events) < n {
		changes, err := w.Next(ctx)
		require.NoError(t, err)
		events = append(events, changes.Events...)
		if len(changes.Events) > 0 {
			require.GreaterOrEqual(t, changes.Revision, events[len(events)-1].Revision)
		}
	}
	return events
}

func keys(items []storage.Item) (out []string) {
	for _, item := range items {
		out = append(out, item.Key)
	}
	return out
}
