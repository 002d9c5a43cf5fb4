package format

// Dates, date-times and durations (FMT-003, FMT-006, FMT-007).

import (
	"math"
	"strings"
	"time"
	"unicode/utf8"
)

// date is four digits, two and two, as time.Parse reads them: the year 0000 exists, and is a leap year.
func validDate(s string) bool {
	if len(s) != 10 || s[4] != '-' || s[7] != '-' || !isDigit(s[0]) || !isDigit(s[1]) {
		return false
	}
	month, ok1 := twoDigits(s[5:])
	day, ok2 := twoDigits(s[8:])
	low, ok3 := twoDigits(s[2:])
	if !ok1 || !ok2 || !ok3 || month < 1 || month > 12 || day < 1 {
		return false
	}
	if day <= 28 {
		return true
	}
	high, _ := twoDigits(s)
	return day <= daysIn(month, high*100+low)
}

func daysIn(month, year int) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// twoDigits returns the number in the first two bytes of s. s must have two bytes.
func twoDigits(s string) (int, bool) {
	if !isDigit(s[0]) || !isDigit(s[1]) {
		return 0, false
	}
	return int(s[0]-'0')*10 + int(s[1]-'0'), true
}

// FMT-006: a date, the letter t, and a time with a zone. Everything from a second t on is ignored.
func validDateTime(s string) bool {
	if len(s) < 11 || s[10]|0x20 != 't' || !validDate(s[:10]) {
		return false
	}
	s = s[11:]
	for i := range len(s) {
		if s[i]|0x20 == 't' {
			s = s[:i]
			break
		}
	}
	if len(s) < len("00:00:00z") || s[2] != ':' || s[5] != ':' {
		return false
	}
	hour, ok1 := twoDigits(s)
	minute, ok2 := twoDigits(s[3:])
	second, ok3 := twoDigits(s[6:])
	if !ok1 || !ok2 || !ok3 || hour > 23 || minute > 59 || second > 59 {
		return false
	}
	s = s[8:]
	return isZone(s) || isZone(skipFraction(s))
}

// skipFraction returns what follows the fraction of a second at the start of s, or "" if there is none. The character
// before the digits may be any rune but a newline, even a digit or a z.
func skipFraction(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if r == '\n' || n >= len(s) || !isDigit(s[n]) {
		return ""
	}
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return s[n:]
}

// isZone reports whether s is z in either case, or an offset, which may be as large as +99:99.
func isZone(s string) bool {
	switch len(s) {
	case 1:
		return s[0]|0x20 == 'z'
	case 6:
		return (s[0] == '+' || s[0] == '-') && isDigit(s[1]) && isDigit(s[2]) && s[3] == ':' && isDigit(s[4]) && isDigit(s[5])
	}
	return false
}

// FMT-007. The server tries time.ParseDuration first. Here the order does not affect the result, so the check that does
// not allocate comes first.
func validDuration(s string) bool {
	if hasAmount(s) {
		return true
	}
	_, err := time.ParseDuration(s)
	return err == nil
}

// hasAmount reports whether s contains a whole number followed by a unit, and no number followed by a word that is too
// big for 64 bits, whatever the word means.
func hasAmount(s string) bool {
	found := false
	for i := 0; i < len(s); {
		if !isDigit(s[i]) {
			i++
			continue
		}
		number := i
		for i < len(s) && isDigit(s[i]) {
			i++
		}
		end := i
		for i < len(s) && isSpace(s[i]) {
			i++
		}
		word := i
		for i < len(s) {
			n := unitLetter(s[i:])
			if n == 0 {
				break
			}
			i += n
		}
		if i == word {
			continue
		}
		if !fitsInt64(s[number:end]) {
			return false
		}
		found = found || isUnit(s[word:i])
	}
	return found
}

// unitLetter returns the length of the ASCII letter or micro sign (U+00B5) at the start of s, or 0 if there is none.
// The Greek letter mu, which looks the same, is accepted only by time.ParseDuration.
func unitLetter(s string) int {
	if c := s[0] | 0x20; 'a' <= c && c <= 'z' {
		return 1
	}
	if strings.HasPrefix(s, "µ") {
		return len("µ")
	}
	return 0
}

// isUnit reports whether the word is a unit of time. Only the beginning of the long names matters: secondsfoo is a
// unit.
func isUnit(word string) bool {
	for _, unit := range [...]string{"ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk"} {
		if equalFold(word, unit) {
			return true
		}
	}
	for _, start := range [...]string{"nano", "micro", "milli", "sec", "min", "hour", "day", "week"} {
		if len(word) >= len(start) && equalFold(word[:len(start)], start) {
			return true
		}
	}
	return false
}

// equalFold reports whether word, with its ASCII letters lower-cased, is unit.
func equalFold(word, unit string) bool {
	if len(word) != len(unit) {
		return false
	}
	for i := range len(word) {
		c := word[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != unit[i] {
			return false
		}
	}
	return true
}

// fitsInt64 reports whether the digits are at most the largest int64. The server's numbers have 64 bits on every
// platform that it runs on.
func fitsInt64(digits string) bool {
	var n uint64
	for i := range len(digits) {
		d := uint64(digits[i] - '0')
		if n > (math.MaxInt64-d)/10 {
			return false
		}
		n = n*10 + d
	}
	return true
}
