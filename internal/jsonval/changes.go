package jsonval

import (
	"maps"
	"slices"

	"github.com/crdkit/crdkit/field"
)

// Changes calls yield for each value that differs between before and after, with its path and whether it is lost,
// changed or added, until yield returns false. A missing value, null, and empty maps and lists are the same, and so are
// numbers that a store writes in the same way.
func Changes(before, after any, yield func(at *field.Path, what string) bool) {
	changes(nil, before, after, yield)
}

func changes(at *field.Path, before, after any, yield func(at *field.Path, what string) bool) bool {
	m, isMap := before.(map[string]any)
	l, isList := before.([]any)
	w, toMap := after.(map[string]any)
	k, toList := after.([]any)
	switch {
	case (isMap || before == nil) && toMap, isMap && after == nil:
		keys := slices.Collect(maps.Keys(m))
		for key := range w {
			if _, both := m[key]; !both {
				keys = append(keys, key)
			}
		}
		slices.Sort(keys)
		for _, key := range keys {
			if !changes(at.Child(key), m[key], w[key], yield) {
				return false
			}
		}
		return true
	case (isList || before == nil) && toList, isList && after == nil:
		for i := range max(len(l), len(k)) {
			var x, y any
			if i < len(l) {
				x = l[i]
			}
			if i < len(k) {
				y = k[i]
			}
			if !changes(at.Index(i), x, y, yield) {
				return false
			}
		}
		return true
	case before == nil && after == nil:
		return true
	case before == nil:
		return yield(at, "added")
	case after == nil:
		return yield(at, "lost")
	}
	x, _ := Stored(before)
	y, _ := Stored(after)
	return Equal(x, y) || yield(at, "changed")
}
