package gen

import (
	"encoding/json"
	"maps"
	"slices"
)

// Shrink returns a part of v for which bad still holds, as small as taking away keys, items and detail one at a time makes it.
// It does not modify v.
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

// parts yields what is a step smaller than v, the greatest steps first.
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
				_ = yield(x[:len(x)/2]) && yield(x[1:]) && yield(x[:len(x)-1])
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
