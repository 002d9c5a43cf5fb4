package correlate

import (
	"strconv"

	"github.com/crdkit/crdkit/internal/plan"
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
func ByKeys(n *plan.Node) bool {
	return n != nil && n.Type == "array" && n.List == plan.ListMap && len(n.ListMapKeys) > 0 && n.Items != nil
}

// NewItems returns the items of old, a list that n describes. It has none unless [ByKeys] is true. It allocates
// nothing.
func NewItems(n *plan.Node, old []any) Items {
	if !ByKeys(n) {
		return Items{}
	}
	return Items{keys: n.ListMapKeys, old: old}
}

// fewItems is the number of items up to which comparing all of them is faster than a map. It allocates nothing.
const fewItems = 16

// Find returns the first old item that has the same keys as item. Each key must be present, and be a boolean, a number
// or a string. A single key must also have the same type, so 1 and 1.0 differ. Several keys are compared as text, in
// which a float64 has six decimals.
//
// Clauses: RAT-003, CEV-022.
func (x *Items) Find(item any) (old any, ok bool) {
	if len(x.old) == 0 {
		return nil, false
	}
	m, _ := item.(map[string]any)
	if !keyed(x.keys, m) {
		return nil, false
	}
	if len(x.old) <= fewItems {
		for _, v := range x.old {
			if w, _ := v.(map[string]any); sameKeys(x.keys, m, w) {
				return v, true
			}
		}
		return nil, false
	}
	if x.byKey == nil {
		x.byKey = make(map[any]any, len(x.old))
		for _, v := range x.old {
			w, _ := v.(map[string]any)
			if !keyed(x.keys, w) {
				continue
			}
			key := keyOf(x.keys, w)
			if _, taken := x.byKey[key]; !taken {
				x.byKey[key] = v
			}
		}
	}
	old, ok = x.byKey[keyOf(x.keys, m)]
	return old, ok
}

// keyed reports whether m has a scalar value for each of the keys.
func keyed(keys []string, m map[string]any) bool {
	for _, k := range keys {
		switch m[k].(type) {
		case bool, int64, float64, string:
		default:
			return false
		}
	}
	return true
}

// sameKeys reports whether b has the same keys as a, for which keyed is true.
func sameKeys(keys []string, a, b map[string]any) bool {
	for _, k := range keys {
		if a[k] != b[k] && (len(keys) == 1 || !sameText(a[k], b[k])) {
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
// be true for m.
func keyOf(keys []string, m map[string]any) any {
	if len(keys) == 1 {
		return m[keys[0]]
	}
	var buf [128]byte
	b := buf[:0]
	for _, k := range keys {
		b = append(b, 0)
		switch x := m[k].(type) {
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
