package text

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

// This file formats numbers for the English locale like the localization library that the server uses. It has the same
// overflows for large precisions: the maximum number of digits is an int16, the minimum a uint8, a width a uint16.

// defaultPrecision is the number of digits after the point if a clause has no precision, or cannot have one.
const defaultPrecision = 6

// maxNumber is the largest precision that is parsed as a number. A clause with a larger one prints noVerb.
const (
	maxNumber = 10_000_009
	noVerb    = "%!(NOVERB)"
)

// AppendFixed appends x as for %f. The precision is that of the Clause.
//
// Clause: CLI-003.
func AppendFixed(dst []byte, x float64, precision int) []byte {
	if precision > maxNumber {
		return append(dst, noVerb...)
	}
	if precision < 0 {
		precision = defaultPrecision
	}
	if word := special(x); word != "" {
		return append(dst, word...)
	}
	most, fewest := int(int16(precision)), int(uint8(precision))
	// A negative maximum means no maximum: the number has as many digits as are needed to distinguish it from other
	// numbers.
	var scratch [64]byte
	digits := strconv.AppendFloat(scratch[:0], math.Abs(x), 'f', max(-1, most), 64)
	whole, fraction := len(digits), 0
	if point := bytes.IndexByte(digits, '.'); point >= 0 {
		whole, fraction = point, len(digits)-point-1
	}
	for fraction > fewest && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
		fraction--
	}
	if x < 0 {
		dst = append(dst, '-')
	}
	for i, c := range digits[:whole] {
		if i > 0 && (whole-i)%3 == 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, c)
	}
	if fraction > 0 || fewest > 0 {
		dst = append(dst, '.')
		dst = append(dst, digits[len(digits)-fraction:]...)
	}
	for ; fraction < fewest; fraction++ {
		dst = append(dst, '0')
	}
	return dst
}

// AppendScientific appends x as for %e. The precision of the Clause is used as a width here, padded with spaces on the
// left.
//
// Clause: CLI-003.
func AppendScientific(dst []byte, x float64, precision int) []byte {
	if precision > maxNumber {
		return append(dst, noVerb...)
	}
	if precision < 0 {
		precision = defaultPrecision
	}
	var scratch [64]byte
	number := appendPower(scratch[:0], x)
	for width := int(uint16(precision)) - utf8.RuneCount(number); width > 0; width-- {
		dst = append(dst, ' ')
	}
	return append(dst, number...)
}

var superscripts = [...]rune{'⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'}

// appendPower appends x with one digit before and six digits after the point, and a power of ten.
func appendPower(dst []byte, x float64) []byte {
	if word := special(x); word != "" {
		return append(dst, word...)
	}
	var scratch [32]byte
	digits := strconv.AppendFloat(scratch[:0], math.Abs(x), 'e', defaultPrecision, 64)
	if x < 0 {
		dst = append(dst, '-')
	}
	const mantissa = len("1.000000")
	dst = append(dst, digits[:mantissa]...)
	dst = append(dst, "×10"...)
	for _, c := range digits[mantissa+1:] {
		if c == '-' {
			dst = append(dst, "⁻"...)
		} else if c != '+' {
			dst = utf8.AppendRune(dst, superscripts[c-'0'])
		}
	}
	return dst
}

// special returns the text of a number without digits, "" for all others.
func special(x float64) string {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 1):
		return "∞"
	case math.IsInf(x, -1):
		return "-∞"
	}
	return ""
}

// NumberWord returns the number for a string argument of %f and %e: NaN, Infinity or -Infinity.
//
// Clause: CLI-003.
func NumberWord(s string) (float64, bool) {
	switch s {
	case "NaN":
		return math.NaN(), true
	case "Infinity":
		return math.Inf(1), true
	case "-Infinity":
		return math.Inf(-1), true
	}
	return 0, false
}

// AppendInteger appends x as for the verb: d, b, o, x or X.
//
// Clause: CLI-003.
func AppendInteger[T int64 | uint64](dst []byte, x T, verb byte) []byte {
	return fmt.Appendf(dst, "%"+string(rune(verb)), x)
}

// AppendBit appends x as for %b: 1 or 0.
//
// Clause: CLI-003.
func AppendBit(dst []byte, x bool) []byte {
	if x {
		return append(dst, '1')
	}
	return append(dst, '0')
}

// AppendHex appends the bytes of x as for the verb: x or X.
//
// Clause: CLI-003.
func AppendHex[T string | []byte](dst []byte, x T, verb byte) []byte {
	digits := "0123456789abcdef"
	if verb == 'X' {
		digits = "0123456789ABCDEF"
	}
	for i := range len(x) {
		dst = append(dst, digits[x[i]>>4], digits[x[i]&15])
	}
	return dst
}
