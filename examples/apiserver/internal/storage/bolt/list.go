package bolt

import (
	"maps"
	"slices"
	"strings"

	"go.etcd.io/bbolt"

	"github.com/crdkit/crdkit/server/storage"
)

// collect merges the current objects and the old items, both in byte order, into one page, and counts the remaining
// ones.
func collect(tx *bbolt.Tx, r storage.Range, undone map[string]*storage.Item) (items []storage.Item, remaining int64) {
	size := 0
	add := func(item func() storage.Item) {
		if r.Limit > 0 && len(items) == r.Limit || r.Bytes > 0 && size > r.Bytes {
			remaining++ // counted without being copied
			return
		}
		next := item()
		items, size = append(items, next), size+len(next.Value)
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
			add(func() storage.Item { return *undone[older[0]] })
			older = older[1:]
		}
		if _, has := undone[string(k)]; !has {
			add(func() storage.Item { return itemOf(k, v) })
		}
	}
	for _, key := range older {
		add(func() storage.Item { return *undone[key] })
	}
	return items, remaining
}
