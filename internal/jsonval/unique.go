package jsonval

import (
	"hash/maphash"
	"math"
	"math/bits"
	"sync"
)

// Unique checks uniqueItems (VAL-040): no two items are equal. Numbers of different types are never equal. It takes
// linear time, unless items differ only at greater depth than is hashed; a server compares all pairs.
func Unique(items []any) bool {
	return Differ(len(items),
		func(i int) uint64 { return Hash(items[i], hashedLevels) },
		func(i, j int) bool { return Equal(items[i], items[j]) })
}

const (
	// FewItems is the number of items up to which comparing all pairs is faster than a hash table.
	FewItems = 16
	// manyItems is the number of items up to which the hash table is on the stack.
	manyItems = 256
)

// Tables for more items are reused, up to largestTable: collecting one as garbage would cost more than checking the
// list.
var tables = sync.Pool{New: func() any { return new([]uint64) }}

const largestTable = 1 << 14

// Differ reports whether no two of count items are equal. Equal items must have the same hash.
func Differ(count int, hash func(i int) uint64, equal func(i, j int) bool) bool {
	if count > FewItems {
		return differMany(count, hash, equal)
	}
	for i := range count {
		for j := range i {
			if equal(i, j) {
				return false
			}
		}
	}
	return true
}

// differMany is Differ with a hash table, so that it takes linear time.
func differMany(count int, hash func(i int) uint64, equal func(i, j int) bool) bool {
	if count <= manyItems {
		var slots [2 * manyItems]uint64
		return fill(slots[:], count, hash, equal)
	}
	table := tables.Get().(*[]uint64)
	size := 1 << bits.Len(uint(2*count-1)) // at most half full
	if size > len(*table) {
		*table = make([]uint64, size)
	}
	slots := (*table)[:size]
	clear(slots)
	answer := fill(slots, count, hash, equal)
	if size <= largestTable {
		tables.Put(table)
	}
	return answer
}

// fill is differMany with zeroed slots, a hash table with open addressing. A slot has the upper half of a hash, and the
// index of the item plus one.
func fill(slots []uint64, count int, hash func(i int) uint64, equal func(i, j int) bool) bool {
	const index = math.MaxUint32
	last := uint64(len(slots) - 1)
	for i := range count {
		sum := hash(i)
		at := sum & last
		for ; slots[at] != 0; at = (at + 1) & last {
			if slots[at]&^index == sum&^index && equal(i, int(slots[at]&index-1)) {
				return false
			}
		}
		slots[at] = sum&^index | uint64(i+1)
	}
	return true
}

// hashedLevels is the depth to which values are hashed: enough to distinguish the items of real lists. The bound also
// ends the hashing of values that contain themselves.
const hashedLevels = 2

// Seed is the seed of all hashes.
var Seed = maphash.MakeSeed()

// Hash returns the same sum for equal values. It reads at most that many levels of lists and objects.
func Hash(v any, levels int) uint64 {
	switch x := v.(type) {
	case string:
		return maphash.String(Seed, x)
	case bool:
		return maphash.Comparable(Seed, x)
	case int64:
		return maphash.Comparable(Seed, x)
	case float64:
		if x == 0 {
			x = 0 // -0 is equal to 0
		}
		return maphash.Comparable(Seed, math.Float64bits(x))
	case []any:
		sum := uint64(len(x))
		if levels > 0 {
			for _, c := range x {
				sum = sum*31 + Hash(c, levels-1)
			}
		}
		return sum
	case map[string]any:
		sum := uint64(len(x)) << 32
		if levels > 0 {
			for k, c := range x {
				sum += maphash.String(Seed, k) ^ 31*Hash(c, levels-1)
			}
		}
		return sum
	}
	return 0
}
