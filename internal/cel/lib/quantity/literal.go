package quantity

import (
	"errors"
	"strconv"
	"strings"
)

// The errors of Parse (CLI-020).
var (
	errForm    = errors.New("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")
	errSuffix  = errors.New("unable to parse quantity's suffix")
	errNumeric = errors.New("unable to parse numeric part of quantity")
)

// A literal is the parsed text of a quantity. Its value is whole.frac * 10^exp * 2^shift.
type literal struct {
	neg         bool
	whole, frac string // digits; whole has no leading zeros, and is "0" if it has no other digits
	exp         int64  // fits 32 bits
	shift       uint   // 10 to 60, or 0; otherwise exp is 0
}

// scan parses s. It does not allocate unless it fails.
//
// Clauses: CLI-020.
func scan(s string) (literal, error) {
	if s == "" {
		return literal{}, errForm
	}
	var l literal
	rest := s
	if rest[0] == '-' || rest[0] == '+' {
		l.neg = rest[0] == '-'
		rest = rest[1:]
	}
	digits, rest := cutDigits(rest)
	if rest != "" && rest[0] == '.' {
		l.frac, rest = cutDigits(rest[1:])
	}
	if l.whole = strings.TrimLeft(digits, "0"); l.whole == "" {
		l.whole = "0"
	}
	if !isSuffix(rest) {
		return literal{}, errForm
	}
	if !l.setSuffix(rest) {
		return literal{}, errSuffix
	}
	if digits == "" && l.frac == "" && !l.isFast() {
		// ".", "-" and "k" are zero, but "Ei" and ".e-20" are not: only the decimal form requires a digit.
		return literal{}, errNumeric
	}
	return l, nil
}

// cutDigits splits s after its leading decimal digits.
func cutDigits(s string) (digits, rest string) {
	i := 0
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	return s[:i], s[i:]
}

// isSuffix reports whether s has the form of a suffix: letters, a sign, digits, each of which may be missing.
func isSuffix(s string) bool {
	for s != "" && strings.IndexByte("eEinumkKMGTP", s[0]) >= 0 {
		s = s[1:]
	}
	if s != "" && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	_, s = cutDigits(s)
	return s == ""
}

// The letters of the suffixes that stand for powers of 1000, from -3 on, and of 1024, from 1 on. The blank stands for
// none: no suffix has one.
const (
	decimalLetters = "num kMGTPE"
	binaryLetters  = "KMGTPE"
)

// setSuffix sets exp and shift for the suffix s, and reports whether it is valid.
func (l *literal) setSuffix(s string) bool {
	switch len(s) {
	case 0:
		return true
	case 1:
		if i := strings.IndexByte(decimalLetters, s[0]); i >= 0 {
			l.exp = 3*int64(i) - 9
			return true
		}
	case 2:
		if i := strings.IndexByte(binaryLetters, s[0]); i >= 0 && s[1] == 'i' {
			l.shift = 10 * uint(i+1)
			return true
		}
	}
	if s[0] != 'e' && s[0] != 'E' {
		return false
	}
	exp, err := strconv.ParseInt(s[1:], 10, 64)
	// A server keeps the low 32 bits, so that 1e4294967296 is 1.
	l.exp = int64(int32(exp))
	return err == nil
}

// isFast reports whether the fast form can hold l (CLI-021). Only the number of digits counts: a value within these
// bounds always fits an int64.
func (l *literal) isFast() bool {
	if l.shift > 0 {
		return l.frac == "" && 15-len(l.whole)-int(l.shift)*3/10-1 >= 0
	}
	return 18-len(l.whole)-len(l.frac) >= 0 && l.exp-int64(len(l.frac)) >= minScale
}

// fast returns the fast form of l, which must be able to hold it.
func (l *literal) fast() Quantity {
	v := int64(0)
	for _, digits := range [...]string{l.whole, l.frac} {
		for i := range len(digits) {
			v = 10*v + int64(digits[i]-'0')
		}
	}
	v <<= l.shift
	if l.neg {
		v = -v
	}
	return Quantity{value: v, scale: l.exp - int64(len(l.frac))}
}

// longFast returns the fast form of a number of 19 digits, or false if an int64 cannot hold it. l has no binary suffix.
func (l *literal) longFast() (q Quantity, ok bool) {
	scale := l.exp - int64(len(l.frac))
	if l.shift > 0 || len(l.whole)+len(l.frac) != 19 || scale < minScale {
		return Quantity{}, false
	}
	digits := l.whole + l.frac
	if l.neg {
		digits = "-" + digits
	}
	v, err := strconv.ParseInt(digits, 10, 64)
	return Quantity{value: v, scale: scale}, err == nil
}

// The maximum numbers of significant digits since 1.38.
const (
	maxDigits       = 29
	maxBinaryDigits = 70 // with a binary suffix
)

// round rounds l to the maximum number of significant digits, away from zero.
func (l *literal) round() {
	most := maxDigits
	if l.shift > 0 {
		most = maxBinaryDigits
	}
	digits := strings.TrimLeft(l.whole+l.frac, "0")
	if len(digits) <= most {
		return
	}
	kept, dropped := []byte(digits[:most]), digits[most:]
	if strings.Trim(dropped, "0") != "" {
		i := most - 1
		for ; i >= 0 && kept[i] == '9'; i-- {
			kept[i] = '0'
		}
		if i < 0 {
			kept = append([]byte{'1'}, kept...)
		} else {
			kept[i]++
		}
	}
	l.exp += int64(len(dropped) - len(l.frac))
	l.whole, l.frac = string(kept), ""
}

// decimal returns the decimal form of l: rounded away from zero to 10^-9, and limited to an int64 if it has a binary
// suffix (CLI-021).
func (l *literal) decimal() Quantity {
	exp := l.exp - int64(len(l.frac))
	t, nonzero := newTerm(l.neg, l.whole+l.frac, exp)
	if !nonzero {
		// A zero is not rounded, so it keeps its scale. That only affects an approximate float (CLI-023).
		return Quantity{dec: &decimal{scale: -exp}}
	}
	if l.shift > 0 {
		t = t.shiftLeft(l.shift)
	}
	t = t.roundUp()
	if l.shift > 0 {
		if largest, _ := newTerm(l.neg, "9223372036854775807", 0); compareMagnitude(t, largest) > 0 {
			return Quantity{dec: &decimal{terms: []term{largest}}}
		}
	}
	return Quantity{dec: &decimal{terms: []term{t}, scale: -minScale}}
}
