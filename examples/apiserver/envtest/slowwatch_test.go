package main

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/server/storage"
)

// A change reaches a watch after the delay, but is not lost if the caller does not wait so long.
func TestSlowWatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := slowWatches{storage.NewMemory(storage.MemoryOptions{}), time.Hour}
		defer store.Close()
		revision, err := store.Revision(t.Context())
		require.NoError(t, err)
		w, err := store.Watch(t.Context(), "/", revision)
		require.NoError(t, err)
		defer w.Close()
		_, err = store.Create(t.Context(), "/a", []byte("1"))
		require.NoError(t, err)
		begun := time.Now()
		changes, err := w.Next(t.Context())
		require.NoError(t, err)
		require.Len(t, changes.Events, 1)
		require.Equal(t, time.Hour, time.Since(begun))

		_, err = store.Create(t.Context(), "/b", []byte("2"))
		require.NoError(t, err)
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		changes, err = w.Next(ctx)
		require.NoError(t, err)
		require.Len(t, changes.Events, 1)
		require.Equal(t, time.Hour+time.Minute, time.Since(begun))
	})
}
