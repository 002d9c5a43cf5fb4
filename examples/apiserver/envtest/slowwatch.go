package main

import (
	"context"
	"time"

	"github.com/crdkit/crdkit/server/storage"
)

// watchDelay is how long a change takes to reach watches: about as long as through etcd and the cache of kube-apiserver.
// Without it, a controller may undo a change before the test that made it has looked.
const watchDelay = 3 * time.Millisecond

// A slowWatches is a store whose watches return changes a little later.
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

// Next returns changes after the delay, or as soon as ctx is done.
func (w slowWatch) Next(ctx context.Context) (storage.Changes, error) {
	changes, err := w.Watch.Next(ctx)
	if err != nil || len(changes.Events) == 0 {
		return changes, err
	}
	select {
	case <-time.After(w.delay):
	case <-ctx.Done():
	}
	return changes, nil
}
