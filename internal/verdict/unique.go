package verdict

import (
	"hash/maphash"
	"math"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// Unique answers for uniqueItems (VAL-040): no item is equal to another, numbers of two types never being so. It takes linear time, unless
// items are built to differ only deep inside; a server compares each with each.
func Unique(items []any) bool {
	if len(items) <= fewItems {
		for i, v := range items {
			if equalsAny(v, items[:i]) {
				return false
			}
		}
		return true
	}
	h := hasher{maphash.MakeSeed()}
	seen := make(map[uint64][]any, len(items))
	for _, v := range items {
		sum := h.value(v, hashedLevels)
		if equalsAny(v, seen[sum]) {
			return false
		}
		seen[sum] = append(seen[sum], v)
	}
	return true
}

func equalsAny(v any, others []any) bool {
	for _, w := range others {
		if jsonval.Equal(v, w) {
			return true
		}
	}
	return false
}

// hashedLevels is how far down a hash looks: enough to tell the items of real lists apart, and little enough for values that contain
// themselves.
const hashedLevels = 2

// A hasher gives equal values equal sums.
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
			x = 0 // -0 is equal to it
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
