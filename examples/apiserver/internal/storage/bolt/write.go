package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"

	"go.etcd.io/bbolt"

	"github.com/crdkit/crdkit/server/storage"
)

// One goroutine does all writes. Small writes that arrive during a transaction are batched in the next one, so they
// share one fsync. Each gets its result after the fsync.

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

// transact does the writes in one transaction, keeps at most that many changes in the log, and notifies the watches.
// The error of a write that it cannot do is in the write.
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
func (w *write) apply(tx *bbolt.Tx, revision int64, logged bool) (grown int, err error) {
	objects, key := tx.Bucket(objectsBucket), []byte(w.key)
	stored := objects.Get(key)
	ch := change{key: key}
	if stored != nil {
		previous, err := storedValue(stored)
		if err != nil {
			return 0, err
		}
		ch.previous = &previous
	}
	switch {
	case w.expected == 0 && stored != nil:
		return 0, storage.ErrExists
	case w.expected != 0 && stored == nil:
		return 0, storage.ErrNotFound
	case w.expected != 0 && w.expected != ch.previous.revision:
		return 0, storage.ErrConflict
	}
	for _, c := range w.conditions {
		if !holds(objects, c) {
			return 0, storage.ErrCondition
		}
	}
	if w.value != nil {
		v, err := newValue(tx, revision, w.value)
		if err != nil {
			return 0, err
		}
		ch.value = &v
	}
	entry := ch.encode() // copies previous, which is in a page that the next lines may change
	if ch.value == nil {
		err = objects.Delete(key)
	} else {
		err = objects.Put(key, ch.value.appendTo(encoded(revision)))
	}
	switch {
	case err != nil:
		return 0, err
	case !logged && ch.previous != nil:
		return 0, ch.previous.drop(tx)
	case !logged:
		return 0, nil
	}
	log := tx.Bucket(logBucket)
	log.FillPercent = 1 // revisions only grow
	return ch.size(len(entry)), log.Put(encoded(revision), entry)
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
		ch, err := decodeChange(k, v)
		if err != nil {
			return 0, 0, err
		}
		compacted, size = decoded(k), size-int64(ch.size(len(v)))
		if ch.previous != nil {
			err = ch.previous.drop(tx)
		}
		if err = errors.Join(err, c.Delete()); err != nil {
			return 0, 0, err
		}
	}
	return compacted, size, nil
}

// A change is an entry of the log.
type change struct {
	key      []byte
	value    *value // nil: deleted
	previous *value // nil: created
}

// size returns how much of the file is kept for an entry of the log that has that length.
func (ch change) size(entry int) int {
	if ch.previous != nil && ch.previous.inline == nil {
		return entry + ch.previous.size
	}
	return entry
}

// encode returns the form of ch in the log: the key with its length, the revision of the previous value, which is 0 if
// there is none, that value, and the new value unless the object was deleted.
func (ch change) encode() []byte {
	out := make([]byte, 0, len(ch.key)+2*inlineValue+6*binary.MaxVarintLen64)
	out = binary.AppendUvarint(out, uint64(len(ch.key)))
	out = append(out, ch.key...)
	if ch.previous == nil {
		out = binary.AppendVarint(out, 0)
	} else {
		out = ch.previous.appendTo(binary.AppendVarint(out, ch.previous.revision))
	}
	if ch.value != nil {
		out = ch.value.appendTo(out)
	}
	return out
}

// decodeChange returns the change of a revision, which is the key of the entry b. The change shares b.
func decodeChange(revision, b []byte) (ch change, err error) {
	size, n := binary.Uvarint(b)
	if n <= 0 || size > uint64(len(b)-n) {
		return ch, errDamaged
	}
	ch.key, b = b[n:n+int(size)], b[n+int(size):]
	before, n := binary.Varint(b)
	if n <= 0 {
		return ch, errDamaged
	}
	if b = b[n:]; before != 0 {
		var v value
		if v, b, err = cutValue(b, before); err != nil {
			return ch, err
		}
		ch.previous = &v
	}
	if len(b) > 0 {
		var v value
		if v, b, err = cutValue(b, decoded(revision)); err != nil || len(b) > 0 {
			return ch, errDamaged
		}
		ch.value = &v
	}
	return ch, nil
}

// event returns the change of that revision as an event, and the size of its values.
func (ch change) event(tx *bbolt.Tx, revision int64) (e storage.Event, size int, err error) {
	e = storage.Event{Key: string(ch.key), Revision: revision}
	if ch.value != nil {
		e.Value, err = ch.value.load(tx)
	}
	if ch.previous != nil && err == nil {
		e.Previous, err = ch.previous.load(tx)
	}
	return e, len(e.Key) + len(e.Value) + len(e.Previous), err
}
