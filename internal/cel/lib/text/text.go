package text

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// MaxSize is the maximum size of a result in bytes. It is far above what the cost limit of a rule allows, and what a
// request may contain.
const MaxSize = 32 << 20

// ErrTooLarge says that a result would have more than MaxSize bytes.
var ErrTooLarge = errors.New("result is too large: a string in a rule may have at most 33554432 bytes")

func outOfRange(index int64) error { return fmt.Errorf("index out of range: %d", index) }

// CharAt returns the code point of s at index, or "" at the end of s. Any other index is an error.
//
// Clauses: CEN-022, CLI-001.
func CharAt(s string, index int64) (string, error) {
	at, ok := position(s, index)
	if !ok {
		return "", outOfRange(index)
	}
	if at == len(s) {
		return "", nil
	}
	r, n := utf8.DecodeRuneInString(s[at:])
	if r == utf8.RuneError {
		return "\uFFFD", nil
	}
	return s[at : at+n], nil
}

// Substring returns the part of s from start on. A start outside of s is an error; the end of s is not.
//
// Clauses: CEN-022, CLI-001.
func Substring(s string, start int64) (string, error) {
	at, ok := position(s, start)
	if !ok {
		return "", outOfRange(start)
	}
	return valid(s[at:]), nil
}

// SubstringTo returns the part of s from start up to, not including, end. A start after end is one error, an index
// outside of s another; the former is checked first.
//
// Clauses: CEN-022, CLI-001.
func SubstringTo(s string, start, end int64) (string, error) {
	if start > end {
		return "", fmt.Errorf("invalid substring range. start: %d, end: %d", start, end)
	}
	at, ok := position(s, start)
	if !ok {
		return "", outOfRange(start)
	}
	n, ok := position(s[at:], end-start)
	if !ok {
		return "", outOfRange(end)
	}
	return valid(s[at : at+n]), nil
}

// IndexOf returns the position of the first sub in s, or -1. The empty sub is at 0.
//
// Clauses: CEN-022, CLI-001.
func IndexOf(s, sub string) int64 {
	at, _ := IndexOfFrom(s, sub, 0)
	return at
}

// IndexOfFrom returns the position of the first sub in s at or after offset, or -1. The empty sub is at offset, but at
// most at the end of s. Only a negative offset is an error.
//
// Clauses: CEN-022, CLI-001.
func IndexOfFrom(s, sub string, offset int64) (int64, error) {
	if offset < 0 {
		return 0, outOfRange(offset)
	}
	if sub == "" {
		return lesser(s, offset), nil
	}
	s, sub = valid(s), valid(sub)
	from, ok := position(s, offset)
	if !ok {
		return -1, nil
	}
	at := strings.Index(s[from:], sub)
	if at < 0 {
		return -1, nil
	}
	return offset + Len(s[from:from+at]), nil
}

// LastIndexOf returns the position of the last sub in s, or -1. The empty sub is at the end.
//
// Clauses: CEN-022, CLI-001.
func LastIndexOf(s, sub string) int64 {
	if sub == "" {
		return Len(s)
	}
	// The three bytes of U+FFFD are not found in a single invalid byte, although they would match it.
	if len(s) < len(sub) {
		return -1
	}
	s, sub = valid(s), valid(sub)
	at := strings.LastIndex(s, sub)
	if at < 0 {
		return -1
	}
	return Len(s[:at])
}

// LastIndexOfFrom returns the position of the last sub in s that is not after offset, or -1. The empty sub is at
// offset, but at most at the end of s. With an offset at or after the end of s, nothing else is found. Only a negative
// offset is an error.
//
// Clauses: CEN-022, CLI-001.
func LastIndexOfFrom(s, sub string, offset int64) (int64, error) {
	if offset < 0 {
		return 0, outOfRange(offset)
	}
	if sub == "" {
		return lesser(s, offset), nil
	}
	s, sub = valid(s), valid(sub)
	start, ok := position(s, offset)
	if !ok || start == len(s) {
		return -1, nil
	}
	at := strings.LastIndex(s[:min(len(s), start+len(sub))], sub)
	if at < 0 {
		return -1, nil
	}
	return Len(s[:at]), nil
}

// Replace returns s with the first n occurrences of old replaced by with, or all if n is negative. An empty old is
// before each code point and at the end. A result of more than MaxSize bytes is ErrTooLarge.
//
// Clauses: CEN-022, CLI-001.
func Replace(s, old, with string, n int64) (string, error) {
	if len(with) > len(old) {
		if err := replaceFits(s, old, with, n); err != nil {
			return "", err
		}
	}
	return strings.Replace(s, old, with, clamp(n)), nil
}

func replaceFits(s, old, with string, n int64) error {
	grow, room := int64(len(with)-len(old)), MaxSize-int64(len(s))
	// Counting takes as long as replacing, so it is skipped if even the largest possible number of occurrences would
	// fit.
	most := int64(len(s))/int64(max(1, len(old))) + 1
	if most <= room/grow || n >= 0 && n <= room/grow {
		return nil
	}
	places := int64(strings.Count(s, old))
	if n >= 0 {
		places = min(places, n)
	}
	if places > 0 && places > room/grow {
		return ErrTooLarge
	}
	return nil
}

// Split returns the parts of s between the separators, or at most n parts, the last of which has the rest; a negative n
// means no limit, and 0 returns nil. With an empty separator these are the code points, none for "". The parts are
// substrings of s, and the list is the caller's.
//
// Clauses: CEN-022, CLI-001.
func Split(s, sep string, n int64) []string { return strings.SplitN(s, sep, clamp(n)) }

// LowerASCII returns s with the letters A to Z in lower case. Others are unchanged.
//
// Clauses: CEN-022, CLI-001.
func LowerASCII(s string) string { return mapASCII(s, 'A') }

// UpperASCII returns s with the letters a to z in upper case. Others are unchanged.
//
// Clauses: CEN-022, CLI-001.
func UpperASCII(s string) string { return mapASCII(s, 'a') }

// mapASCII changes the case of the 26 letters beginning with first.
func mapASCII(s string, first byte) string {
	s = valid(s)
	for i := range len(s) {
		if s[i]-first >= 26 {
			continue
		}
		b := []byte(s)
		for ; i < len(b); i++ {
			if b[i]-first < 26 {
				b[i] ^= 'a' - 'A'
			}
		}
		return string(b)
	}
	return s
}

// Join returns the parts with sep between them. A result of more than MaxSize bytes is ErrTooLarge.
//
// Clauses: CEN-022, CLI-001.
func Join(parts []string, sep string) (string, error) {
	size := int64(len(sep)) * int64(max(0, len(parts)-1))
	for _, p := range parts {
		size += int64(len(p))
	}
	if size > MaxSize {
		return "", ErrTooLarge
	}
	return strings.Join(parts, sep), nil
}

// Quote returns s in double quotes, with a backslash before quotes, backslashes and the control characters that have a
// letter. All others are unchanged.
//
// Clauses: CEN-022, CLI-001.
func Quote(s string) string {
	s = valid(s)
	b := make([]byte, 0, len(s)+2)
	b = append(b, '"')
	for i := range len(s) {
		if letter := escapeLetter(s[i]); letter != 0 {
			b = append(b, '\\', letter)
		} else {
			b = append(b, s[i])
		}
	}
	return string(append(b, '"'))
}

// escapeLetter returns the character after the backslash for c, or 0 if c is not escaped.
func escapeLetter(c byte) byte {
	switch {
	case '\a' <= c && c <= '\r':
		return "abtnvfr"[c-'\a']
	case c == '\\' || c == '"':
		return c
	}
	return 0
}

// Len returns the number of code points of s. An invalid byte counts as one.
func Len(s string) int64 {
	// Nearly all texts are ASCII: check eight bytes at a time, the last eight first.
	if n := len(s); n >= 8 {
		all := eight(s, n-8)
		for i := 0; i < n-8; i += 8 {
			all |= eight(s, i)
		}
		if all&0x8080808080808080 == 0 {
			return int64(n)
		}
	}
	return int64(utf8.RuneCountInString(s))
}

// eight returns the eight bytes of s at i as a number.
func eight(s string, i int) uint64 {
	b := s[i : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 | uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// position returns the byte position of the code point of s with the given index, len(s) for the index after the last
// one, and false for all others.
func position(s string, index int64) (int, bool) {
	if index < 0 || index > int64(len(s)) {
		return 0, false
	}
	at := 0
	for ; index > 0; index-- {
		if at == len(s) {
			return 0, false
		}
		if s[at] < utf8.RuneSelf {
			at++
			continue
		}
		_, n := utf8.DecodeRuneInString(s[at:])
		at += n
	}
	return at, true
}

// lesser returns the smaller of index and the length of s.
func lesser(s string, index int64) int64 {
	if _, ok := position(s, index); ok {
		return index
	}
	return Len(s)
}

// valid returns s with U+FFFD for each invalid byte.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

// clamp returns n as an int. No string is long enough to reach the limit.
func clamp(n int64) int { return int(max(-1, min(n, math.MaxInt32))) }
