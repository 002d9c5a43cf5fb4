package format

// Dates, date-times and durations (FMT-003, FMT-006, FMT-007).

import (
	"fmt"
	"strconv"
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
	lastDay := time.Date(high*100+low, time.Month(month+1), 0, 0, 0, 0, 0, time.UTC)
	return day <= lastDay.Day()
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
	if _, found, large := addWords(s); found && large == "" {
		return true
	}
	_, err := time.ParseDuration(s)
	return err == nil
}

// ParseDuration returns the duration that a string with the format duration has: what time.ParseDuration accepts, or
// else numbers followed by words, anywhere in the text, which are added up. In the latter, signs and fractions are
// ignored, and a sum that is too large overflows.
//
// Clauses: FMT-007, CVA-003.
func ParseDuration(s string) (time.Duration, error) {
	if d, err := time.ParseDuration(s); err == nil {
		return d, nil
	}
	switch sum, found, large := addWords(s); {
	case large != "":
		return 0, fmt.Errorf("strconv.Atoi: parsing %q: value out of range", large)
	case !found:
		return 0, fmt.Errorf("unable to parse %s as duration", s)
	default:
		return sum, nil
	}
}

// addWords adds up all parts of s in the form of 3 weeks. found reports whether there is one. It ends at a number
// followed by a word that is too large for 64 bits, whatever the word means, and returns it.
func addWords(s string) (sum time.Duration, found bool, large string) {
	for i := 0; i < len(s); {
		number := i
		for i < len(s) && isDigit(s[i]) {
			i++
		}
		if i == number {
			i++
			continue
		}
		end := i
		for i < len(s) && isSpace(s[i]) {
			i++
		}
		word := i
		for i < len(s) && unitLetter(s[i:]) > 0 {
			i += unitLetter(s[i:])
		}
		if i == word {
			continue
		}
		// The server's numbers have 64 bits on every platform that it runs on.
		n, err := strconv.ParseInt(s[number:end], 10, 64)
		if err != nil {
			return 0, false, s[number:end]
		}
		if unit := unitOf(s[word:i]); unit != 0 {
			sum += time.Duration(n) * unit
			found = true
		}
	}
	return sum, found, ""
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

const day = 24 * time.Hour

// timeUnits are the units of durations. Only the beginning of a long name matters: secondsfoo is a second.
var timeUnits = [...]struct {
	name string
	long bool
	unit time.Duration
}{
	{"s", false, time.Second}, {"m", false, time.Minute}, {"h", false, time.Hour}, {"ms", false, time.Millisecond},
	{"ns", false, time.Nanosecond}, {"us", false, time.Microsecond}, {"µs", false, time.Microsecond}, {"hr", false, time.Hour},
	{"d", false, day}, {"w", false, 7 * day}, {"wk", false, 7 * day},
	{"nano", true, time.Nanosecond}, {"micro", true, time.Microsecond}, {"milli", true, time.Millisecond},
	{"sec", true, time.Second}, {"min", true, time.Minute}, {"hour", true, time.Hour}, {"day", true, day}, {"week", true, 7 * day},
}

// unitOf returns the unit that a word in either case names, or 0.
func unitOf(word string) time.Duration {
	for _, u := range timeUnits {
		if len(word) == len(u.name) || u.long && len(word) > len(u.name) {
			if strings.EqualFold(word[:len(u.name)], u.name) {
				return u.unit
			}
		}
	}
	return 0
}
