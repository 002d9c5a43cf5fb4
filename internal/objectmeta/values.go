package objectmeta

import (
	"maps"
	"math"
	"slices"
	"time"
)

func timeText(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

// text returns v as a string, empty if it is not one.
//
//go:noinline
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
	if s == "" || CanonicalTime(s) {
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
