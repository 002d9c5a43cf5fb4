package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"

	"go.etcd.io/bbolt"

	"github.com/crdkit/crdkit/server/storage"
)

// One goroutine does all writes. Small writes that arrive during a transaction are batched in the next one, so they share
// one fsync. Each gets its result after the fsync.

const maxWrites = 256 // in one transaction

// A write is a request to the writer.
type write struct {
	key      string
	value    []byte // nil: delete
	expected int64  // 0: the key must not exist

	conditions []storage.Condition

	written int64
	err     error
	done    chan struct{}
}

// Create implements [storage.Store].
func (s *Store) Create(ctx context.Context, key string, value []byte, conditions ...storage.Condition) (int64, error) {
	return s.send(ctx, &write{key: key, value: value, conditions: conditions})
}

// Update implements [storage.Store].
func (s *Store) Update(ctx context.Context, key string, value []byte, revision int64, conditions ...storage.Condition) (int64, error) {
	return s.send(ctx, &write{key: key, value: value, expected: revision, conditions: conditions})
}

// Delete implements [storage.Store].
func (s *Store) Delete(ctx context.Context, key string, revision int64) (int64, error) {
	return s.send(ctx, &write{key: key, expected: revision})
}

// send waits for the write. After the writer has received it, send ignores the end of ctx, so that its result is
// correct.
func (s *Store) send(ctx context.Context, w *write) (int64, error) {
	w.done = make(chan struct{})
	select {
	case s.writes <- w:
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-s.closing:
		return 0, storage.ErrClosed
	}
	<-w.done
	return w.written, w.err
}

// writer is the goroutine that writes, until the store is closed.
func (s *Store) writer() {
	defer close(s.done)
	var q queue
	for {
		if q.len() == 0 {
			select {
			case w := <-s.writes:
				q.add(w)
			case <-s.closing:
				return
			}
		}
		for more := true; more && q.len() < maxWrites; {
			select {
			case w := <-s.writes:
				q.add(w)
			default:
				more = false
			}
		}
		s.commit(q.next())
	}
}

// largeWrite is the size of a value from which the fsync of a transaction takes much longer.
const largeWrite = 64 << 10

// A queue has the writes that wait. Small ones wait for at most one large one: a transaction has one large write, and
// none if the one before it had one and small ones wait.
type queue struct {
	small, large []*write
	rest         bool // the last transaction had a large write
}

func (q *queue) len() int { return len(q.small) + len(q.large) }

func (q *queue) add(w *write) {
	if len(w.value) < largeWrite {
		q.small = append(q.small, w)
	} else {
		q.large = append(q.large, w)
	}
}

// next removes the writes of the next transaction, and returns them. The queue must not be empty.
func (q *queue) next() []*write {
	batch := q.small
	q.small = nil
	q.rest = len(q.large) > 0 && (len(batch) == 0 || !q.rest)
	if q.rest {
		batch, q.large = append(batch, q.large[0]), q.large[1:]
	}
	return batch
}

// errUnchanged rolls back a transaction without successful writes, which needs no fsync.
var errUnchanged = errors.New("unchanged")

// transact does the writes in one transaction, keeps at most that many changes in the log, and notifies the watches. The
// error of a write that it cannot do is in the write.
func (s *Store) transact(batch []*write, events int) error {
	var latest int64
	err := s.db.Update(func(tx *bbolt.Tx) error {
		latest = number(tx, revisionKey)
		size := number(tx, bytesKey)
		for _, w := range batch {
			n, err := w.apply(tx, latest+1, events > 0)
			switch {
			case errors.Is(err, storage.ErrNotFound), errors.Is(err, storage.ErrExists), errors.Is(err, storage.ErrConflict),
				errors.Is(err, storage.ErrCondition):
				w.err = err // the error of this write only
			case err != nil:
				return err
			default:
				latest++
				size += int64(n)
				w.written = latest
			}
		}
		before := number(tx, compactedKey)
		compacted, size, err := s.compact(tx, latest, size, events)
		if err != nil {
			return err
		}
		if latest == number(tx, revisionKey) && compacted == before {
			return errUnchanged
		}
		return setNumbers(tx, map[string]int64{
			string(revisionKey): latest, string(compactedKey): compacted, string(bytesKey): size,
		})
	})
	switch {
	case err == nil:
		s.mu.Lock()
		s.revision = latest
		close(s.changed)
		s.changed = make(chan struct{})
		s.mu.Unlock()
	case errors.Is(err, errUnchanged):
		err = nil
	}
	return err
}

// apply does one write, and returns by how many bytes the log has grown.
func (w *write) apply(tx *bbolt.Tx, revision int64, logged bool) (int, error) {
	objects, key := tx.Bucket(objectsBucket), []byte(w.key)
	ch := change{key: key, value: w.value}
	stored := objects.Get(key)
	if stored != nil {
		ch.previousRevision, ch.previous = decoded(stored), stored[8:]
	}
	switch {
	case w.expected == 0 && stored != nil:
		return 0, storage.ErrExists
	case w.expected != 0 && stored == nil:
		return 0, storage.ErrNotFound
	case w.expected != 0 && w.expected != ch.previousRevision:
		return 0, storage.ErrConflict
	}
	for _, c := range w.conditions {
		if !holds(objects, c) {
			return 0, storage.ErrCondition
		}
	}
	entry := ch.encode() // copies previous, which is in a page that the next line may change
	var err error
	if w.value == nil {
		err = objects.Delete(key)
	} else {
		err = objects.Put(key, append(encoded(revision), w.value...))
	}
	if err != nil || !logged {
		return 0, err
	}
	log := tx.Bucket(logBucket)
	log.FillPercent = 1 // revisions only grow
	return len(entry), log.Put(encoded(revision), entry)
}

// holds reports whether a condition holds.
func holds(objects *bbolt.Bucket, c storage.Condition) bool {
	if c.Key != "" {
		stored := objects.Get([]byte(c.Key))
		return stored != nil && decoded(stored) == c.Revision
	}
	cursor, prefix := objects.Cursor(), []byte(c.Prefix)
	for k, v := cursor.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, v = cursor.Next() {
		if decoded(v) > c.Revision {
			return false
		}
	}
	return true
}

// compact drops the oldest changes until the log has at most that many, and is within its size. It returns the last
// dropped revision, and the log's size.
func (s *Store) compact(tx *bbolt.Tx, latest, size int64, events int) (compacted, left int64, err error) {
	compacted = number(tx, compactedKey)
	c := tx.Bucket(logBucket).Cursor()
	for latest-compacted > int64(events) || size > int64(s.options.Bytes) && latest-compacted > 1 {
		k, v := c.First()
		if k == nil { // the latest changes are not in the log
			compacted, size = latest, 0
			break
		}
		compacted, size = decoded(k), size-int64(len(v))
		if err := c.Delete(); err != nil {
			return 0, 0, err
		}
	}
	return compacted, size, nil
}

// A change is an entry of the log.
type change struct {
	key              []byte
	value            []byte // nil: deleted
	previousRevision int64
	previous         []byte // nil: created
}

func (ch change) encode() []byte {
	out := make([]byte, 0, len(ch.key)+len(ch.value)+len(ch.previous)+4*binary.MaxVarintLen64)
	out = binary.AppendVarint(out, ch.previousRevision)
	for _, field := range [][]byte{ch.key, ch.previous, ch.value} {
		n := int64(-1)
		if field != nil {
			n = int64(len(field))
		}
		out = append(binary.AppendVarint(out, n), field...)
	}
	return out
}

var errDamaged = errors.New("the log is damaged")

// decodeChange returns a change that shares b.
func decodeChange(b []byte) (ch change, err error) {
	var n int
	if ch.previousRevision, n = binary.Varint(b); n <= 0 {
		return ch, errDamaged
	}
	b = b[n:]
	for _, field := range []*[]byte{&ch.key, &ch.previous, &ch.value} {
		size, n := binary.Varint(b)
		if n <= 0 || size > int64(len(b)-n) {
			return ch, errDamaged
		}
		if b = b[n:]; size >= 0 {
			*field, b = b[:size:size], b[size:]
		}
	}
	return ch, nil
}

// event returns the change of that revision as an event.
func (ch change) event(revision int64) storage.Event {
	return storage.Event{
		Key: string(ch.key), Revision: revision, Value: bytes.Clone(ch.value), Previous: bytes.Clone(ch.previous),
	}
}
