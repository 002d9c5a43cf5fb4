package estimate

import (
	"math"
	"math/bits"
)

// Most is the cost or size of a value without a bound. Sums and products saturate there.
const Most = math.MaxUint64

// Factors from sizes to costs.
const (
	PerByte    = 0.1  // for reading a string or bytes
	PerPattern = 0.25 // for a byte of a pattern, for each byte of the subject
)

// A Span is a size between Lo and Hi. Costs have only an upper bound.
//
// Clauses: CES-001, CES-002.
type Span struct{ Lo, Hi uint64 }

// Unknown is the size of a value about which nothing is known.
var Unknown = Span{0, Most}

// Exactly returns the size n.
func Exactly(n uint64) Span { return Span{n, n} }

// UpTo returns a size of at most n.
func UpTo(n uint64) Span { return Span{0, n} }

// Union returns the smallest Span with all sizes of s and of t.
func (s Span) Union(t Span) Span { return Span{min(s.Lo, t.Lo), max(s.Hi, t.Hi)} }

// Plus returns the sum of both sizes.
func (s Span) Plus(t Span) Span { return Span{Plus(s.Lo, t.Lo), Plus(s.Hi, t.Hi)} }

// Times returns the size of s values of size t.
func (s Span) Times(t Span) Span { return Span{Times(s.Lo, t.Lo), Times(s.Hi, t.Hi)} }

// Cost returns the cost of reading a value of size s.
func (s Span) Cost(factor float64) uint64 { return Scale(s.Hi, factor) }

// LessOne returns the number of gaps between s values.
func (s Span) LessOne() Span { return Span{s.Lo - min(s.Lo, 1), s.Hi - min(s.Hi, 1)} }

// Plus returns the sum, or Most on overflow.
func Plus(x, y uint64) uint64 {
	sum, carry := bits.Add64(x, y, 0)
	if carry != 0 {
		return Most
	}
	return sum
}

// Times returns the product, or Most on overflow.
func Times(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x, y)
	if hi != 0 {
		return Most
	}
	return lo
}

// twoTo64 is the smallest integer that does not fit a uint64.
const twoTo64 = 1 << 64

// Scale returns x times factor, rounded up, or Most. Large x lose precision, because the product is computed in
// floating point: Most*0.1 is 1844674407370955264.
//
// Clauses: CES-001.
//
//go:noinline
func Scale(x uint64, factor float64) uint64 {
	product := float64(x) * factor
	if x > 0 && factor > 0 && float64(x) > twoTo64/factor {
		return Most
	}
	if product = math.Ceil(product); product >= twoTo64 {
		return Most
	}
	return uint64(product)
}

// quotient returns x / y, rounded up, for y > 0.
func quotient(x, y uint64) uint64 {
	q := math.Ceil(float64(x) / float64(y))
	if q >= twoTo64 {
		return 1 << 63 // what the conversion of a larger number results in on amd64, where servers run
	}
	return uint64(q)
}

// Replaced returns the size of a string of size s after each old in it is replaced with with.
//
// Clauses: CES-052.
func (s Span) Replaced(old, with Span) Span {
	return Span{
		Lo: replacing(s.Lo, old.Hi, with.Lo, old.Hi <= with.Lo),
		Hi: replacing(s.Hi, old.Lo, with.Hi, with.Hi <= old.Lo),
	}
}

// replacing returns one end of the result of Replaced. If kept is set, that end is s, unless old is empty.
func replacing(s, old, with uint64, kept bool) uint64 {
	switch {
	case old == 0:
		return Plus(Times(Plus(s, 1), with), s) // around each byte
	case kept:
		return s
	}
	return Times(quotient(s, old), with)
}
