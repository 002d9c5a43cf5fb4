package objectmeta

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// isNull reports whether v is written as null: nil, and a map or list that is.
func isNull(v any) bool {
	switch x := v.(type) {
	case nil:
		return true
	case map[string]any:
		return x == nil
	case []any:
		return x == nil
	}
	return false
}

// kindOf returns the decoder's word for what v is in JSON.
func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "bool"
	case int64, float64:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return fmt.Sprintf("Go %T", v)
}

// jsonNumber returns f as JSON has it, and false if JSON has no such number.
func jsonNumber(f float64) (text string, ok bool) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return strconv.FormatFloat(f, 'g', -1, 64), false
	}
	b, err := json.Marshal(f)
	return string(b), err == nil
}

// isText reports whether v is a string as JSON can have it.
func isText(v any) bool {
	s, ok := v.(string)
	return ok && isValid(s)
}

// isValid is utf8.ValidString, which is slow with strings as short as names.
func isValid(s string) bool {
	if len(s) > 32 {
		return utf8.ValidString(s)
	}
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return utf8.ValidString(s)
		}
	}
	return true
}

// validText returns s with each byte that is not UTF-8 replaced, as encoding does.
func validText(s string) string {
	if isValid(s) {
		return s
	}
	var b strings.Builder
	for _, c := range s { // An invalid byte comes as U+FFFD, each on its own.
		b.WriteRune(c)
	}
	return b.String()
}

// canonicalDepth is deeper than the fields of any object are.
const canonicalDepth = 200

// canonicalJSON reports whether v is as JSON decoding gives it. It may be false for a v that is: values with floats or of a great depth
// are left to [reader.json], which allocates. depth is that of v.
func canonicalJSON(v any, depth int) bool {
	switch x := v.(type) {
	case nil, bool, int64:
		return true
	case string:
		return utf8.ValidString(x)
	case []any:
		if x == nil || depth >= canonicalDepth {
			return false
		}
		for _, v := range x {
			if !canonicalJSON(v, depth+1) {
				return false
			}
		}
		return true
	case map[string]any:
		if x == nil || depth >= canonicalDepth {
			return false
		}
		for k, v := range x {
			if !utf8.ValidString(k) || !canonicalJSON(v, depth+1) {
				return false
			}
		}
		return true
	}
	return false
}

// canonicalTime: 2006-01-02T15:04:05Z, except the zero time, which vanishes.
func canonicalTime(v any) bool {
	s, ok := v.(string)
	if !ok || len(s) != len("2006-01-02T15:04:05Z") ||
		s[4] != '-' || s[7] != '-' || s[10] != 'T' || s[13] != ':' || s[16] != ':' || s[19] != 'Z' {
		return false
	}
	century, year := twoDigits(s[0:2]), twoDigits(s[2:4])
	month, day := twoDigits(s[5:7]), twoDigits(s[8:10])
	hour, minute, second := twoDigits(s[11:13]), twoDigits(s[14:16]), twoDigits(s[17:19])
	return century >= 0 && year >= 0 && 1 <= month && month <= 12 && 1 <= day && day <= daysIn(month, century*100+year) &&
		0 <= hour && hour < 24 && 0 <= minute && minute < 60 && 0 <= second && second < 60 &&
		s != zeroTime
}

const zeroTime = "0001-01-01T00:00:00Z"

// twoDigits returns the number that two digits are, -1 if they are none.
func twoDigits(s string) int {
	if s[0] < '0' || '9' < s[0] || s[1] < '0' || '9' < s[1] {
		return -1
	}
	return int(s[0]-'0')*10 + int(s[1]-'0')
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

func timeText(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

// text returns the string that v is, empty if it is none.
func text(v any) string {
	s, _ := v.(string)
	return s
}

// integer returns the number that v is, 0 if it is none. A float beyond the integers is the smallest integer, as it is on the
// processors that most servers run on.
func integer(v any) int64 {
	switch x := v.(type) {
	case int64:
		return x
	case float64:
		if x >= math.MinInt64 && x < math.MaxInt64 {
			return int64(x)
		}
		return math.MinInt64
	}
	return 0
}

// instant returns the time that v is in the form that Read writes, and "" if v is no time, or the zero time.
func instant(v any) string {
	s := text(v)
	if s == "" || canonicalTime(v) {
		return s
	}
	t, err := time.Parse(time.RFC3339, validText(s))
	if err != nil || t.IsZero() {
		return ""
	}
	return timeText(t)
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func isTrue(v any) bool {
	b, _ := v.(bool)
	return b
}
