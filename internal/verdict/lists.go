package verdict

import (
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
	if checks&checkSchema != 0 && (n.Accept&plan.KindArray == 0 || Items(n, items) != 0 || Duplicates(n, items)) && !w.fail(Schema) {
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
			if !w.free(v, checks&preserving != 0) {
				return false
			}
			if before != nil && !jsonval.Equal(v, before[i]) {
				w.differs = true
				w.oldNotStored = w.oldNotStored || !w.free(before[i], checks&preserving != 0)
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
	// After the items: comparisons are not counted, so they are made only for lists that are not too large.
	return n.Has&plan.HasList == 0 || checks&checkLists == 0 || distinct(n, items) || w.fail(Lists)
}

// fewItems is the number of items up to which comparing each with each is faster than a set, and allocates nothing.
const fewItems = 16

// distinct reports whether the items of a set or a map certainly differ (LST-002 to LST-006). When in doubt it returns
// false: the reporting walk has the exact rules, by which 1 and 1.0 may be equal or not.
func distinct(n *plan.Node, items []any) bool {
	if len(items) < 2 && n.List == plan.ListSet {
		return true
	}
	if len(items) > fewItems {
		return manyDistinct(n, items)
	}
	room := jsonval.NewRoom() // for all comparisons
	for i, v := range items {
		if n.List == plan.ListMap {
			if _, ok := v.(map[string]any); !ok {
				return false
			}
		}
		for _, w := range items[:i] {
			if n.List == plan.ListSet && maybeEqual(v, w, &room) || n.List == plan.ListMap && maybeSameKeys(n, v, w, &room) {
				return false
			}
		}
	}
	return true
}

// maybeSameKeys reports whether two items of a map may have the same keys. If an item is not an object, it does not
// matter.
func maybeSameKeys(n *plan.Node, v, w any, room *jsonval.Room) bool {
	a, b := v.(map[string]any), w.(map[string]any)
	for _, key := range n.ListMapKeys {
		x, inA := a[key]
		y, inB := b[key]
		if inA != inB || inA && !maybeEqual(x, y, room) {
			return false
		}
	}
	return true
}

// maybeEqual is never false for values that a server treats as equal: numbers are compared by value, and all strings
// that are not valid UTF-8 count as equal.
func maybeEqual(v, w any, room *jsonval.Room) bool { return compare(v, w, 0, room) != different }

// A likeness is the result of a comparison.
type likeness uint8

const (
	different likeness = iota // for certain
	alike
	tooDeep // undecided within maxDepth, or within the available room
)

func maybe(ok bool) likeness {
	if ok {
		return alike
	}
	return different
}

// compare stops as soon as it is too deep: values that contain themselves can have exponentially many paths.
func compare(v, w any, depth int, room *jsonval.Room) likeness {
	switch x := v.(type) {
	case nil:
		return maybe(w == nil)
	case bool:
		y, ok := w.(bool)
		return maybe(ok && x == y)
	case string:
		y, ok := w.(string)
		return maybe(ok && (x == y || !utf8.ValidString(x) && !utf8.ValidString(y)))
	case int64:
		switch y := w.(type) {
		case int64:
			return maybe(x == y)
		case float64:
			return maybe(float64(x) == y)
		}
	case float64:
		switch y := w.(type) {
		case int64:
			return maybe(x == float64(y))
		case float64:
			return maybe(x == y)
		}
	case map[string]any:
		y, ok := w.(map[string]any)
		if !ok || len(x) != len(y) {
			return different
		}
		if depth > maxDepth || !room.Map(x) {
			return tooDeep
		}
		for k, c := range x {
			d, ok := y[k]
			if !ok {
				if utf8.ValidString(k) {
					return different
				}
				continue
			}
			if l := compare(c, d, depth+1, room); l == tooDeep || l == different && utf8.ValidString(k) {
				return l
			}
		}
		return alike
	case []any:
		y, ok := w.([]any)
		if !ok || len(x) != len(y) {
			return different
		}
		if depth > maxDepth || !room.List(x) {
			return tooDeep
		}
		for i, c := range x {
			if l := compare(c, y[i], depth+1, room); l != alike {
				return l
			}
		}
		return alike
	}
	// A foreign value on the left or a mixed pair: only the latter certainly differs.
	return maybe(!known(v) || !known(w))
}

func known(v any) bool {
	switch v.(type) {
	case nil, bool, string, int64, float64, map[string]any, []any:
		return true
	}
	return false
}

// manyDistinct checks long lists by hashes, for the kinds of items and keys that long lists have: strings in sets, and
// strings, integers and booleans as keys. The reporting walk handles others.
func manyDistinct(n *plan.Node, items []any) bool {
	h := newHasher()
	if n.List == plan.ListSet {
		return differ(items, func(v any) (uint64, bool) {
			s, ok := v.(string)
			return h.text(s), ok
		}, func(v, w any) bool { return v == w })
	}
	return differ(items, func(v any) (sum uint64, ok bool) {
		m, ok := v.(map[string]any)
		for i := 0; ok && i < len(n.ListMapKeys); i++ {
			var k uint64
			k, ok = h.key(m, n.ListMapKeys[i])
			sum = sum*31 + k
		}
		return sum, ok
	}, func(v, w any) bool {
		room := jsonval.NewRoom()
		return maybeSameKeys(n, v, w, &room)
	})
}

// key returns the hash of the value of a list map key. It fails for values that need the exact rules.
func (h hasher) key(m map[string]any, key string) (sum uint64, ok bool) {
	switch x := m[key].(type) {
	case string:
		return h.text(x), utf8.ValidString(x)
	case int64, bool:
		return h.value(x, 0), true
	case nil:
		_, null := m[key]
		return 0, !null
	}
	return 0, false
}
