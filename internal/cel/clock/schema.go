package clock

// Texts of objects, in fields with a format.

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A textError is the error of an invalid text. Its message contains the text, which may be long, so it is built only if
// needed.
type textError struct {
	problem, text string
	err           error
}

func (e *textError) Error() string { return e.problem + e.text + ": " + e.err.Error() }

func (e *textError) Unwrap() error { return e.err }

// SchemaTimestamp parses the value of a field of format date-time: RFC 3339, with any number of fractional digits, or
// the same without a zone, which is UTC. The empty text is the beginning of 1970.
//
// Clauses: CVA-001, CVA-003, CVA-020.
func SchemaTimestamp(s string) (time.Time, error) {
	if s == "" {
		return time.Unix(0, 0).UTC(), nil
	}
	var err error
	for _, layout := range timestampLayouts {
		var t time.Time
		if t, err = parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, &textError{"Invalid date-time formatted string ", s, err}
}

// timestampLayouts are the layouts of a date-time. In a server, RFC 3339 is the third. Here it is the first, because
// nearly all texts have it, and layouts that parse the same text have the same result. The others parse texts that it
// does not: with a sign among the fractional digits.
var timestampLayouts = [...]string{
	time.RFC3339, "2006-01-02T15:04:05.000000Z07:00", "2006-01-02T15:04:05.000Z07:00", time.RFC3339Nano, "2006-01-02T15:04:05",
}

// SchemaDate parses the value of a field of format date: midnight in UTC.
//
// Clauses: CVA-001, CVA-020.
func SchemaDate(s string) (time.Time, error) {
	t, err := parse("2006-01-02", s)
	if err != nil {
		return time.Time{}, &textError{"Invalid date formatted string ", s, err}
	}
	return t, nil
}

// SchemaBytes parses the value of a field of format byte: base64 in the URL alphabet, with padding. The bytes are the
// caller's.
//
// Clauses: CVA-001, CVA-020.
func SchemaBytes(s string) ([]byte, error) {
	b, err := base64.URLEncoding.DecodeString(s)
	if err != nil {
		return nil, &textError{"Invalid byte formatted string ", s, err}
	}
	return b, nil
}

// SchemaDuration parses the value of a field of format duration: what time.ParseDuration accepts, or else numbers
// followed by words, anywhere in the text, which are added up. In the latter, signs and fractions are ignored, and a
// sum that is too large overflows.
//
// Clauses: CVA-003, CVA-020.
func SchemaDuration(s string) (time.Duration, error) {
	if d, err := time.ParseDuration(s); err == nil {
		return d, nil
	}
	d, err := addWords(s)
	if err != nil {
		return 0, &textError{"Invalid duration ", s, err}
	}
	return d, nil
}

// addWords adds up all parts of s in the form of 3 weeks.
func addWords(s string) (time.Duration, error) {
	var sum time.Duration
	found := false
	for i := 0; i < len(s); {
		number := i
		i = skip(s, i, isDigit)
		if i == number {
			i++
			continue
		}
		end := i
		i = skip(s, i, isSpace)
		word := i
		i = skipWord(s, i)
		if i == word {
			continue
		}
		// The server's numbers have 64 bits on every platform that it runs on.
		n, err := strconv.ParseInt(s[number:end], 10, 64)
		if err != nil {
			return 0, fmt.Errorf("strconv.Atoi: parsing %q: value out of range", s[number:end])
		}
		if unit := unitOf(s[word:i]); unit != 0 {
			sum += time.Duration(n) * unit
			found = true
		}
	}
	if !found {
		return 0, fmt.Errorf("unable to parse %s as duration", s)
	}
	return sum, nil
}

func skip(s string, i int, what func(byte) bool) int {
	for i < len(s) && what(s[i]) {
		i++
	}
	return i
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isSpace reports whether a regular expression's \s matches c.
func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' && c != '\v' }

// micro is the micro sign, which is not ASCII. Only time.ParseDuration accepts the Greek letter that looks the same.
const micro = "\u00B5"

// skipWord returns the end of the letters that begin at i.
func skipWord(s string, i int) int {
	for i < len(s) {
		switch c := s[i] | 0x20; {
		case 'a' <= c && c <= 'z':
			i++
		case strings.HasPrefix(s[i:], micro):
			i += len(micro)
		default:
			return i
		}
	}
	return i
}

// unitOf returns the unit for a word, or 0. Only the beginning of long names counts: daylight is a day.
func unitOf(word string) time.Duration {
	word = strings.ToLower(word)
	switch word {
	case "ns":
		return time.Nanosecond
	case "us", micro + "s":
		return time.Microsecond
	case "ms":
		return time.Millisecond
	case "s":
		return time.Second
	case "m":
		return time.Minute
	case "h", "hr":
		return time.Hour
	case "d":
		return day
	case "w", "wk":
		return week
	}
	for _, name := range [...]struct {
		start string
		unit  time.Duration
	}{
		{"nano", time.Nanosecond}, {"micro", time.Microsecond}, {"milli", time.Millisecond}, {"sec", time.Second},
		{"min", time.Minute}, {"hour", time.Hour}, {"day", day}, {"week", week},
	} {
		if strings.HasPrefix(word, name.start) {
			return name.unit
		}
	}
	return 0
}

const (
	day  = 24 * time.Hour
	week = 7 * day
)
