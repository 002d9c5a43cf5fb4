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

// kindOf returns the JSON type of v as the decoder names it.
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

// jsonNumber returns the JSON text of f, and false if f is not a number in JSON.
func jsonNumber(f float64) (text string, ok bool) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return strconv.FormatFloat(f, 'g', -1, 64), false
	}
	b, err := json.Marshal(f)
	return string(b), err == nil
}

// isText reports whether v is a string of valid UTF-8.
func isText(v any) bool {
	s, ok := v.(string)
	return ok && isValid(s)
}

// isValid is utf8.ValidString, but faster for strings as short as names.
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

// validText returns s with each byte replaced that is not UTF-8, as in encoding/json.
func validText(s string) string {
	if isValid(s) {
		return s
	}
	var b strings.Builder
	for _, c := range s { // c is U+FFFD for each invalid byte.
		b.WriteRune(c)
	}
	return b.String()
}

// canonicalDepth is deeper than the fields of any object are.
const canonicalDepth = 200

// canonicalJSON reports whether v is what JSON decoding returns. It may be a false negative for values with floats or of a great depth,
// which [reader.json] handles, with allocations. depth is that of v.
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

// canonicalTime reports whether v is a time as the server writes it, in UTC with whole seconds. It does not write the zero time.
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

// text returns v as a string, empty if it is not one.
func text(v any) string {
	s, _ := v.(string)
	return s
}

// integer returns v as an integer, 0 if it is not a number. A float that is out of range becomes the smallest integer, as it does on the
// processors of most servers.
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

// instant returns the time v as Read writes it, and "" if v is not a time, or the zero time.
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
