package estimate

import (
	"math"
	"math/bits"
)

// most is the cost or size of what has no bound. Sums and products end there.
const most = math.MaxUint64

// Factors of sizes that give costs.
const (
	perByte    = 0.1  // for reading a string or bytes
	perPattern = 0.25 // for a pattern's byte, on each byte of the subject
)

// A span is a size between lo and hi. Costs have an upper bound only.
//
// Clauses: CES-001, CES-002.
type span struct{ lo, hi uint64 }

// unknown is the size of what nothing is known of.
var unknown = span{0, most}

func exactly(n uint64) span { return span{n, n} }

func upTo(n uint64) span { return span{0, n} }

// union returns the sizes that are in s or in t.
func (s span) union(t span) span { return span{min(s.lo, t.lo), max(s.hi, t.hi)} }

func (s span) plus(t span) span { return span{plus(s.lo, t.lo), plus(s.hi, t.hi)} }

func (s span) times(t span) span { return span{times(s.lo, t.lo), times(s.hi, t.hi)} }

// cost returns the cost of reading all of what has the size s.
func (s span) cost(factor float64) uint64 { return scale(s.hi, factor) }

// lessOne returns the number of gaps between s things.
func (s span) lessOne() span { return span{s.lo - min(s.lo, 1), s.hi - min(s.hi, 1)} }

// plus returns the sum, or most.
func plus(x, y uint64) uint64 {
	sum, carry := bits.Add64(x, y, 0)
	if carry != 0 {
		return most
	}
	return sum
}

// times returns the product, or most.
func times(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x, y)
	if hi != 0 {
		return most
	}
	return lo
}

// twoTo64 is the least number that is no uint64.
const twoTo64 = 1 << 64

// scale returns x times factor, rounded up, or most. Large x lose digits: it is calculated in floating point, so that most*0.1 is
// 1844674407370955264.
//
// Clauses: CES-001.
func scale(x uint64, factor float64) uint64 {
	product := float64(x) * factor
	if x > 0 && factor > 0 && float64(x) > twoTo64/factor {
		return most
	}
	if product = math.Ceil(product); product >= twoTo64 {
		return most
	}
	return uint64(product)
}

// quotient returns x / y, rounded up, for y > 0.
func quotient(x, y uint64) uint64 {
	q := math.Ceil(float64(x) / float64(y))
	if q >= twoTo64 {
		return 1 << 63 // what the conversion of too large a number gives on amd64, where servers run
	}
	return uint64(q)
}
