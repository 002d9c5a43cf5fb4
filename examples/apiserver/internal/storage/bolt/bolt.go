// Package bolt is a store in one file, for one process: a bbolt database.
//
// There are four buckets: objects maps keys to a revision and a value; log maps revisions to changes, each with the
// value before and the value after it; large has the values that are too large for these two; meta has counters. A
// watch reads the log. A list at an older revision is the current objects without the changes since. Both reach back as
// far as the log.
package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/crdkit/crdkit/server/storage"
)

// Options limit the log. The zero value has good defaults.
type Options struct {
	Events int // maximum number of changes; 0 is 10,000
	Bytes  int // maximum size of the changes, with the old values that only they keep; 0 is 256 MiB. The latest one stays.
	// Reserve is the size of a file that keeps room on the disk for deletions. Its name is that of the store with
	// .reserve behind. 0 is 16 MiB.
	Reserve int
}

var (
	objectsBucket = []byte("objects")
	logBucket     = []byte("log")
	metaBucket    = []byte("meta")

	revisionKey  = []byte("revision")  // of the latest change
	compactedKey = []byte("compacted") // of the latest change that is no longer in the log
	bytesKey     = []byte("bytes")     // size of the log
)

// checkForm returns an error if the file has objects in another form than this version writes.
func checkForm(tx *bbolt.Tx) error {
	if tx.Bucket(objectsBucket) != nil && tx.Bucket(largeBucket) == nil {
		return errors.New("the file is from an earlier version of this program")
	}
	return nil
}

// A Store is a file. It is a [storage.Store].
type Store struct {
	db      *bbolt.DB
	options Options
	writes  chan *write
	closing chan struct{} // closed by Close
	done    chan struct{} // closed when the writer has ended
	once    sync.Once
	reserve reserve // used by the writer

	mu       sync.Mutex
	revision int64         // the latest that is on disk
	changed  chan struct{} // closed at the next one
}

var _ storage.Store = (*Store)(nil)

// Open opens or creates the store in a file. The file is locked for other processes.
func Open(file string, o Options) (*Store, error) {
	if o.Events <= 0 {
		o.Events = 10_000
	}
	if o.Bytes <= 0 {
		o.Bytes = 256 << 20
	}
	if o.Reserve <= 0 {
		o.Reserve = 16 << 20
	}
	db, err := bbolt.Open(file, 0o600, &bbolt.Options{Timeout: 2 * time.Second, FreelistType: bbolt.FreelistMapType})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	s := &Store{
		db: db, options: o, reserve: reserve{file: file + ".reserve", size: o.Reserve},
		writes: make(chan *write), closing: make(chan struct{}), done: make(chan struct{}), changed: make(chan struct{}),
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		if err := checkForm(tx); err != nil {
			return err
		}
		for _, name := range [][]byte{objectsBucket, logBucket, largeBucket, metaBucket} {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		// Revisions start at 1, because 0 means "not set" to clients.
		if s.revision = number(tx, revisionKey); s.revision == 0 {
			s.revision = 1
			return setNumbers(tx, map[string]int64{string(revisionKey): 1, string(compactedKey): 1})
		}
		return nil
	})
	if err != nil {
		db.Close()
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	s.reserve.restore()
	go s.writer()
	return s, nil
}

// Close waits for the writes in progress.
func (s *Store) Close() error {
	s.once.Do(func() { close(s.closing) })
	<-s.done
	return s.db.Close()
}

// Get implements [storage.Store].
func (s *Store) Get(ctx context.Context, key string) (item storage.Item, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		stored := tx.Bucket(objectsBucket).Get([]byte(key))
		if stored == nil {
			return storage.ErrNotFound
		}
		item, err = itemOf(tx, []byte(key), stored)
		return err
	})
	return item, err
}

// Revision implements [storage.Store].
func (s *Store) Revision(ctx context.Context) (int64, error) {
	revision, _ := s.latest()
	return revision, ctx.Err()
}

// latest returns the revision that is on disk, and a channel that is closed at the next one.
func (s *Store) latest() (int64, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.revision, s.changed
}

// List implements [storage.Store].
func (s *Store) List(ctx context.Context, r storage.Range) (page storage.Page, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		page.Revision = number(tx, revisionKey)
		undone := map[string]*value{}
		switch {
		case r.Revision > page.Revision:
			return storage.ErrFuture
		case r.Revision > 0 && r.Revision < number(tx, compactedKey):
			return storage.ErrCompacted
		case r.Revision > 0:
			var err error
			if undone, err = undo(tx, r.Prefix, r.Revision); err != nil {
				return err
			}
			page.Revision = r.Revision
		}
		var err error
		page.Items, page.Remaining, err = collect(tx, r, undone)
		return err
	})
	return page, err
}

// undo returns the keys with a prefix that have changed after a revision, with their values then, nil if they were
// created. The values share memory of the transaction.
func undo(tx *bbolt.Tx, prefix string, revision int64) (map[string]*value, error) {
	undone := map[string]*value{}
	c := tx.Bucket(logBucket).Cursor()
	for k, v := c.Seek(encoded(revision + 1)); k != nil; k, v = c.Next() {
		ch, err := decodeChange(k, v)
		if err != nil {
			return nil, err
		}
		if !bytes.HasPrefix(ch.key, []byte(prefix)) {
			continue
		}
		if _, has := undone[string(ch.key)]; !has { // the first change has the old value
			undone[string(ch.key)] = ch.previous
		}
	}
	return undone, nil
}

// view runs a read transaction, unless the store is closed.
func (s *Store) view(ctx context.Context, read func(*bbolt.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-s.closing:
		return storage.ErrClosed
	default:
	}
	err := s.db.View(read)
	if errors.Is(err, bolterrors.ErrDatabaseNotOpen) {
		return storage.ErrClosed
	}
	return err
}

func encoded(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

func decoded(b []byte) int64 { return int64(binary.BigEndian.Uint64(b)) }

// number returns a counter in meta, 0 if there is none.
func number(tx *bbolt.Tx, key []byte) int64 {
	if b := tx.Bucket(metaBucket).Get(key); b != nil {
		return decoded(b)
	}
	return 0
}

func setNumbers(tx *bbolt.Tx, numbers map[string]int64) error {
	for key, n := range numbers {
		if err := tx.Bucket(metaBucket).Put([]byte(key), encoded(n)); err != nil {
			return err
		}
	}
	return nil
}
