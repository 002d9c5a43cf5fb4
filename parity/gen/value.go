package gen

import (
	"maps"
	"math"
	"slices"
)

// The scalars that values are made of: ordinary ones and edge cases.
var (
	texts = []string{
		"", "a", "b", "ab", "abc", "A", "a-b", "x y", "0", "1", "10", "true", "null", "2020-01-02", "2020-01-02T03:04:05Z", "1h", "1.2.3.4",
		"::1", "10.0.0.0/8", "a.example.com", "https://example.com/x", "Zm9v", "äöü", "日本", "<&>", "a\"b\\c", "a\nb", "{}", "\u2028", "bad\xffutf8",
		"v1", "g.io/v1", "a/b/c", "/", "Kind", "kind", "9007199254740993", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	}
	integers = []int64{
		0, 1, 2, 3, 4, 5, -1, -2, 7, 10, 65, 97, 100, 1000000, math.MaxInt32, math.MaxInt32 + 1, math.MinInt32, math.MinInt32 - 1, 1 << 53,
		1<<53 + 1, math.MaxInt64, math.MinInt64,
	}
	floats = []float64{
		1, 0, 1.5, 1.9, 2, 2.5, -1, -0.5, math.Copysign(0, -1), 0.1, 0.3, 5, 10, 100, 1e6, 2000000.5, 1.0000000001, 1e15, 1e16, 1 << 53,
		9007199254740994, 9223372036854775807, 9223372036854775808, -9223372036854775808, 1e21, 3.5e38, 1e300, -1e300, 5e-324, math.MaxFloat64,
	}
	keys = []string{
		"a", "b", "c", "spec", "status", "name", "unknown", "metadata", "kind", "apiVersion", "a.b", "a[0]", "x/y", "", "*", "ä", "bad\xffkey",
		"items", "[0]", "labels",
	}
)

// Text chooses a string.
func Text(s *Source) string { return Pick(s, texts) }

// Integer chooses an integer.
func Integer(s *Source) int64 {
	if s.OneIn(6) {
		return int64(s.bits()) >> s.Intn(64)
	}
	return Pick(s, integers)
}

// Float chooses a float, which may have an integer value.
func Float(s *Source) float64 {
	if s.OneIn(6) {
		f := math.Float64frombits(s.bits())
		if s.OneIn(2) { // most floats are far from 1
			f = float64(int64(s.bits())>>s.Intn(64)) / float64(Pick(s, []int{1, 2, 10, 100, 1000}))
		}
		if f-f == 0 {
			return f
		}
	}
	return Pick(s, floats)
}

func (s *Source) bits() uint64 {
	var b uint64
	for range 4 {
		b = b<<16 | uint64(s.Intn(1<<16))
	}
	return b
}

// Key chooses the key of an object.
func Key(s *Source) string { return Pick(s, keys) }

// Scalar chooses a value that is neither an object nor a list.
func Scalar(s *Source) any {
	switch s.Intn(8) {
	case 0, 1:
		return Text(s)
	case 2, 3:
		return Integer(s)
	case 4, 5:
		return Float(s)
	case 6:
		return s.Intn(2) == 1
	}
	return nil
}

// Any chooses a value of any type, with up to depth nested lists and objects.
func Any(s *Source, depth int) any {
	if depth <= 0 {
		return Scalar(s)
	}
	switch s.Intn(6) {
	case 4:
		l := make([]any, s.Intn(4))
		for i := range l {
			l[i] = Any(s, depth-1)
		}
		return l
	case 5:
		m := map[string]any{}
		for range s.Intn(4) {
			m[Key(s)] = Any(s, depth-1)
		}
		return m
	}
	return Scalar(s)
}

// Replace returns m with a part of it, at any depth, replaced by something else. It does not modify m.
func Replace(s *Source, m map[string]any) map[string]any {
	m = maps.Clone(m)
	if names := slices.Sorted(maps.Keys(m)); len(names) > 0 {
		k := Pick(s, names)
		m[k] = replace(s, m[k])
	}
	return m
}

func replace(s *Source, v any) any {
	if !s.OneIn(4) {
		switch x := v.(type) {
		case map[string]any:
			if len(x) > 0 {
				return Replace(s, x)
			}
		case []any:
			if len(x) > 0 {
				l, i := slices.Clone(x), s.Intn(len(x))
				l[i] = replace(s, x[i])
				return l
			}
		}
	}
	return InJSON(Any(s, 1))
}
