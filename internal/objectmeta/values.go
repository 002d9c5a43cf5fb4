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

// canonicalTime reports whether v is a time as the server writes it, in UTC with whole seconds, and not the zero time, which is not written.
func canonicalTime(v any) bool {
	const layout = "2006-01-02T15:04:05Z"
	s, ok := v.(string)
	if !ok || len(s) != len(layout) {
		return false
	}
	t, err := time.Parse(time.RFC3339, s)
	var utc [len(layout)]byte
	return err == nil && !t.IsZero() && string(t.UTC().AppendFormat(utc[:0], time.RFC3339)) == s
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
