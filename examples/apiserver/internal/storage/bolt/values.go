package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"

	"go.etcd.io/bbolt"

	"github.com/crdkit/crdkit/server/storage"
)

// A write rewrites a whole leaf of the tree, and a deletion may merge it with its neighbour. A leaf has at least two
// entries, so an entry of 2 MB would be written again with each write of a small object beside it. So large values are
// split into parts in a bucket of their own. A large value is named by the revision that wrote it, in objects and in
// the log. It is dropped with the log's entry of the change that replaced it.

const (
	inlineValue = 8 << 10 // maximum size of a value in objects and in the log
	partSize    = 16 << 10
	maxValue    = 1 << 30 // far above the size of any value that a server writes
)

var largeBucket = []byte("large")

// A value is the value of a key in a revision.
type value struct {
	revision int64
	inline   []byte // nil: the value is in the bucket of large values
	size     int
}

var errDamaged = errors.New("the file is damaged")

// appendTo appends the form of v in objects and in the log, without its revision: the size, 1 if the value is large or
// else 0, and the value.
func (v value) appendTo(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(v.size))
	if v.inline == nil {
		return append(b, 1)
	}
	return append(append(b, 0), v.inline...)
}

// cutValue returns the value of that revision at the beginning of b, which it shares, and the rest of b.
func cutValue(b []byte, revision int64) (v value, rest []byte, err error) {
	size, n := binary.Uvarint(b)
	if n <= 0 || n == len(b) || size > maxValue || b[n] > 1 {
		return v, nil, errDamaged
	}
	v = value{revision: revision, size: int(size)}
	large, b := b[n] == 1, b[n+1:]
	if large {
		return v, b, nil
	}
	if v.size > len(b) {
		return v, nil, errDamaged
	}
	v.inline = b[:v.size:v.size]
	return v, b[v.size:], nil
}

// storedValue returns the value of an entry of objects.
func storedValue(stored []byte) (value, error) {
	if len(stored) < 8 {
		return value{}, errDamaged
	}
	v, _, err := cutValue(stored[8:], decoded(stored))
	return v, err
}

// itemOf returns a copy of an entry of objects.
func itemOf(tx *bbolt.Tx, key, stored []byte) (storage.Item, error) {
	v, err := storedValue(stored)
	if err != nil {
		return storage.Item{}, err
	}
	b, err := v.load(tx)
	return storage.Item{Key: string(key), Value: b, Revision: v.revision}, err
}

// newValue returns a value, after it has written it to the bucket of large values if it is large.
func newValue(tx *bbolt.Tx, revision int64, b []byte) (value, error) {
	v := value{revision: revision, inline: b, size: len(b)}
	if len(b) <= inlineValue {
		return v, nil
	}
	v.inline = nil
	large := tx.Bucket(largeBucket)
	large.FillPercent = 1 // revisions only grow
	for i := 0; len(b) > 0; i++ {
		n := min(len(b), partSize)
		if err := large.Put(v.partKey(i), b[:n]); err != nil {
			return v, err
		}
		b = b[n:]
	}
	return v, nil
}

// partKey returns the key of a part in the bucket of large values.
func (v value) partKey(i int) []byte {
	return binary.BigEndian.AppendUint32(encoded(v.revision), uint32(i))
}

// load returns a copy of v.
func (v value) load(tx *bbolt.Tx) ([]byte, error) {
	if v.inline != nil {
		return bytes.Clone(v.inline), nil
	}
	prefix, c := encoded(v.revision), tx.Bucket(largeBucket).Cursor()
	b := make([]byte, 0, min(v.size, 4<<20)) // the size may be damaged
	for k, part := c.Seek(prefix); bytes.HasPrefix(k, prefix) && len(b) < v.size; k, part = c.Next() {
		b = append(b, part...)
	}
	if len(b) != v.size {
		return nil, errDamaged
	}
	return b, nil
}

// drop removes v from the bucket of large values, if it is there.
func (v value) drop(tx *bbolt.Tx) error {
	if v.inline != nil {
		return nil
	}
	large := tx.Bucket(largeBucket)
	for i := range (v.size + partSize - 1) / partSize {
		if err := large.Delete(v.partKey(i)); err != nil {
			return err
		}
	}
	return nil
}
