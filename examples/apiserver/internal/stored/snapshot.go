package stored

import (
	"errors"
	"fmt"
	"hash/maphash"
	"iter"
	"strings"
	"time"

	"go.etcd.io/bbolt"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"google.golang.org/protobuf/proto"
)

// Snapshot returns the objects whose keys begin with prefix in an etcd snapshot, a file of etcdctl snapshot save: the
// latest version of each. In a cluster of Kubernetes the objects of a definition are below /registry/GROUP/PLURAL/.
//
// It reads the history of the store backwards.
func Snapshot(name, prefix string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		db, err := bbolt.Open(name, 0o400, &bbolt.Options{ReadOnly: true, Timeout: 2 * time.Second})
		if err != nil {
			yield(nil, fmt.Errorf("%s: %w", name, err))
			return
		}
		defer db.Close()
		if err := db.View(func(tx *bbolt.Tx) error { return latest(tx, prefix, yield) }); err != nil {
			yield(nil, fmt.Errorf("%s: %w", name, err))
		}
	}
}

// keyBucket has a pair for each change: the revision, and the key with its value.
const keyBucket = "key"

// The length of a revision: two numbers of 8 bytes, and a byte between them. A letter after it marks a deletion.
const (
	revisionLength  = 8 + 1 + 8
	tombstoneLength = revisionLength + 1
)

func latest(tx *bbolt.Tx, prefix string, yield func([]byte, error) bool) error {
	bucket := tx.Bucket([]byte(keyBucket))
	if bucket == nil {
		return errors.New("this is not an etcd snapshot")
	}
	seen := map[sum]struct{}{}
	seeds := [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}
	c := bucket.Cursor()
	for revision, pair := c.Last(); revision != nil; revision, pair = c.Prev() {
		if len(revision) != revisionLength && len(revision) != tombstoneLength {
			return fmt.Errorf("a revision has %d bytes", len(revision))
		}
		var kv mvccpb.KeyValue
		if err := proto.Unmarshal(pair, &kv); err != nil {
			if !yield(nil, fmt.Errorf("revision %x: %w", revision, err)) {
				return nil
			}
			continue
		}
		key := string(kv.Key)
		if !strings.HasPrefix(key, prefix) {
			continue
		}
		of := sum{maphash.String(seeds[0], key), maphash.String(seeds[1], key)}
		if _, later := seen[of]; later {
			continue
		}
		seen[of] = struct{}{}
		if len(revision) == revisionLength && !object(key, kv.Value, yield) {
			return nil
		}
	}
	return nil
}

// A sum is the hash of a key. It has enough bits to make collisions practically impossible.
type sum [2]uint64
