package quantity

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// A decimal is a number of any size, as a sum of terms so far apart that each is larger than all below it together. So
// 1e2000000000 + 1 takes two terms of one limb, instead of 800 MB.
type decimal struct {
	// Invariant: sorted from the lowest to the highest, with a gap of at least one limb between them. None is zero.
	terms []term

	// scale is the number of decimal places with which a server stores the number. They include all of its digits. It
	// only affects an approximate float (CLI-023).
	scale int64
}

// Limbs are blocks of 18 decimal digits. In all terms they begin at powers of 10^18.
const (
	limbDigits = 18
	limbBase   = 1_000_000_000_000_000_000
)

// maxGap is the maximum number of zero limbs between the operands that a term may contain. It bounds the memory of a
// sum of two distant numbers, and is so large that a number of two terms is outside the range of a float64, whatever
// its scale.
const maxGap = 32

// A term is a number other than zero: limbs[0] * 10^(18*low) + limbs[1] * 10^(18*(low+1)) + ...
// It is immutable, limbs included.
type term struct {
	neg   bool
	low   int64
	limbs []uint64 // Invariant: neither the first nor the last is 0
}

// newTerm returns the term ±digits * 10^exp, false if that is 0. It takes time and memory linear in the digits.
func newTerm(neg bool, digits string, exp int64) (term, bool) {
	digits = strings.TrimLeft(digits, "0")
	short := strings.TrimRight(digits, "0")
	exp += int64(len(digits) - len(short))
	digits = short
	if digits == "" {
		return term{}, false
	}
	low := floorDiv(exp, limbDigits)
	zeros := int(exp - low*limbDigits) // at the end of the lowest limb
	limbs := make([]uint64, 0, (len(digits)+zeros+limbDigits-1)/limbDigits)
	for room := limbDigits - zeros; digits != ""; room = limbDigits {
		cut := max(0, len(digits)-room)
		limb, _ := strconv.ParseUint(digits[cut:], 10, 64)
		digits = digits[:cut]
		if len(limbs) == 0 {
			for range zeros {
				limb *= 10
			}
		}
		limbs = append(limbs, limb)
	}
	return term{neg: neg, low: low, limbs: limbs}, true
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// trimmed returns the term with these limbs, without the zeros at both ends; false if all are zero.
func trimmed(neg bool, low int64, limbs []uint64) (term, bool) {
	for len(limbs) > 0 && limbs[len(limbs)-1] == 0 {
		limbs = limbs[:len(limbs)-1]
	}
	for len(limbs) > 0 && limbs[0] == 0 {
		limbs = limbs[1:]
		low++
	}
	return term{neg: neg, low: low, limbs: limbs}, len(limbs) > 0
}

// end returns the place above the highest limb.
func (t term) end() int64 { return t.low + int64(len(t.limbs)) }

func (t term) sign() int {
	if t.neg {
		return -1
	}
	return 1
}

func (t term) negated() term {
	t.neg = !t.neg
	return t
}

// shiftLeft returns t * 2^n, for n up to 60.
func (t term) shiftLeft(n uint) term {
	limbs := make([]uint64, 0, len(t.limbs)+2)
	carry := uint64(0) // less than 2^n, which may be more than limbBase
	for _, limb := range t.limbs {
		hi, lo := bits.Mul64(limb, 1<<n)
		lo, c := bits.Add64(lo, carry, 0)
		carry, lo = bits.Div64(hi+c, lo, limbBase)
		limbs = append(limbs, lo)
	}
	t, _ = trimmed(t.neg, t.low, append(limbs, carry%limbBase, carry/limbBase))
	return t
}

// roundUp returns t rounded to 10^-9, away from zero.
func (t term) roundUp() term {
	const half = 1_000_000_000 // 10^-9 within the limb of place -1
	if t.low > -1 || t.low == -1 && t.limbs[0]%half == 0 {
		return t
	}
	limbs := []uint64{0}
	if t.end() > -1 {
		limbs = slices.Clone(t.limbs[-1-t.low:])
	}
	// There is something below 10^-9, since the lowest limb is not 0.
	limbs[0] += half - limbs[0]%half
	for i := 0; limbs[i] >= limbBase; i++ {
		limbs[i] -= limbBase
		if i+1 == len(limbs) {
			limbs = append(limbs, 0)
		}
		limbs[i+1]++
	}
	t, _ = trimmed(t.neg, -1, limbs)
	return t
}

// compareMagnitude compares two terms without their signs.
func compareMagnitude(a, b term) int {
	if c := cmp.Compare(a.end(), b.end()); c != 0 {
		return c
	}
	i, j := len(a.limbs)-1, len(b.limbs)-1
	for ; i >= 0 && j >= 0; i, j = i-1, j-1 {
		if c := cmp.Compare(a.limbs[i], b.limbs[j]); c != 0 {
			return c
		}
	}
	return cmp.Compare(i, j)
}

// sign returns the sign of the sum of the terms, which is that of the highest.
func sign(terms []term) int {
	if len(terms) == 0 {
		return 0
	}
	return terms[len(terms)-1].sign()
}

// compareTerms compares the sums of a and b.
func compareTerms(a, b []term) int {
	if c := cmp.Compare(sign(a), sign(b)); c != 0 || len(a) == 0 {
		return c
	}
	if len(a) == 1 && len(b) == 1 {
		return a[0].sign() * compareMagnitude(a[0], b[0])
	}
	return sign(addTerms(a, b, true))
}

// addTerms returns the sum of a and b, or the difference if minus is set, as terms of a decimal. It takes time linear
// in the limbs of both, plus maxGap for each term.
func addTerms(a, b []term, minus bool) []term {
	all := make([]term, 0, len(a)+len(b))
	for _, t := range b {
		for len(a) > 0 && a[0].low <= t.low {
			all, a = append(all, a[0]), a[1:]
		}
		if minus {
			t = t.negated()
		}
		all = append(all, t)
	}
	all = append(all, a...)
	sum := all[:0]
	for len(all) > 0 {
		// Add the terms that are close together. They are after the end of sum, so both may share memory.
		n, end := 1, all[0].end()
		for n < len(all) && all[n].low-end < maxGap {
			end = max(end, all[n].end())
			n++
		}
		t, nonzero := all[0], true
		if n > 1 {
			t, nonzero = addClose(all[:n], end)
		}
		all = all[n:]
		if nonzero {
			sum = append(sum, t)
		}
	}
	return sum
}

// addClose returns the sum of terms, false if that is 0. The first term is the lowest, and all are below end. At most
// two of them may have a limb at the same place.
func addClose(terms []term, end int64) (term, bool) {
	low := terms[0].low
	acc := make([]int64, end-low+1)
	for _, t := range terms {
		at := acc[t.low-low:]
		for i, limb := range t.limbs {
			if t.neg {
				at[i] -= int64(limb)
			} else {
				at[i] += int64(limb)
			}
		}
	}
	neg := carry(acc) < 0
	if neg {
		// acc is the sum plus a power of the base: negate both.
		for i := range acc {
			acc[i] = -acc[i]
		}
		carry(acc)
	}
	limbs := make([]uint64, len(acc))
	for i, v := range acc {
		limbs[i] = uint64(v)
	}
	return trimmed(neg, low, limbs)
}

// carry normalizes each limb to 0 ... limbBase-1, and returns the carry of the highest.
func carry(acc []int64) int64 {
	over := int64(0)
	for i, v := range acc {
		v += over
		over = floorDiv(v, limbBase)
		acc[i] = v - over*limbBase
	}
	return over
}

// float returns the sum of d's terms * 10^scale as a float64. It is infinite if that is out of range.
func (d *decimal) float() float64 {
	if len(d.terms) == 0 {
		return 0
	}
	top := d.terms[len(d.terms)-1]
	// No float64 has 400 digits. Two terms have more, because all digits of the lower one are before the point.
	if len(d.terms) > 1 || top.end()*limbDigits+d.scale > 400+limbDigits {
		return math.Inf(top.sign())
	}
	var text strings.Builder
	if top.neg {
		text.WriteByte('-')
	}
	for i, limb := range slices.Backward(top.limbs) {
		digits := strconv.FormatUint(limb, 10)
		if i < len(top.limbs)-1 {
			text.WriteString("000000000000000000"[len(digits):])
		}
		text.WriteString(digits)
	}
	text.WriteByte('e')
	text.WriteString(strconv.FormatInt(top.low*limbDigits+d.scale, 10))
	f, _ := strconv.ParseFloat(text.String(), 64) // on a range error, f is an infinity
	return f
}

// intTerm returns the term v * 10^exp, false if that is 0.
func intTerm(v, exp int64) (term, bool) {
	return newTerm(v < 0, strings.TrimPrefix(strconv.FormatInt(v, 10), "-"), exp)
}
