package follow

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/crdkit/crdkit/server/storage"
)

// A Follower calls Put and Publish for what a store has below a prefix, one at a time. Its exported fields must be set
// before Load, and Load and Run must not run concurrently. Wait and Changed are safe for concurrent use; if nothing is
// loaded, there are no changes.
type Follower struct {
	Store  storage.Store
	Log    *slog.Logger
	Prefix string
	What   string // the name of the values in the log, in the plural

	// Put stores a value, or forgets it if value is nil.
	Put func(key string, value []byte, revision int64)
	// Publish makes visible what Put has done, after all changes up to a revision. It must not call the follower.
	Publish func(revision int64)

	known map[string]bool // the keys of the values that Put has stored

	mu       sync.Mutex // guards what follows
	revision int64
	changed  chan struct{} // closed at the next change
}

// Load reads all that is stored, and forgets what is no longer stored. If the store fails, Load returns the error and
// changes nothing. It must be called before [Follower.Run].
func (f *Follower) Load(ctx context.Context) error {
	page, err := f.Store.List(ctx, storage.Range{Prefix: f.Prefix})
	if err != nil {
		return err
	}
	before := f.known
	f.known = make(map[string]bool, len(page.Items))
	for _, item := range page.Items {
		f.put(item.Key, item.Value, item.Revision)
		delete(before, item.Key)
	}
	for key := range before {
		f.put(key, nil, page.Revision)
	}
	f.reached(page.Revision)
	return nil
}

// Run follows the store until ctx is done or the store is closed. After other errors it loads all again.
func (f *Follower) Run(ctx context.Context) {
	for ctx.Err() == nil {
		err := f.follow(ctx)
		if errors.Is(err, storage.ErrClosed) || ctx.Err() != nil {
			return
		}
		f.Log.Warn("reading all "+f.What+" again", "error", err)
		if err = f.Load(ctx); err != nil {
			f.Log.Error("cannot read "+f.What, "error", err)
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
		}
	}
}

// follow applies changes until there is an error.
func (f *Follower) follow(ctx context.Context) error {
	w, err := f.Store.Watch(ctx, f.Prefix, f.revision)
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

func (f *Follower) put(key string, value []byte, revision int64) {
	if value != nil {
		f.known[key] = true
	} else {
		delete(f.known, key)
	}
	f.Put(key, value, revision)
}

// reached publishes, which may take long, and wakes those who wait.
func (f *Follower) reached(revision int64) {
	f.Publish(revision)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.revision = revision
	if f.changed != nil {
		close(f.changed)
	}
	f.changed = make(chan struct{})
}

// Changed returns a channel that is closed when the next change is visible, or one that has just become visible.
func (f *Follower) Changed() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.changed
}

// Wait waits until all changes up to a revision are visible. It returns ctx's error if ctx is done before.
func (f *Follower) Wait(ctx context.Context, revision int64) error {
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
