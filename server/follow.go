package server

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/crdkit/crdkit/server/storage"
)

// A follower keeps what the store has below a prefix up to date in memory, including what other servers write. It calls
// its functions one at a time.
type follower struct {
	store  storage.Store
	log    *slog.Logger
	prefix string
	what   string // for the log, in the plural

	reset   func()                                         // forgets everything
	put     func(key string, value []byte, revision int64) // stores a value, or forgets it if it is nil
	publish func()                                         // makes visible what put has stored

	mu       sync.Mutex // guards what follows
	revision int64
	changed  chan struct{} // closed at the next change
}

// start reads what is stored.
func (f *follower) start(ctx context.Context) error {
	f.changed = make(chan struct{})
	return f.load(ctx)
}

// run follows the store until ctx is done.
func (f *follower) run(ctx context.Context) {
	for ctx.Err() == nil {
		err := f.follow(ctx)
		if errors.Is(err, storage.ErrClosed) || ctx.Err() != nil {
			return
		}
		f.log.Warn("reading all "+f.what+" again", "error", err)
		if err = f.load(ctx); err != nil {
			f.log.Error("cannot read "+f.what, "error", err)
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
		}
	}
}

func (f *follower) load(ctx context.Context) error {
	page, err := f.store.List(ctx, storage.Range{Prefix: f.prefix})
	if err != nil {
		return err
	}
	f.reset()
	for _, item := range page.Items {
		f.put(item.Key, item.Value, item.Revision)
	}
	f.reached(page.Revision)
	return nil
}

func (f *follower) follow(ctx context.Context) error {
	w, err := f.store.Watch(ctx, f.prefix, f.revision)
	if err != nil {
		return err
	}
	defer w.Close()
	for {
		changes, err := w.Next(ctx)
		if err != nil {
			return err
		}
		for _, e := range changes.Events {
			f.put(e.Key, e.Value, e.Revision)
		}
		if len(changes.Events) > 0 {
			f.reached(changes.Revision)
		}
	}
}

func (f *follower) reached(revision int64) {
	f.publish()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.revision = revision
	close(f.changed)
	f.changed = make(chan struct{})
}

// wait waits until all changes up to a revision are visible.
func (f *follower) wait(ctx context.Context, revision int64) error {
	for {
		f.mu.Lock()
		reached, changed := f.revision >= revision, f.changed
		f.mu.Unlock()
		if reached {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
