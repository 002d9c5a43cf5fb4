package verdict

import (
	"slices"
	"unicode/utf8"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
)

// list checks items. before is the old list for [Compare], with the same number of items, or nil.
func (w *walker) list(n *plan.Node, items, before []any, checks mode) bool {
	if checks.idle(n) {
		return true
	}
	if !w.List(items) {
		return false
	}
	if checks&checkSchema != 0 && (n.Accept&plan.KindArray == 0 || ItemCount(n, len(items)) != 0 || Duplicates(n, items)) && !w.fail(Schema) {
		return false
	}
	checks &^= metaChecked
	if n.Has&plan.PreserveFields != 0 {
		checks |= preserving
	}
	for i, v := range items {
		switch {
		case n.Items == nil && checks&checkStored == 0:
		case n.Items == nil:
			if !w.schemaless(v, checks&preserving != 0) {
				return false
			}
			if before != nil && !jsonval.Equal(v, before[i]) {
				w.differs = true
				w.oldNotStored = w.oldNotStored || !w.schemaless(before[i], checks&preserving != 0)
			}
		case before != nil:
			if !w.compare(n.Items, v, before[i], checks) {
				return false
			}
		default:
			if !w.value(n.Items, v, checks) {
				return false
			}
		}
	}
	// This comes after the items, which have counted the size of the list: comparisons are not counted.
	return n.Has&plan.HasList == 0 || checks&checkLists == 0 || distinct(n, items) || w.fail(Lists)
}

// distinct reports whether the items of a set or a map certainly differ (LST-002 to LST-006). It may be a false
// negative: only package report has the exact rules for when 1 and 1.0 are equal.
func distinct(n *plan.Node, items []any) bool {
	if len(items) == 1 {
		_, isObject := items[0].(map[string]any)
		return isObject || n.List == plan.ListSet
	}
	if len(items) <= fewItems && (n.List == plan.ListSet || len(n.ListMapKeys) == 1) && differentStrings(n, items) {
		return true
	}
	for _, v := range items {
		if !simpleItem(n, v) {
			return false
		}
	}
	return Differ(len(items),
		func(i int) uint64 { return itemHash(n, items[i]) },
		func(i, j int) bool { return sameItem(n, items[i], items[j]) })
}

// differentStrings reports whether the items of a set, or the only keys of the items of a map, are different strings,
// as in most lists. There are at most fewItems. With it, creates of objects with such lists take 2 to 4 % less time.
func differentStrings(n *plan.Node, items []any) bool {
	var texts [fewItems]string
	for i, v := range items {
		if n.List != plan.ListSet {
			m, _ := v.(map[string]any)
			v = m[n.ListMapKeys[0]]
		}
		s, ok := v.(string)
		if !ok || slices.Contains(texts[:i], s) || !utf8.ValidString(s) {
			return false
		}
		texts[i] = s
	}
	return true
}

// simpleItem reports whether an item of a set, or the keys of an item of a map, are equal to others only if they are in
// Go: no float64 that may be an integer in JSON, no lists and objects, and no strings that JSON cannot express.
func simpleItem(n *plan.Node, v any) bool {
	if n.List == plan.ListSet {
		return simple(v)
	}
	m, ok := v.(map[string]any)
	for _, key := range n.ListMapKeys {
		ok = ok && simple(m[key])
	}
	return ok
}

func simple(v any) bool {
	switch x := v.(type) {
	case nil, bool, int64:
		return true
	case string:
		return utf8.ValidString(x)
	case float64:
		return storedFloat(x)
	}
	return false
}

// sameItem reports whether two simple items are equal, or have the same keys.
func sameItem(n *plan.Node, v, w any) bool {
	if n.List == plan.ListSet {
		return v == w
	}
	a, b := v.(map[string]any), w.(map[string]any)
	for _, key := range n.ListMapKeys {
		x, inA := a[key]
		y, inB := b[key]
		if inA != inB || x != y {
			return false
		}
	}
	return true
}

// itemHash returns the hash of a simple item.
func itemHash(n *plan.Node, v any) (sum uint64) {
	if n.List == plan.ListSet {
		return hash(v, 0)
	}
	m := v.(map[string]any)
	for _, key := range n.ListMapKeys {
		sum = sum*31 + hash(m[key], 0)
	}
	return sum
}
