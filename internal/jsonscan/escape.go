package jsonscan

import (
	"unicode/utf16"
	"unicode/utf8"
)

// Escape reads the escape whose letter is at i, after the backslash. It returns the character, and the index after the
// escape. The index is -1 for an invalid escape, and for a surrogate without its other half, which decoders replace.
func Escape(data []byte, i int) (r rune, next int) {
	if i >= len(data) {
		return 0, -1
	}
	switch c := data[i]; c {
	case '"', '\\', '/':
		return rune(c), i + 1
	case 'b':
		return '\b', i + 1
	case 'f':
		return '\f', i + 1
	case 'n':
		return '\n', i + 1
	case 'r':
		return '\r', i + 1
	case 't':
		return '\t', i + 1
	case 'u':
		r = hex(data, i)
		if i += 5; utf16.IsSurrogate(r) {
			r = utf16.DecodeRune(r, escapedUnit(data, i))
			if i += 6; r == utf8.RuneError {
				return 0, -1
			}
		}
		if r >= 0 {
			return r, i
		}
	}
	return 0, -1
}

// escapedUnit returns the UTF-16 code unit that is escaped as \uXXXX at i, -1 if there is none.
func escapedUnit(data []byte, i int) rune {
	if i+1 >= len(data) || data[i] != '\\' || data[i+1] != 'u' {
		return -1
	}
	return hex(data, i+1)
}

// hex returns the value of the four hexadecimal digits after i, -1 if there are none.
func hex(data []byte, i int) (r rune) {
	if i+4 >= len(data) {
		return -1
	}
	for _, c := range data[i+1 : i+5] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}
