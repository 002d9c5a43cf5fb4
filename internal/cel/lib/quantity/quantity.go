package quantity

import (
	"cmp"
	"errors"
	"math"
)

var errNotInteger = errors.New("cannot convert value to integer")

// minScale is the lowest power of ten of a quantity.
const minScale = -9

// A Quantity is a number in one of two forms: fast, which is an int64 and a power of ten, or decimal, of any size. Both
// can represent the same value, but only a quantity in fast form can be an integer (CLI-022).
//
// Quantities are immutable, and are passed by value. The zero Quantity is 0. Use [Quantity.Equal] to compare two: the
// operator == also compares their forms.
type Quantity struct {
	// The fast form is value * 10^scale. It is not used if dec is not nil.
	value int64
	scale int64 // fits 32 bits
	dec   *decimal
}

// Parse parses s, which may be any text. The errors are those of CLI-020. It takes time and memory linear in s, and
// allocates only for a quantity in decimal form.
//
// Clauses: CLI-020, CLI-021, CLI-025.
func Parse(s string) (Quantity, error) {
	l, err := scan(s)
	if err != nil {
		return Quantity{}, err
	}
	if l.isFast() {
		return l.fast(), nil
	}
	return l.decimal(), nil
}

// ParseLong is [Parse] as of 1.38: numbers of 19 digits that fit an int64 are integers, too, and of longer ones than 29
// significant digits (70 with a binary suffix), the others are rounded away from zero.
func ParseLong(s string) (Quantity, error) {
	l, err := scan(s)
	if err != nil {
		return Quantity{}, err
	}
	if l.isFast() {
		return l.fast(), nil
	}
	if q, ok := l.longFast(); ok {
		return q, nil
	}
	l.round()
	return l.decimal(), nil
}

// Valid reports whether [Parse] accepts s. It does not allocate if s is valid.
func Valid(s string) bool {
	_, err := scan(s)
	return err == nil
}

// New returns n as a quantity.
func New(n int64) Quantity { return Quantity{value: n} }

// Sign returns -1, 0 or 1: the sign of q.
func (q Quantity) Sign() int {
	if q.dec != nil {
		return sign(q.dec.terms)
	}
	return cmp.Compare(q.value, 0)
}

// IsInteger reports whether [Quantity.Int64] has a value. That depends on the form: 1 is an integer, 1.0 and 1000m are
// not, nor is any quantity in decimal form.
//
// Clauses: CLI-022.
func (q Quantity) IsInteger() bool {
	_, err := q.Int64()
	return err == nil
}

// Int64 returns q as an int64, or an error if it is not an integer.
//
// Clauses: CLI-022.
func (q Quantity) Int64() (int64, error) {
	if q.dec == nil && q.scale >= 0 {
		if n, ok := timesPow10(q.value, q.scale); ok {
			return n, nil
		}
	}
	return 0, errNotInteger
}

// Float returns an approximation of q. Large quantities are infinite, and so may be small ones that were added to a
// quantity with many places; 0 with an exponent above 308, such as 0e400, is NaN.
//
// Clauses: CLI-023.
func (q Quantity) Float() float64 {
	// As in a server, there are two roundings: to a float64, and of the product.
	base, exp := float64(q.value), q.scale
	if q.dec != nil {
		base, exp = q.dec.float(), -q.dec.scale
	}
	if exp == 0 {
		return base
	}
	return base * math.Pow10(int(max(-1000, min(exp, 1000)))) // beyond that, the result is 0 or infinity
}

// Add returns q + p. The sum is in fast form if q and p are and it fits (CLI-024).
func (q Quantity) Add(p Quantity) Quantity {
	if q.dec == nil && p.dec == nil {
		if sum, ok := addFast(q, p); ok {
			return sum
		}
	}
	return addDecimal(q, p, false)
}

// Sub returns q - p, in the form that [Quantity.Add] would have.
func (q Quantity) Sub(p Quantity) Quantity {
	if q.dec == nil && p.dec == nil {
		// The most negative int64 is its own negative. A server does not check that: 1 - -9223372036854775808 is
		// negative there.
		if sum, ok := addFast(q, Quantity{value: -p.value, scale: p.scale}); ok {
			return sum
		}
	}
	return addDecimal(q, p, true)
}

// addFast returns the sum of two quantities in fast form, false if it does not fit that form.
func addFast(q, p Quantity) (Quantity, bool) {
	switch {
	case p.value == 0:
		return q, true
	case q.value == 0:
		return p, true
	case q.scale < p.scale:
		q, p = p, q
	}
	n, ok := timesPow10(q.value, q.scale-p.scale)
	if !ok {
		return Quantity{}, false
	}
	sum := n + p.value
	return Quantity{value: sum, scale: p.scale}, (sum > n) == (p.value > 0)
}

// addDecimal returns q + p, or q - p if minus is set, in decimal form.
func addDecimal(q, p Quantity, minus bool) Quantity {
	a, b := q.decimal(), p.decimal()
	return Quantity{dec: &decimal{terms: addTerms(a.terms, b.terms, minus), scale: max(a.scale, b.scale)}}
}

// Compare returns -1 if q < p, 0 if they are equal, 1 if q > p. The forms do not matter.
//
// Clauses: CLI-024.
func (q Quantity) Compare(p Quantity) int {
	switch {
	case q.dec != nil || p.dec != nil:
		return compareTerms(q.decimal().terms, p.decimal().terms)
	case q.scale < p.scale:
		return -p.Compare(q)
	}
	n, ok := timesPow10(q.value, q.scale-p.scale)
	if !ok {
		// It is outside the range of int64.
		return q.Sign()
	}
	return cmp.Compare(n, p.value)
}

// Equal reports whether q and p are the same number.
func (q Quantity) Equal(p Quantity) bool { return q.Compare(p) == 0 }

// IsDecimal reports whether q is in decimal form.
func (q Quantity) IsDecimal() bool { return q.dec != nil }

// Decimal returns q in decimal form: the same number, but not an integer. In a server, compareTo, isLessThan and
// isGreaterThan change their receiver to that form if the argument has it, and it stays so for later calls:
// [quantity('1')].all(q, q.isLessThan(quantity('1Pi')) && q.isInteger()) is false.
func (q Quantity) Decimal() Quantity { return Quantity{dec: q.decimal()} }

// decimal returns the decimal form of q.
func (q Quantity) decimal() *decimal {
	if q.dec != nil {
		return q.dec
	}
	d := &decimal{scale: -q.scale}
	if t, ok := intTerm(q.value, q.scale); ok {
		d.terms = []term{t}
	}
	return d
}

// timesPow10 returns v * 10^n, false if that does not fit an int64. It takes at most 19 steps.
func timesPow10(v, n int64) (int64, bool) {
	if v == 0 {
		return 0, true
	}
	for ; n > 0; n-- {
		if v > math.MaxInt64/10 || v < math.MinInt64/10 {
			return 0, false
		}
		v *= 10
	}
	return v, true
}

// Limbs returns the memory of q in units of 18 decimal digits: 0 in fast form. Sums, comparisons and approximations
// take time linear in it.
func (q Quantity) Limbs() int {
	n := 0
	if q.dec != nil {
		for _, t := range q.dec.terms {
			n += len(t.limbs)
		}
	}
	return n
}
