package catalog

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/internal/cel/lib/quantity"
)

const quantityType = "quantity"

// maxQuantity is the longest text of a quantity that is made canonical. Longer ones, and larger numbers, stay as they
// were sent.
const maxQuantity = 30

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

// AddQuantities returns the sum of two quantities with at most three decimal places, in the form of the first one if that
// is not 0. It returns the first one if one of them is not valid, or the sum is too large.
func AddQuantities(a, b string) string {
	x, y := parsedQuantity(a, 3), parsedQuantity(b, 3)
	if x == nil || y == nil || !quantity.Valid(a) || !quantity.Valid(b) {
		return a
	}
	sum := *x
	if x.n.Sign() == 0 {
		sum = *y
	}
	for _, q := range []*parsed{x, y} {
		for ; q.exponent > -3; q.exponent-- {
			q.n = new(big.Int).Mul(q.n, big.NewInt(10))
		}
	}
	sum.n, sum.exponent = rounded(new(big.Int).Add(x.n, y.n), -3, 3)
	return cmpOr(sum.text(), a)
}

// formatQuantity returns the canonical text of a valid quantity with at most that many decimal places, or "" if it is
// too large.
func formatQuantity(text string, places int) string {
	q := parsedQuantity(text, places)
	if q == nil {
		return ""
	}
	return q.text()
}

// A parsed quantity is n * 10^exponent, and its form.
type parsed struct {
	n                  *big.Int
	exponent           int
	binary, scientific bool
}

// text returns the canonical text, or "" if the number is too large.
func (q *parsed) text() string {
	if len(q.n.String()) > 18 {
		return ""
	}
	if q.binary && q.exponent == 0 && q.n.CmpAbs(big.NewInt(1024)) >= 0 {
		return binaryText(q.n)
	}
	return decimalText(q.n, q.exponent, q.scientific)
}

// parsedQuantity parses a valid quantity, with at most that many decimal places. It returns nil if the number is too
// large.
func parsedQuantity(text string, places int) *parsed {
	end := strings.IndexFunc(text, func(r rune) bool { return r != '+' && r != '-' && r != '.' && (r < '0' || r > '9') })
	if end < 0 {
		end = len(text)
	}
	number, suffix := text[:end], text[end:]
	whole, fraction, _ := strings.Cut(number, ".")
	n, ok := new(big.Int).SetString(cmpOr(strings.TrimPrefix(whole+fraction, "+"), "0"), 10)
	if !ok {
		return nil
	}
	q := parsed{n: n, exponent: -len(fraction)}
	power, binary := binarySuffixes[suffix]
	if q.binary = binary; !binary {
		known := false
		if power, known = decimalSuffixes[suffix]; !known {
			var err error
			if power, err = strconv.Atoi(suffix[1:]); err != nil { // after e or E
				return nil
			}
			q.scientific = true
		}
		q.exponent += power
	} else {
		n.Lsh(n, uint(power))
	}
	if q.exponent > maxQuantity || q.exponent < -2*maxQuantity {
		return nil
	}
	q.n, q.exponent = rounded(n, q.exponent, places)
	return &q
}

func cmpOr(text, other string) string {
	if text == "" || text == "-" {
		return other
	}
	return text
}

// rounded returns n * 10^exponent away from zero to the decimal places, without trailing zeros: the exponent is at most
// 0 unless n is a multiple of that power.
func rounded(n *big.Int, exponent, places int) (*big.Int, int) {
	ten := big.NewInt(10)
	for exponent < -places {
		rest := new(big.Int)
		n, rest = new(big.Int).QuoRem(n, ten, rest)
		if exponent++; rest.Sign() != 0 {
			// Away from zero, once: what is cut off later is not zero either.
			n = new(big.Int).Add(n, big.NewInt(int64(rest.Sign())))
		}
	}
	for exponent > 0 {
		n, exponent = new(big.Int).Mul(n, ten), exponent-1
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
		n, exponent = new(big.Int).Mul(n, big.NewInt(10)), exponent-1
	}
	for exponent < 18 {
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
	return ""
}
