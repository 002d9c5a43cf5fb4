package gen

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Shrink returns a smaller value for which bad still holds, by removing keys, items and parts of scalars, one at a
// time, as long as possible. It does not modify v.
func Shrink(v any, bad func(any) bool) any {
	for budget := 3000; budget > 0; {
		smaller, found := any(nil), false
		for w := range parts(v) {
			if budget--; budget == 0 {
				break
			}
			if bad(w) {
				smaller, found = w, true
				break
			}
		}
		if !found {
			return v
		}
		v = smaller
	}
	return v
}

// parts yields values that are one step smaller than v, those of the largest steps first.
func parts(v any) func(func(any) bool) {
	return func(yield func(any) bool) {
		switch x := v.(type) {
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(x)) {
				m := maps.Clone(x)
				delete(m, k)
				if !yield(m) {
					return
				}
			}
			for _, k := range slices.Sorted(maps.Keys(x)) {
				for w := range parts(x[k]) {
					m := maps.Clone(x)
					m[k] = w
					if !yield(m) {
						return
					}
				}
			}
		case []any:
			for i := range x {
				if !yield(slices.Delete(slices.Clone(x), i, i+1)) {
					return
				}
			}
			for i := range x {
				for w := range parts(x[i]) {
					l := slices.Clone(x)
					l[i] = w
					if !yield(l) {
						return
					}
				}
			}
		case string:
			if len(x) > 1 {
				_ = yield(x[:len(x)/2]) && yield(x[1:]) && yield(x[:len(x)-1]) && cuts(x, yield)
			}
		case float64:
			if x != 1 && x != 1.5 {
				_ = yield(float64(1)) && yield(1.5)
			}
		case int64:
			if x != 1 && x != 0 {
				_ = yield(int64(0)) && yield(int64(1))
			}
		case json.Number, bool, nil:
		}
	}
}

var expressionToken = regexp.MustCompile(`[A-Za-z_]\w*|\d[\w.]*|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[=!<>]=|&&|\|\||\s+|(?s:.)`)

// cuts yields shorter forms of an expression: a part with balanced brackets is removed, is all that remains, or is
// replaced by something simple. It reports false if yield has returned false.
func cuts(text string, yield func(any) bool) bool {
	tokens := expressionToken.FindAllString(text, 200)
	if len(tokens) < 3 || strings.Join(tokens, "") != text {
		return true
	}
	join := func(from, to int) string { return strings.Join(tokens[from:to], "") }
	for size := len(tokens) - 1; size > 0; size-- {
		for i := range len(tokens) - size + 1 {
			part := tokens[i : i+size]
			if !balanced(part) {
				continue
			}
			before, inside, after := join(0, i), join(i, i+size), join(i+size, len(tokens))
			for _, plain := range []string{"", "true", "1", "'a'", "[]", "self"} {
				if len(plain) < len(inside) && !yield(before+plain+after) {
					return false
				}
			}
			if size > 2 && !yield(inside) {
				return false
			}
		}
	}
	return true
}

func balanced(tokens []string) bool {
	depth := 0
	for _, t := range tokens {
		switch t {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth < 0 {
				return false
			}
		}
	}
	return depth == 0
}
