package plan

import (
	"strconv"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// Items finds the old items of a list that correspond to new ones: those with the same keys. The zero value has none.
// It must not be used concurrently.
type Items struct {
	keys  []string
	old   []any
	byKey map[any]any // built when many items are looked up
}

// ByKeys reports whether items of lists at n correspond to each other at all: whether n is an array with list type map
// and keys, and has a schema for its items.
func ByKeys(n *Node) bool {
	return n != nil && n.Type == "array" && n.List == ListMap && len(n.ListMapKeys) > 0 && n.Items != nil
}

// NewItems returns the items of old, a list that n describes. It has none unless [ByKeys] is true. It allocates
// nothing.
func NewItems(n *Node, old []any) Items {
	if !ByKeys(n) {
		return Items{}
	}
	return Items{keys: n.ListMapKeys, old: old}
}

// Find returns the first old item that has the same keys as item. Each key must be present, and be a boolean, a number
// or a string. A single key must also have the same type, so 1 and 1.0 differ. Several keys are compared as text, in
// which a float64 has six decimals.
//
// Clauses: RAT-003, CEV-022.
func (x *Items) Find(item any) (old any, ok bool) {
	if len(x.old) == 0 {
		return nil, false
	}
	if !keyed(x.keys, item) {
		return nil, false
	}
	if len(x.old) <= jsonval.FewItems { // allocates nothing
		for _, v := range x.old {
			if sameKeys(x.keys, item, v) {
				return v, true
			}
		}
		return nil, false
	}
	if x.byKey == nil {
		x.byKey = make(map[any]any, len(x.old))
		for _, v := range x.old {
			if !keyed(x.keys, v) {
				continue
			}
			key := keyOf(x.keys, v)
			if _, taken := x.byKey[key]; !taken {
				x.byKey[key] = v
			}
		}
	}
	old, ok = x.byKey[keyOf(x.keys, item)]
	return old, ok
}

// InPlace reports whether each item of a list at n certainly has the keys of the old item at its index, so that this is
// its counterpart: keys that are strings. Both lists have the same length. Different items may have the same keys.
func (n *Node) InPlace(items, before []any) bool {
	for i, item := range items {
		for _, name := range n.ListMapKeys {
			key, _ := Key(item, name)
			old, _ := Key(before[i], name)
			if s, ok := key.(string); !ok || old != any(s) {
				return false
			}
		}
	}
	return len(n.ListMapKeys) > 0
}

// keyed reports whether an item has a scalar value for each of the keys. Null is none.
func keyed(names []string, item any) bool {
	for _, name := range names {
		switch key, _ := Key(item, name); key.(type) {
		case bool, int64, float64, string:
		default:
			return false
		}
	}
	return true
}

// sameKeys reports whether b has the same keys as a, for which keyed is true.
func sameKeys(names []string, a, b any) bool {
	for _, name := range names {
		x, _ := Key(a, name)
		y, _ := Key(b, name)
		if x != y && (len(names) == 1 || !sameText(x, y)) {
			return false
		}
	}
	return true
}

// sameText reports whether v and w are float64s with the same text.
func sameText(v, w any) bool {
	var a, b [32]byte
	x, ok := v.(float64)
	y, both := w.(float64)
	return ok && both && string(appendFloat(a[:0], x)) == string(appendFloat(b[:0], y))
}

func appendFloat(b []byte, f float64) []byte { return strconv.AppendFloat(b, f, 'f', 6, 64) }

// keyOf returns a value that is equal for items with the same keys: a single key as it is, several as text. keyed must
// be true for the item.
func keyOf(names []string, item any) any {
	if len(names) == 1 {
		key, _ := Key(item, names[0])
		return key
	}
	var buf [128]byte
	b := buf[:0]
	for _, name := range names {
		b = append(b, 0)
		key, _ := Key(item, name)
		switch x := key.(type) {
		case bool:
			b = strconv.AppendBool(b, x)
		case int64:
			b = strconv.AppendInt(b, x, 10)
		case float64:
			b = appendFloat(b, x)
		case string:
			b = strconv.AppendQuote(b, x)
		}
	}
	return string(b)
}
