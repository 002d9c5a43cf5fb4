package main

import (
	"context"
	"slices"
	"time"

	"github.com/crdkit/crdkit/server/storage"
)

// deletionDelay is how long a deletion takes to reach watches. Without it, a controller may create the object again before
// the test that deleted it has looked. Creations and updates are not delayed: webhooks look for them in the caches of
// their process.
const deletionDelay = 3 * time.Millisecond

// A slowWatches is a store whose watches return deletions a little later, and the changes after them.
type slowWatches struct {
	storage.Store
	delay time.Duration
}

func (s slowWatches) Watch(ctx context.Context, prefix string, after int64) (storage.Watch, error) {
	w, err := s.Store.Watch(ctx, prefix, after)
	if err != nil {
		return nil, err
	}
	return slowWatch{w, s.delay}, nil
}

type slowWatch struct {
	storage.Watch
	delay time.Duration
}

// Next returns changes with a deletion after the delay, or as soon as ctx is done.
func (w slowWatch) Next(ctx context.Context) (storage.Changes, error) {
	changes, err := w.Watch.Next(ctx)
	if err != nil || !slices.ContainsFunc(changes.Events, isDeletion) {
		return changes, err
	}
	select {
	case <-time.After(w.delay):
	case <-ctx.Done():
	}
	return changes, nil
}

func isDeletion(e storage.Event) bool { return e.Value == nil }
