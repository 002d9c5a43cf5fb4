package parse

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/crdkit/crdkit/internal/cel/types"
)

// The faults of literals (CER-023).
const (
	badInt       = "invalid int literal"
	badUint      = "invalid uint literal"
	badDouble    = "invalid double literal"
	badString    = "unable to unescape string"
	badCodePoint = "invalid unicode code point"
)

// literal returns the value of a literal of kind k as it is written, negated if negative is set. The fault is empty if
// there is none.
func literal(k kind, written string, negative bool) (value types.Value, fault string) {
	switch k {
	case integer:
		digits, base := digitsOf(written)
		if negative {
			digits = "-" + digits
		}
		n, err := strconv.ParseInt(digits, base, 64)
		return types.Int(n), faultIf(err != nil, badInt)
	case unsigned:
		digits, base := digitsOf(written[:len(written)-1])
		n, err := strconv.ParseUint(digits, base, 64)
		return types.Uint(n), faultIf(err != nil, badUint)
	case double:
		f, err := strconv.ParseFloat(written, 64)
		if negative {
			f = -f
		}
		return types.Double(f), faultIf(err != nil, badDouble)
	case text:
		s, fault := unquote(written, false)
		return types.String(s), fault
	case bytes:
		s, fault := unquote(written[1:], true)
		return types.Bytes(s), fault
	case wordTrue:
		return types.True, ""
	case wordFalse:
		return types.False, ""
	case wordNull:
		return types.NullValue, ""
	}
	return nil, "no literal"
}

// digitsOf returns the digits of an integer, and their base.
func digitsOf(written string) (digits string, base int) {
	if digits, ok := strings.CutPrefix(written, "0x"); ok {
		return digits, 16
	}
	return written, 10
}

func faultIf(bad bool, fault string) string {
	if bad {
		return fault
	}
	return ""
}

// unquote returns the content of a quoted string: code points, or bytes if binary is set.
func unquote(s string, binary bool) (content, fault string) {
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
		return s, ""
	}
	out := make([]byte, 0, len(s))
	for {
		plain, rest, found := strings.Cut(s, `\`)
		out = append(out, plain...)
		if !found {
			return string(out), ""
		}
		if out, s, fault = unescape(out, rest, binary); fault != "" {
			return "", fault
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
func unescape(out []byte, s string, binary bool) (longer []byte, rest, fault string) {
	if s == "" {
		return nil, "", badString
	}
	if i := strings.IndexByte(letters, s[0]); i >= 0 {
		return append(out, meanings[i]), s[1:], ""
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
		return nil, "", badString
	}
	if len(s) < size || binary && size > 3 {
		return nil, "", badString
	}
	digits := s[:size]
	if base == 16 {
		digits = digits[1:]
	}
	code, err := strconv.ParseUint(digits, base, 32)
	switch {
	case err != nil:
		return nil, "", badString
	case binary:
		out = append(out, byte(code))
	case code > utf8.MaxRune || !utf8.ValidRune(rune(code)):
		return nil, "", badCodePoint
	default:
		out = utf8.AppendRune(out, rune(code))
	}
	return out, s[size:], ""
}
