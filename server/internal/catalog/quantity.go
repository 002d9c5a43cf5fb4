package catalog

import (
	"cmp"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/internal/cel/lib/quantity"
)

const quantityType = "quantity"

// maxQuantity is the longest text of a quantity that is made canonical. Longer ones stay as they were sent.
const maxQuantity = 30

// Quantities are exact up to that many digits before the point, and after it.
const (
	maxWhole    = 64
	maxFraction = 80
)

var (
	ten = big.NewInt(10)

	// hugeQuantity is what a larger quantity counts as.
	hugeQuantity    = pow10(maxWhole)
	hugeThousandths = pow10(maxWhole + 3)

	// maxBinary is the largest quantity with a binary suffix. A server also lowers larger ones to it.
	maxBinary = big.NewInt(math.MaxInt64)
)

func pow10(n int) *big.Int { return new(big.Int).Exp(ten, big.NewInt(int64(n)), nil) }

// The suffixes of quantities, by the power of ten or of two.
var (
	decimalSuffixes = map[string]int{"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
	binarySuffixes  = map[string]int{"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
)

// canonicalQuantity returns the canonical text of a quantity, or nil if v is canonical or cannot be changed. A number
// is a quantity, too. With milli, it is rounded up to three decimal places, otherwise to nine.
func canonicalQuantity(v any, milli bool) any {
	var text string
	switch x := v.(type) {
	case string:
		text = strings.TrimSpace(x)
	case int64:
		text = strconv.FormatInt(x, 10)
	case float64:
		text = strconv.FormatFloat(x, 'f', -1, 64)
	}
	if text == "" || len(text) > maxQuantity || !quantity.Valid(text) {
		return nil
	}
	places := 9
	if milli {
		places = 3
	}
	if out := formatQuantity(text, places); out != "" && out != v {
		return out
	}
	return nil
}

// A Quantity is the amount of a resource, rounded up to three decimal places. It has the form of the text that it was
// parsed from. Quantities are immutable. The zero Quantity is 0.
type Quantity struct {
	milli              *big.Int // nil: 0
	binary, scientific bool
}

// ParseQuantity returns the quantity of a text, and whether the text is valid; 0 if it is not. With a binary suffix it
// is at most 2^63-1, as in a server; otherwise, it is [Quantity.Huge] from 10^64 on. It takes time linear in the text,
// and the result has bounded size.
func ParseQuantity(text string) (Quantity, bool) {
	if !quantity.Valid(text) {
		return Quantity{}, false
	}
	q, _ := parsedQuantity(text, 3)
	return Quantity{new(big.Int).Mul(q.n, pow10(3+q.exponent)), q.binary, q.scientific}, true
}

func (q Quantity) thousandths() *big.Int {
	if q.milli == nil {
		return new(big.Int)
	}
	return q.milli
}

// Add returns the exact sum, in the form of q if that is not 0, otherwise in that of p.
func (q Quantity) Add(p Quantity) Quantity {
	sum := q
	if q.thousandths().Sign() == 0 {
		sum = p
	}
	sum.milli = new(big.Int).Add(q.thousandths(), p.thousandths())
	return sum
}

// Compare returns -1 if q < p, 0 if they are equal, 1 if q > p.
func (q Quantity) Compare(p Quantity) int { return q.thousandths().Cmp(p.thousandths()) }

// Huge reports whether q is at least 10^64. The number that it stands for may be larger.
func (q Quantity) Huge() bool {
	return q.thousandths().Cmp(hugeThousandths) >= 0
}

// Thousandths returns q times 1000, as the nearest number.
func (q Quantity) Thousandths() float64 {
	f, _ := new(big.Float).SetInt(q.thousandths()).Float64()
	return f
}

// String returns the canonical text of q.
func (q Quantity) String() string {
	n, exponent := rounded(q.thousandths(), -3, 3)
	return (&parsed{n, exponent, q.binary, q.scientific}).text()
}

// formatQuantity returns the canonical text of a valid quantity with at most that many decimal places, or "" if it is
// too large.
func formatQuantity(text string, places int) string {
	q, exact := parsedQuantity(text, places)
	if !exact {
		return ""
	}
	return q.text()
}

// A parsed quantity is n * 10^exponent, and its form. The exponent is 0 or less.
type parsed struct {
	n                  *big.Int
	exponent           int
	binary, scientific bool
}

// text returns the canonical text.
func (q *parsed) text() string {
	if q.binary && q.exponent == 0 && q.n.CmpAbs(big.NewInt(1024)) >= 0 {
		return binaryText(q.n)
	}
	return decimalText(q.n, q.exponent, q.scientific)
}

// parsedQuantity parses a valid quantity, with at most that many decimal places. It is not exact if the number is too
// large: then it is ±10^maxWhole. No number that it makes is long, whatever the text.
func parsedQuantity(text string, places int) (q *parsed, exact bool) {
	end := strings.IndexFunc(text, func(r rune) bool { return r != '+' && r != '-' && r != '.' && (r < '0' || r > '9') })
	if end < 0 {
		end = len(text)
	}
	number, suffix := text[:end], text[end:]
	negative := strings.HasPrefix(number, "-")
	whole, fraction, _ := strings.Cut(strings.TrimLeft(number, "+-"), ".")
	q = &parsed{}
	power, binary := binarySuffixes[suffix]
	exponent, known := decimalSuffixes[suffix]
	if q.binary = binary; !binary && !known { // e or E
		n, _ := strconv.ParseInt(suffix[1:], 10, 64)
		exponent, q.scientific = int(int32(n)), true // a server keeps the low 32 bits, too
	}
	digits := strings.TrimLeft(whole+fraction, "0")
	point := int64(len(digits)) - int64(len(fraction)) + int64(exponent) // the number is 0.digits * 10^point
	switch {
	case digits == "":
		q.n = new(big.Int)
		return q, true
	case binary && point > 20: // more than maxBinary, and may be long
		q.n = new(big.Int).Set(maxBinary)
	case point > maxWhole:
		q.n = new(big.Int).Set(hugeQuantity)
	default:
		exact = true
		cut := "" // what is beyond the digits that count
		if kept := max(0, point+maxFraction); kept < int64(len(digits)) {
			digits, cut = digits[:kept], digits[kept:]
		}
		q.n, _ = new(big.Int).SetString(cmp.Or(digits, "0"), 10)
		q.exponent = int(max(point, -maxFraction)) - len(digits)
		if strings.Trim(cut, "0") != "" {
			q.n.Add(q.n, big.NewInt(1))
		}
		q.n.Lsh(q.n, uint(power))
		q.n, q.exponent = rounded(q.n, q.exponent, places)
	}
	if binary && new(big.Int).Quo(q.n, pow10(-q.exponent)).Cmp(maxBinary) >= 0 {
		q.n, q.exponent, exact = new(big.Int).Set(maxBinary), 0, true
	}
	if negative {
		q.n.Neg(q.n)
	}
	return q, exact
}

// rounded returns n * 10^exponent away from zero to the decimal places, without trailing zeros: the exponent of the
// result is 0 or less. It does not modify n.
func rounded(n *big.Int, exponent, places int) (*big.Int, int) {
	if exponent < -places {
		quotient, rest := new(big.Int).QuoRem(n, pow10(-places-exponent), new(big.Int))
		n, exponent = quotient.Add(quotient, big.NewInt(int64(rest.Sign()))), -places
	}
	if exponent > 0 {
		n, exponent = new(big.Int).Mul(n, pow10(exponent)), 0
	}
	for exponent < 0 {
		quotient, rest := new(big.Int).QuoRem(n, ten, new(big.Int))
		if rest.Sign() != 0 {
			break
		}
		n, exponent = quotient, exponent+1
	}
	return n, exponent
}

// binaryText prints an integer with the largest binary suffix that divides it.
func binaryText(n *big.Int) string {
	out, suffix := n, ""
	for _, s := range []string{"Ki", "Mi", "Gi", "Ti", "Pi", "Ei"} {
		quotient, rest := new(big.Int).QuoRem(out, big.NewInt(1024), new(big.Int))
		if rest.Sign() != 0 {
			break
		}
		out, suffix = quotient, s
	}
	return out.String() + suffix
}

// decimalText prints n * 10^exponent with a suffix for a power of a thousand, or with an exponent.
func decimalText(n *big.Int, exponent int, scientific bool) string {
	if n.Sign() == 0 {
		return "0"
	}
	for exponent%3 != 0 {
		n, exponent = new(big.Int).Mul(n, ten), exponent-1
	}
	for scientific || exponent < 18 { // of a larger one without an exponent, a server omits the power
		quotient, rest := new(big.Int).QuoRem(n, big.NewInt(1000), new(big.Int))
		if rest.Sign() != 0 {
			break
		}
		n, exponent = quotient, exponent+3
	}
	if scientific && exponent != 0 {
		return n.String() + "e" + strconv.Itoa(exponent)
	}
	for suffix, power := range decimalSuffixes {
		if power == exponent {
			return n.String() + suffix
		}
	}
	return n.String() + "e" + strconv.Itoa(exponent)
}
