package main

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/server/storage"
)

// A deletion reaches a watch after the delay, but is not lost if the caller does not wait so long.
func TestSlowWatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := slowWatches{storage.NewMemory(storage.MemoryOptions{}), time.Hour}
		defer store.Close()
		revision, err := store.Revision(t.Context())
		require.NoError(t, err)
		w, err := store.Watch(t.Context(), "/", revision)
		require.NoError(t, err)
		defer w.Close()
		begun := time.Now()
		next := func(ctx context.Context) storage.Event {
			changes, err := w.Next(ctx)
			require.NoError(t, err)
			require.Len(t, changes.Events, 1)
			return changes.Events[0]
		}
		for _, key := range []string{"/a", "/b"} {
			_, err = store.Create(t.Context(), key, []byte("1"))
			require.NoError(t, err)
			require.Equal(t, []byte("1"), next(t.Context()).Value)
		}
		require.Zero(t, time.Since(begun))

		_, err = store.Delete(t.Context(), "/a", revision+1)
		require.NoError(t, err)
		require.Nil(t, next(t.Context()).Value)
		require.Equal(t, time.Hour, time.Since(begun))

		_, err = store.Delete(t.Context(), "/b", revision+2)
		require.NoError(t, err)
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		require.Nil(t, next(ctx).Value)
		require.Equal(t, time.Hour+time.Minute, time.Since(begun))
	})
}
