package storage

import (
	"context"
	"errors"
)

// The errors of stores. A store may wrap them. Any other error is a failure of the store itself.
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
// Each successful write increases the revision of the store, and the key gets the new revision. Revisions are greater
// than 0. A durable store has persisted a write when the method returns. If a write returns one of the errors above,
// nothing was written; after any other error, the write may or may not have happened.
//
// Values are not nil, and they are immutable: neither the store nor its callers modify a value after they have passed
// it to the other.
type Store interface {
	// Get returns the item with a key, or ErrNotFound.
	Get(ctx context.Context, key string) (Item, error)

	// List returns a page of the keys with a prefix, in byte order, as they were at one revision.
	List(ctx context.Context, r Range) (Page, error)

	// Revision returns the revision of the latest write.
	Revision(ctx context.Context) (int64, error)

	// Create writes a new key, or returns ErrExists. If the conditions do not hold at the time of the write, it returns
	// ErrCondition.
	Create(ctx context.Context, key string, value []byte, conditions ...Condition) (revision int64, err error)

	// Update writes a key that has the given revision. It returns ErrConflict if the key has another revision, and
	// ErrNotFound if it does not exist. The conditions are as in Create.
	Update(ctx context.Context, key string, value []byte, revision int64, conditions ...Condition) (written int64, err error)

	// Delete removes a key that has the given revision. Its errors are those of Update.
	Delete(ctx context.Context, key string, revision int64) (written int64, err error)

	// Watch returns the changes of all keys with a prefix after a revision. Either Watch or Watch.Next may return
	// ErrCompacted.
	Watch(ctx context.Context, prefix string, after int64) (Watch, error)

	// Close ends the store. Waiting calls and later calls return ErrClosed.
	Close() error
}

// An Item is a key with its value.
type Item struct {
	Key      string
	Value    []byte
	Revision int64 // the revision of the write
}

// A Condition of a write is about other keys. Servers that share a store use it to prevent conflicting writes.
type Condition struct {
	Key      string // the key has Revision; or, if Key is empty,
	Prefix   string // no key with this prefix has a revision above Revision
	Revision int64
}

// A Range says what to list.
type Range struct {
	Prefix   string
	After    string // the last key of the previous page; empty for the first page
	Limit    int    // 0: no limit
	Bytes    int    // the page ends with the item whose value makes the total larger than this; 0: no limit
	Revision int64  // 0: the latest
}

// A Page is one page of a list.
type Page struct {
	Items     []Item
	Revision  int64 // the revision of the list, for the Range of the following pages
	Remaining int64 // the number of keys after this page
}

// A Watch is a reader of changes. It is not safe for concurrent use.
type Watch interface {
	// Next waits for changes and returns them. If ctx is done it returns the context's error. After any other error,
	// the watch has ended. It returns ErrCompacted if the store no longer has the next changes, because the reader is
	// too slow.
	Next(ctx context.Context) (Changes, error)

	// Close releases the resources of the watch.
	Close()
}

// Changes are consecutive changes. Events is empty if only other keys have changed.
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
