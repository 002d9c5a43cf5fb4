package settled

import (
	"math"
	"strconv"
	"unicode/utf8"
	"unsafe"

	"github.com/crdkit/crdkit/internal/jsonscan"
)

// This file reads JSON tokens. A function that reads a value returns the offset after it, or bad if the text is not
// JSON.

const bad = -1

// at returns the byte at i, or 0 after the end.
func (s *Scan) at(i int) byte {
	if uint(i) < uint(len(s.data)) {
		return s.data[i]
	}
	return 0
}

// skipSpace returns the offset of the first byte from i on that is not white space.
func (s *Scan) skipSpace(i int) int {
	for uint(i) < uint(len(s.data)) {
		if c := s.data[i]; c > ' ' || c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			break
		}
		i++
	}
	return i
}

// enter returns the offset of the first item or key of the list or object at i. bracket is the one that closes it. If
// it is empty, enter returns the offset after it, and false.
func (s *Scan) enter(i int, bracket byte) (at int, more bool) {
	if i = s.skipSpace(i + 1); s.at(i) == bracket {
		return i + 1, false
	}
	return i, true
}

// next returns the offset of the next item or key after the one that ended at i. After the last one it returns the
// offset after the list or object, and false. If i is bad, it returns bad and false.
func (s *Scan) next(i int, bracket byte) (at int, more bool) {
	i = s.skipSpace(i)
	switch s.at(i) {
	case ',':
		return s.skipSpace(i + 1), true
	case bracket:
		return i + 1, false
	}
	return bad, false
}

// key reads the key at i and the colon after it. end is the offset of the closing quote, and value that of the value,
// or bad.
func (s *Scan) key(i int) (end int, escaped bool, value int) {
	if s.at(i) != '"' {
		return bad, false, bad
	}
	if end, escaped = s.quoted(i); end == bad {
		return bad, false, bad
	}
	if i = s.skipSpace(end + 1); s.at(i) != ':' {
		return bad, false, bad
	}
	return end, escaped, s.skipSpace(i + 1)
}

// view returns a part of the text as a string that shares its bytes. This is safe because the text does not change
// while a Scan is in use, and nothing keeps the string.
func (s *Scan) view(from, to int) string {
	if from >= to {
		return ""
	}
	return unsafe.String(&s.data[from], to-from)
}

// part is view for a span.
func (s *Scan) part(of span) string { return s.view(int(of.from), int(of.to)) }

// quoted reads the string that begins with the quote at i. end is the offset of the closing quote.
func (s *Scan) quoted(i int) (end int, escaped bool) {
	end = jsonscan.Plain(s.data, i+1)
	if uint(end) < uint(len(s.data)) && s.data[end] == '"' {
		return end, false
	}
	return s.escaped(end), true
}

// escaped reads the rest of a string, from its first escape on.
func (s *Scan) escaped(i int) (end int) {
	for s.at(i) == '\\' {
		if _, i = jsonscan.Escape(s.data, i+1); i == bad {
			return bad
		}
		i = jsonscan.Plain(s.data, i)
	}
	if s.at(i) != '"' {
		return bad
	}
	return i
}

// text returns the string between the quotes at i and end. It is valid until the next call.
func (s *Scan) text(i, end int, escaped bool) string {
	if !escaped {
		return s.view(i+1, end)
	}
	b := s.unescaped[:0]
	for i++; i < end; {
		plain := jsonscan.Plain(s.data[:end], i)
		b = append(b, s.data[i:plain]...)
		if i = plain; i < end {
			var r rune
			r, i = jsonscan.Escape(s.data, i+1)
			b = utf8.AppendRune(b, r)
		}
	}
	s.unescaped = b
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// A number is the value of a JSON number: an int64 if it has no fraction and no exponent and is in range, otherwise a
// float64 (DEC-004).
type number struct {
	i       int64
	f       float64
	whole   bool // it is i
	changes bool // It is an integer, but not in the form in which it is stored (DEC-009).
}

// number reads the number at i.
func (s *Scan) number(i int) (n number, end int) {
	start, negative := i, s.at(i) == '-'
	if negative {
		i++
	}
	first := i
	for c := s.at(i); c >= '0' && c <= '9'; c = s.at(i) {
		n.i = n.i*10 + int64(c-'0')
		i++
	}
	switch digits := i - first; {
	case digits == 0, digits > 1 && s.data[first] == '0':
		return number{}, bad
	case s.at(i) == '.' || s.at(i)|0x20 == 'e':
		return s.fraction(start, i)
	case digits > 18: // may be out of range
		var err error
		if n.i, err = strconv.ParseInt(s.view(start, i), 10, 64); err != nil {
			return s.float(start, i)
		}
	case negative:
		n.changes = n.i == 0
		n.i = -n.i
	}
	n.whole = true
	return n, i
}

// fraction reads the rest of a number that begins at start, from its point or exponent on.
func (s *Scan) fraction(start, i int) (n number, end int) {
	if s.at(i) == '.' {
		if i = s.digits(i + 1); i == bad {
			return number{}, bad
		}
	}
	if s.at(i)|0x20 == 'e' {
		i++
		if c := s.at(i); c == '+' || c == '-' {
			i++
		}
		if i = s.digits(i); i == bad {
			return number{}, bad
		}
	}
	return s.float(start, i)
}

// digits reads at least one digit.
func (s *Scan) digits(i int) int {
	from := i
	for c := s.at(i); c >= '0' && c <= '9'; c = s.at(i) {
		i++
	}
	if i == from {
		return bad
	}
	return i
}

// float returns the float64 between two offsets. A whole one that is out of the range of int64 is stored as it is.
func (s *Scan) float(from, to int) (n number, end int) {
	f, err := strconv.ParseFloat(s.view(from, to), 64)
	if err != nil {
		return number{}, bad
	}
	n.f = f
	n.changes = f == math.Trunc(f) && math.Abs(f) < 1<<63
	return n, to
}

// literal reads true, false or null at i.
func (s *Scan) literal(i int, w string) int {
	if end := i + len(w); end <= len(s.data) && string(s.data[i:end]) == w {
		return end
	}
	return bad
}

// skip skips the value at i, which is known to be valid JSON.
func (s *Scan) skip(i int) int {
	switch s.at(i) {
	case '"':
		return s.skipText(i)
	case '{', '[':
	default:
		for c := s.at(i); c != ',' && c != '}' && c != ']' && c > ' '; c = s.at(i) {
			i++
		}
		return i
	}
	for depth := 0; i < len(s.data); i++ {
		switch s.data[i] {
		case '"':
			i = s.skipText(i) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return bad
}

// skipText is skip for a string.
func (s *Scan) skipText(i int) int {
	i = jsonscan.Plain(s.data, i+1)
	for s.at(i) == '\\' {
		i = jsonscan.Plain(s.data, i+2)
	}
	return i + 1
}
