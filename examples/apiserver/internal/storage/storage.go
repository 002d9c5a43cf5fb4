// Package storage says what the API server needs of a store: keys with values, one revision that counts every change of anything, and
// the changes themselves, in order, from any revision that is not too long ago. Packages bolt and etcd are two of them, and package
// storagetest has the tests that any other one must pass.
package storage

import (
	"context"
	"errors"
)

// What a store refuses. Any other error is a failure of the store itself.
var (
	ErrNotFound  = errors.New("no such key")
	ErrExists    = errors.New("the key exists")
	ErrConflict  = errors.New("the key has another revision")
	ErrCompacted = errors.New("the store no longer knows that revision")
	ErrFuture    = errors.New("the store is not yet at that revision")
	ErrTooLarge  = errors.New("the value is too large for the store")
	ErrClosed    = errors.New("the store is closed")
)

// A Store keeps values under keys. It is safe for concurrent use.
//
// Each write that succeeds takes the store to a higher revision, which is the revision of that key from then on. Revisions start above 0.
// A write has reached the disk when its method returns. If it returns one of the errors above nothing was written; after another error
// nobody knows.
//
// Values are not nil, and belong to the store once they are given to it. What the store returns is the caller's.
type Store interface {
	// Get returns what is under a key, or ErrNotFound.
	Get(ctx context.Context, key string) (Item, error)

	// List returns a page of the keys with a prefix, in byte order, as they were at one revision.
	List(ctx context.Context, r Range) (Page, error)

	// Revision returns that of the latest write.
	Revision(ctx context.Context) (int64, error)

	// Create writes a key that is not there, or returns ErrExists.
	Create(ctx context.Context, key string, value []byte) (revision int64, err error)

	// Update writes a key that has that revision. It returns ErrConflict if it has another, and ErrNotFound if it is not there.
	Update(ctx context.Context, key string, value []byte, revision int64) (written int64, err error)

	// Delete removes a key that has that revision, with the errors of Update.
	Delete(ctx context.Context, key string, revision int64) (written int64, err error)

	// Watch returns the changes of all keys with a prefix after a revision. ErrCompacted may come from here or from Watch.Next.
	Watch(ctx context.Context, prefix string, after int64) (Watch, error)

	// Close ends everything that waits with ErrClosed.
	Close() error
}

// An Item is what is under a key.
type Item struct {
	Key      string
	Value    []byte
	Revision int64 // of the write that put the value there
}

// A Range is what to list.
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
	// Next waits until something has happened in the store, or until ctx is done, whose error it then returns. After any other
	// error, the watch is over.
	Next(ctx context.Context) (Changes, error)

	// Close lets go of what the watch holds.
	Close()
}

// Changes are some that follow each other. There may be none with the prefix: then only the revision has moved on.
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
