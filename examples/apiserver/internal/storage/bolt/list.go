package bolt

import (
	"maps"
	"slices"
	"strings"

	"go.etcd.io/bbolt"

	"github.com/crdkit/crdkit/server/storage"
)

// collect merges the current objects and the old values, both in byte order, into one page, and counts the remaining
// ones.
func collect(tx *bbolt.Tx, r storage.Range, undone map[string]*value) (items []storage.Item, remaining int64, err error) {
	size := 0
	add := func(item func() (storage.Item, error)) {
		if err != nil {
			return
		}
		if r.Limit > 0 && len(items) == r.Limit || r.Bytes > 0 && size > r.Bytes {
			remaining++ // counted without being copied
			return
		}
		var next storage.Item
		next, err = item()
		items, size = append(items, next), size+len(next.Value)
	}
	undo := func(key string) func() (storage.Item, error) {
		return func() (storage.Item, error) {
			b, err := undone[key].load(tx)
			return storage.Item{Key: key, Value: b, Revision: undone[key].revision}, err
		}
	}
	older := slices.Sorted(maps.Keys(undone))
	older = slices.DeleteFunc(older, func(key string) bool { return key <= r.After || undone[key] == nil })
	c := tx.Bucket(objectsBucket).Cursor()
	k, v := c.Seek([]byte(max(r.Prefix, r.After)))
	if k != nil && string(k) == r.After {
		k, v = c.Next()
	}
	for ; k != nil && strings.HasPrefix(string(k), r.Prefix); k, v = c.Next() {
		for len(older) > 0 && older[0] < string(k) {
			add(undo(older[0]))
			older = older[1:]
		}
		if _, has := undone[string(k)]; !has {
			add(func() (storage.Item, error) { return itemOf(tx, k, v) })
		}
	}
	for _, key := range older {
		add(undo(key))
	}
	return items, remaining, err
}
