package follow

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/server/storage"
)

// A faulty store fails with these errors first.
type faulty struct {
	storage.Store
	lists, watches []error
}

func (s *faulty) List(ctx context.Context, r storage.Range) (storage.Page, error) {
	if len(s.lists) > 0 {
		err := s.lists[0]
		s.lists = s.lists[1:]
		return storage.Page{}, err
	}
	return s.Store.List(ctx, r)
}

func (s *faulty) Watch(ctx context.Context, prefix string, after int64) (storage.Watch, error) {
	if len(s.watches) > 0 {
		err := s.watches[0]
		s.watches = s.watches[1:]
		return nil, err
	}
	return s.Store.Watch(ctx, prefix, after)
}

// A follower sees what is stored below its prefix, also after errors of the store.
func TestFollower(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &faulty{Store: storage.NewMemory(storage.MemoryOptions{})}
		write := func(key, value string) int64 {
			revision, err := store.Create(t.Context(), key, []byte(value))
			require.NoError(t, err)
			return revision
		}
		remove := func(key string) int64 {
			item, err := store.Get(t.Context(), key)
			require.NoError(t, err)
			revision, err := store.Delete(t.Context(), key, item.Revision)
			require.NoError(t, err)
			return revision
		}
		var log strings.Builder
		var published []int64
		values, visible := map[string]string{}, ""
		f := Follower{
			Store: store, Log: slog.New(slog.NewTextHandler(&log, nil)), Prefix: "/a/", What: "letters",
			Put: func(key string, value []byte, _ int64) {
				if value == nil {
					require.Contains(t, values, key, "it is forgotten once")
					delete(values, key)
					return
				}
				values[key] = string(value)
			},
			Publish: func(revision int64) {
				published = append(published, revision)
				visible = strings.Join(slices.Sorted(maps.Values(values)), " ")
			},
		}
		write("/", "other")
		write("/a/1", "one")
		two := write("/a/2", "two")
		require.NoError(t, f.Load(t.Context()))
		require.Equal(t, "one two", visible)
		require.NoError(t, f.Wait(t.Context(), two))
		require.Empty(t, log.String())

		// What has changed while the store could not be watched is found when all is read again, after a pause.
		store.watches = []error{storage.ErrCompacted, storage.ErrCompacted, storage.ErrCompacted}
		store.lists = []error{errors.New("no quorum")}
		changed := f.Changed()
		remove("/a/1")
		three := write("/a/3", "three")
		started := time.Now()
		ended := make(chan struct{})
		go func() {
			f.Run(t.Context())
			close(ended)
		}()
		<-changed
		synctest.Wait()
		require.Equal(t, "three two", visible)
		require.Equal(t, time.Second, time.Since(started))
		require.Equal(t, 3, strings.Count(log.String(), `level=WARN msg="reading all letters again" error="`+storage.ErrCompacted.Error()+`"`))
		require.Equal(t, 1, strings.Count(log.String(), `level=ERROR msg="cannot read letters" error="no quorum"`))

		// Changes are seen one by one, and those of other keys do not count.
		changed = f.Changed()
		write("/b/1", "other")
		synctest.Wait()
		select {
		case <-changed:
			require.Fail(t, "nothing has changed")
		default:
		}
		four := remove("/a/3")
		require.NoError(t, f.Wait(t.Context(), four))
		<-changed
		require.Equal(t, "two", visible)
		require.Equal(t, []int64{two, three, three, four}, published)

		// A wait ends with its context.
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.ErrorIs(t, f.Wait(ctx, four+1), context.DeadlineExceeded)

		// The follower ends when the store is closed. It forgets nothing then.
		log.Reset()
		require.NoError(t, store.Close())
		<-ended
		require.Equal(t, "two", visible)
		require.Empty(t, log.String())
	})
}

// A follower ends with its context, also in the pause after an error.
func TestFollowerEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &faulty{Store: storage.NewMemory(storage.MemoryOptions{})}
		f := Follower{Store: store, Log: slog.New(slog.DiscardHandler), Publish: func(int64) {}}
		require.NoError(t, f.Load(t.Context()))
		for _, failing := range []bool{false, true} {
			if failing {
				store.watches, store.lists = []error{errors.New("a")}, []error{errors.New("b")}
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			started := time.Now()
			f.Run(ctx)
			require.Equal(t, time.Millisecond, time.Since(started))
			cancel()
		}
		store.lists = []error{storage.ErrClosed}
		require.ErrorIs(t, f.Load(t.Context()), storage.ErrClosed)
		require.NoError(t, store.Close())
	})
}
