package verdict

import (
	"hash/maphash"
	"math"
	"math/bits"
	"sync"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// Unique checks uniqueItems (VAL-040): no two items are equal. Numbers of different types are never equal. It takes
// linear time, unless items are built to differ only at depth; a server compares each with each.
func Unique(items []any) bool {
	return differ(items, func(h hasher, v any) uint64 { return h.value(v, hashedLevels) }, jsonval.Equal)
}

const (
	// fewItems is the number of items up to which comparing each with each is faster than a table.
	fewItems = 16
	// manyItems is the number of items up to which the table is on the stack.
	manyItems = 256
)

// A table for more items is reused, unless it is larger than most lists need: as garbage, it would cost more than
// checking the list.
var tables = sync.Pool{New: func() any { return new([]uint64) }}

const largestTable = 1 << 14

// differ reports whether no two items are equal. Equal items have the same hash.
func differ(items []any, hash func(h hasher, v any) uint64, equal func(v, w any) bool) bool {
	if len(items) <= fewItems {
		for i, v := range items {
			for _, w := range items[:i] {
				if equal(v, w) {
					return false
				}
			}
		}
		return true
	}
	return differMany(items, hash, equal)
}

// differMany is differ with a table, so that it takes linear time.
func differMany(items []any, hash func(h hasher, v any) uint64, equal func(v, w any) bool) bool {
	if len(items) <= manyItems {
		var slots [2 * manyItems]uint64
		return fill(slots[:], items, hash, equal)
	}
	table := tables.Get().(*[]uint64)
	size := 1 << bits.Len(uint(2*len(items)-1)) // at most half full
	if size > len(*table) {
		*table = make([]uint64, size)
	}
	slots := (*table)[:size]
	clear(slots)
	answer := fill(slots, items, hash, equal)
	if size <= largestTable {
		tables.Put(table)
	}
	return answer
}

// fill is differMany with zeroed slots. They get the upper halves of hashes, and the indexes of their items plus one
// (open addressing).
func fill(slots []uint64, items []any, hash func(h hasher, v any) uint64, equal func(v, w any) bool) bool {
	const index = math.MaxUint32
	last := uint64(len(slots) - 1)
	h := hasher{maphash.MakeSeed()}
	for i, v := range items {
		sum := hash(h, v)
		at := sum & last
		for ; slots[at] != 0; at = (at + 1) & last {
			if slots[at]&^index == sum&^index && equal(v, items[slots[at]&index-1]) {
				return false
			}
		}
		slots[at] = sum&^index | uint64(i+1)
	}
	return true
}

// hashedLevels is how deep a hash goes: enough to distinguish the items of real lists, and few enough for values that
// contain themselves.
const hashedLevels = 2

// A hasher hashes equal values to equal sums.
type hasher struct{ seed maphash.Seed }

func (h hasher) value(v any, levels int) uint64 {
	switch x := v.(type) {
	case string:
		return maphash.String(h.seed, x)
	case bool:
		return maphash.Comparable(h.seed, x)
	case int64:
		return maphash.Comparable(h.seed, x)
	case float64:
		if x == 0 {
			x = 0 // -0 is equal to 0
		}
		return maphash.Comparable(h.seed, math.Float64bits(x))
	case []any:
		sum := uint64(len(x))
		if levels > 0 {
			for _, c := range x {
				sum = sum*31 + h.value(c, levels-1)
			}
		}
		return sum
	case map[string]any:
		sum := uint64(len(x)) << 32
		if levels > 0 {
			for k, c := range x {
				sum += maphash.String(h.seed, k) ^ 31*h.value(c, levels-1)
			}
		}
		return sum
	}
	return 0
}
