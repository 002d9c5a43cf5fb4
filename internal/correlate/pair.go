package correlate

import (
	"slices"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/schema"
)

// A Pair is a value, the old value that belongs to it, and the node that describes both. A nil *Pair is a value without an old one.
// Its children are found when asked for. A Pair must not be used by several goroutines at once.
type Pair struct {
	node     *schema.Node
	new, old any

	items *Items // the old items of a list map, once a child was asked for
	equal verdict
}

type verdict uint8

const (
	unknown verdict = iota
	yes
	no
)

// Root returns the pair of two whole values that n describes, or nil if nothing describes them.
func Root(n *schema.Node, v, old any) *Pair {
	if n == nil {
		return nil
	}
	return &Pair{node: n, new: v, old: old}
}

// Child returns the pair of key k: both values are objects and have the key, null included, and the key has a schema. Otherwise it
// returns nil.
//
// Clauses: RAT-001, CEV-034.
func (p *Pair) Child(k string) *Pair {
	if p == nil {
		return nil
	}
	m, _ := p.new.(map[string]any)
	old, _ := p.old.(map[string]any)
	v, has := m[k]
	w, had := old[k]
	if !has || !had {
		return nil
	}
	n, _ := p.node.Child(k)
	if n == nil {
		return nil
	}
	return &Pair{node: n, new: v, old: w}
}

// Item returns the pair of item i: both values are lists, they are maps by their list type, and an old item has the same keys.
// Otherwise it returns nil: items of other lists belong to none.
//
// Clauses: RAT-001, RAT-003, CEV-034.
func (p *Pair) Item(i int) *Pair {
	if p == nil || !ByKeys(p.node) {
		return nil
	}
	items, _ := p.new.([]any)
	old, _ := p.old.([]any)
	if i < 0 || i >= len(items) {
		return nil
	}
	if p.items == nil {
		x := NewItems(p.node, old)
		p.items = &x
	}
	w, ok := p.items.Find(items[i])
	if !ok {
		return nil
	}
	return &Pair{node: p.node.Items, new: items[i], old: w}
}

// Equal reports whether nothing changed between the two values. A nil pair is not equal. Scalars are compared as Go values: 1 and 1.0
// differ. Objects are equal if they have as many keys and each key of the new one has a child that is equal; so an object with a key
// that has no schema never is. Lists that are maps are equal in any order, other lists as a whole. The answer is kept.
//
// Clauses: RAT-002, RAT-006, RAT-009, CEV-037.
func (p *Pair) Equal() bool {
	if p == nil {
		return false
	}
	if p.equal == unknown {
		p.equal = no
		if p.compare() {
			p.equal = yes
		}
	}
	return p.equal == yes
}

func (p *Pair) compare() bool {
	switch x := p.new.(type) {
	case map[string]any:
		old, ok := p.old.(map[string]any)
		if !ok || len(old) != len(x) {
			return false
		}
		for k := range x {
			if !p.Child(k).Equal() {
				return false
			}
		}
		return true
	case []any:
		old, ok := p.old.([]any)
		if !ok || len(old) != len(x) {
			return false
		}
		if p.node.List != schema.ListMap {
			return slices.EqualFunc(x, old, jsonval.Equal)
		}
		for i := range x {
			if !p.Item(i).Equal() {
				return false
			}
		}
		return true
	}
	return jsonval.Equal(p.new, p.old)
}
