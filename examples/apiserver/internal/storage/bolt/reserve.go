package bolt

import (
	"errors"
	"os"
	"slices"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
)

// A full disk must not keep clients from deleting objects, and a delete needs room, too, for the pages that it changes.
// So the store has a second file beside its own, with zeros. When the disk is full, that file is removed. Then the log
// is emptied, which makes room in the store's file, and nothing is added to it. Only deletes are possible, and updates
// that hardly grow an object, such as the removal of a finalizer. Watches end with 410, and their clients start again.
// Other writes are possible again when the disk has room for the second file. Unused room in the store's own file does
// not suffice: it may be in pieces that are too small.

// errDiskFull is the error of other writes.
var errDiskFull = errors.New("no space left on the disk: only deletions are possible")

// hardly is by how many bytes an update may grow an object while the disk is full.
const hardly = 512

// A reserve is the second file.
type reserve struct {
	file string
	size int
	gone bool      // it was removed, or could not be written: the disk is full
	next time.Time // no attempt to write it before
}

// restore writes the file if it is gone, and reports whether it is there.
func (r *reserve) restore() bool {
	if info, err := os.Stat(r.file); !r.gone && err == nil && info.Size() == int64(r.size) {
		return true
	}
	if r.gone && time.Now().Before(r.next) {
		return false
	}
	if r.gone = !r.write(); r.gone {
		r.remove()
	}
	return !r.gone
}

func (r *reserve) write() bool {
	f, err := os.OpenFile(r.file, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return false
	}
	part := make([]byte, min(r.size, 1<<20))
	for left := r.size; left > 0 && err == nil; left -= len(part) {
		_, err = f.Write(part[:min(left, len(part))])
	}
	return errors.Join(err, f.Sync(), f.Close()) == nil
}

func (r *reserve) remove() {
	_ = os.Remove(r.file)
	r.gone, r.next = true, time.Now().Add(time.Second)
}

// isFull reports whether err means that the disk is full.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// commit does the writes, or on a full disk those that need little room, and answers them.
func (s *Store) commit(batch []*write) {
	var err error
	full := s.reserve.gone && !s.reserve.restore()
	if !full {
		err = s.transact(batch, s.options.Events)
		if isFull(err) {
			s.reserve.remove()
			full = true
		}
	}
	if full {
		err = s.commitOnFullDisk(batch)
	}
	if err != nil {
		for _, w := range batch {
			if w.written, w.err = 0, err; isFull(err) {
				w.err = errDiskFull
			}
		}
	}
	for _, w := range batch {
		close(w.done)
	}
}

// commitOnFullDisk does the writes that need little room, and sets the errors of the others.
func (s *Store) commitOnFullDisk(batch []*write) error {
	possible := slices.DeleteFunc(slices.Clone(batch), func(w *write) bool {
		w.written, w.err = 0, nil
		if w.value != nil && !s.hardlyGrows(w) {
			w.err = errDiskFull
		}
		return w.err != nil
	})
	if err := s.emptyLog(); err != nil || len(possible) == 0 {
		return err
	}
	err := s.transact(possible, 0)
	if isFull(err) && len(possible) > 1 { // one at a time needs less
		for _, w := range possible {
			w.written, w.err = 0, nil
			if err = s.transact([]*write{w}, 0); isFull(err) {
				w.written, w.err, err = 0, errDiskFull, nil
			} else if err != nil {
				return err
			}
		}
	}
	return err
}

// emptyLog drops all changes. Parts of the values that go share pages with parts of others, which are written again. So
// it takes several transactions: each can use the pages that the one before it has freed.
func (s *Store) emptyLog() error {
	const step = 100
	keep := 0
	if err := s.db.View(func(tx *bbolt.Tx) error {
		keep = int(number(tx, revisionKey) - number(tx, compactedKey))
		return nil
	}); err != nil {
		return err
	}
	for keep > 0 {
		keep = max(keep-step, 0)
		if err := s.transact(nil, keep); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) hardlyGrows(w *write) (hardlyGrows bool) {
	_ = s.db.View(func(tx *bbolt.Tx) error {
		stored := tx.Bucket(objectsBucket).Get([]byte(w.key))
		v, err := storedValue(stored)
		hardlyGrows = err == nil && w.expected != 0 && len(w.value) <= v.size+hardly
		return nil
	})
	return hardlyGrows
}
