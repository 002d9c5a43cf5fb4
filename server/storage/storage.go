package storage

import (
	"context"
	"errors"
)

// The errors of stores, which a store may wrap. Any other error is a failure of the store itself.
var (
	ErrNotFound  = errors.New("no such key")
	ErrExists    = errors.New("the key exists")
	ErrConflict  = errors.New("the key has another revision")
	ErrCondition = errors.New("a condition of the write does not hold")
	ErrCompacted = errors.New("the store no longer knows that revision")
	ErrFuture    = errors.New("the store is not yet at that revision")
	ErrTooLarge  = errors.New("the value is too large for the store")
	ErrClosed    = errors.New("the store is closed")
)

// A Store keeps values under keys. It is safe for concurrent use.
//
// Each write that succeeds takes the store to a higher revision, which is the revision of that key from then on. Revisions start above 0.
// A write is durable when its method returns, as far as the store is. If it returns one of the errors above, nothing was written; after any
// other error, the write may or may not have happened.
//
// Values are not nil, and they are immutable: neither the store nor its callers modify a value that one has passed to the other.
type Store interface {
	// Get returns what is under a key, or ErrNotFound.
	Get(ctx context.Context, key string) (Item, error)

	// List returns a page of the keys with a prefix, in byte order, as they were at one revision.
	List(ctx context.Context, r Range) (Page, error)

	// Revision returns the revision of the latest write.
	Revision(ctx context.Context) (int64, error)

	// Create writes a key that is not there, or returns ErrExists. The conditions hold at the moment of the write, or it returns
	// ErrCondition.
	Create(ctx context.Context, key string, value []byte, conditions ...Condition) (revision int64, err error)

	// Update writes a key that has that revision. It returns ErrConflict if it has another, and ErrNotFound if it is not there. The
	// conditions are as in Create.
	Update(ctx context.Context, key string, value []byte, revision int64, conditions ...Condition) (written int64, err error)

	// Delete removes a key that has that revision, with the errors of Update.
	Delete(ctx context.Context, key string, revision int64) (written int64, err error)

	// Watch returns the changes of all keys with a prefix after a revision. ErrCompacted may come from here or from Watch.Next.
	Watch(ctx context.Context, prefix string, after int64) (Watch, error)

	// Close ends the store. Calls that wait, and later ones, return ErrClosed.
	Close() error
}

// An Item is what is under a key.
type Item struct {
	Key      string
	Value    []byte
	Revision int64 // of the write that put the value there
}

// A Condition of a write is about other keys: so writes of several servers on one store guard each other.
type Condition struct {
	Key      string // has this Revision; or, if Key is empty,
	Prefix   string // no key with this prefix has a higher one
	Revision int64
}

// A Range says what to list.
type Range struct {
	Prefix   string
	After    string // the last key of the page before; empty for the first page
	Limit    int    // 0: no limit
	Revision int64  // 0: the latest
}

// A Page is a part of a list.
type Page struct {
	Items     []Item
	Revision  int64 // that of the list: pages that follow have to ask for it
	Remaining int64 // how many keys come after this page
}

// A Watch is a reader of changes. It is for one goroutine.
type Watch interface {
	// Next waits for changes, or until ctx is done, and then returns the context's error. After any other error, the watch is over. A
	// reader that is so slow that the store no longer has the changes that it has not read gets ErrCompacted.
	Next(ctx context.Context) (Changes, error)

	// Close releases the resources of the watch.
	Close()
}

// Changes are consecutive changes. Events may be empty: then there were only changes of other keys.
type Changes struct {
	Events   []Event
	Revision int64 // all changes up to here have been returned, by this call or an earlier one
}

// An Event is a change of one key.
type Event struct {
	Key      string
	Revision int64
	Value    []byte // nil: the key was deleted
	Previous []byte // nil: the key was created
}
