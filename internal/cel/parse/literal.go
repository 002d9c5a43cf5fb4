package parse

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/crdkit/crdkit/internal/cel/types"
)

// literal returns the value of the token, negated if negative is set. It reports false for a token without a value, and
// for a value that is out of range.
func (r *reader) literal(negative bool) (types.Value, bool) {
	written := r.text[r.from:r.to]
	switch r.kind {
	case integer:
		digits, base := written, 10
		if strings.HasPrefix(written, "0x") {
			digits, base = written[2:], 16
		}
		if negative {
			digits = "-" + digits
		}
		n, err := strconv.ParseInt(digits, base, 64)
		return types.Int(n), err == nil
	case unsigned:
		digits, base := written[:len(written)-1], 10
		if strings.HasPrefix(digits, "0x") {
			digits, base = digits[2:], 16
		}
		n, err := strconv.ParseUint(digits, base, 64)
		return types.Uint(n), err == nil
	case double:
		f, err := strconv.ParseFloat(written, 64)
		if negative {
			f = -f
		}
		return types.Double(f), err == nil
	case text:
		s, ok := unquote(written, false)
		return types.String(s), ok
	case bytes:
		s, ok := unquote(written[1:], true)
		return types.Bytes(s), ok
	case wordTrue:
		return types.True, true
	case wordFalse:
		return types.False, true
	case wordNull:
		return types.NullValue, true
	}
	return nil, false
}

// unquote returns the content of a quoted string: code points, or bytes if binary is set.
func unquote(s string, binary bool) (string, bool) {
	raw := s[0]|0x20 == 'r'
	if raw {
		s = s[1:]
	}
	if len(s) >= 6 && s[1] == s[0] && s[2] == s[0] {
		s = s[3 : len(s)-3]
		if strings.Contains(s, "\r") {
			s = newlines.Replace(s)
		}
	} else {
		s = s[1 : len(s)-1]
	}
	if raw || !strings.Contains(s, `\`) {
		return s, true
	}
	out := make([]byte, 0, len(s))
	for {
		plain, rest, found := strings.Cut(s, `\`)
		out = append(out, plain...)
		if !found {
			return string(out), true
		}
		var ok bool
		if out, s, ok = unescape(out, rest, binary); !ok {
			return "", false
		}
	}
}

// newlines normalizes line endings.
var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// The letters and signs that are escape sequences of one character, and these characters.
const (
	letters  = "abfnrtv\\'\"`?"
	meanings = "\a\b\f\n\r\t\v\\'\"`?"
)

// unescape appends the character of the escape sequence in s, which begins after the backslash, and returns the rest of
// s.
func unescape(out []byte, s string, binary bool) ([]byte, string, bool) {
	if s == "" {
		return nil, "", false
	}
	if i := strings.IndexByte(letters, s[0]); i >= 0 {
		return append(out, meanings[i]), s[1:], true
	}
	size, base := 3, 16
	switch s[0] {
	case 'x', 'X':
	case 'u':
		size = 5
	case 'U':
		size = 9
	case '0', '1', '2', '3':
		base = 8
	default:
		return nil, "", false
	}
	if len(s) < size || binary && size > 3 {
		return nil, "", false
	}
	digits := s[:size]
	if base == 16 {
		digits = digits[1:]
	}
	code, err := strconv.ParseUint(digits, base, 32)
	switch {
	case err != nil:
		return nil, "", false
	case binary:
		out = append(out, byte(code))
	case code > utf8.MaxRune || !utf8.ValidRune(rune(code)):
		return nil, "", false
	default:
		out = utf8.AppendRune(out, rune(code))
	}
	return out, s[size:], true
}
