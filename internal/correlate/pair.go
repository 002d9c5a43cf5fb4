package correlate

import (
	"slices"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
)

// A Pair is a value, the old value that belongs to it, and the node that describes both. A nil *Pair is a value without an old one.
// Its children are found when asked for. A Pair must not be used by several goroutines at once.
type Pair struct {
	node     *plan.Node
	new, old any

	items *Items // the old items of a list map, once a child was asked for
	equal verdict
	// differs is, of a pair that is known not to be equal, the way to the difference that was found, its last step first. The children on
	// it are known not to be equal either. All others were found equal or were not looked at, so that somebody who asks about a pair
	// and then about all beneath it has each value compared twice at most.
	differs []step
}

// A step leads from a pair to a child: a key or an index, whatever the values have.
type step struct {
	key   string
	index int
}

type verdict uint8

const (
	unknown verdict = iota
	yes
	no
)

// Root returns the pair of two whole values that n describes, or nil if nothing describes them.
func Root(n *plan.Node, v, old any) *Pair {
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
	return p.child(n, v, w, step{key: k})
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
	if i < 0 || i >= len(items) {
		return nil
	}
	w, ok := p.oldItems().Find(items[i])
	if !ok {
		return nil
	}
	return p.child(p.node.Items, items[i], w, step{index: i})
}

func (p *Pair) oldItems() *Items {
	if p.items == nil {
		old, _ := p.old.([]any)
		x := NewItems(p.node, old)
		p.items = &x
	}
	return p.items
}

// child returns the pair of two parts, with what is known about them.
func (p *Pair) child(n *plan.Node, v, w any, s step) *Pair {
	c := &Pair{node: n, new: v, old: w}
	if last := len(p.differs) - 1; last >= 0 && p.differs[last] == s {
		c.equal, c.differs = no, p.differs[:last]
	} else if p.equal == yes {
		c.equal = yes
	}
	return c
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
		if p.compare(p.node, p.new, p.old) {
			p.equal = yes
		}
	}
	return p.equal == yes
}

// compare answers for two values that n describes, the pair's own or some beneath them. Where they differ it writes down the way to the
// difference.
func (p *Pair) compare(n *plan.Node, v, old any) bool {
	switch x := v.(type) {
	case map[string]any:
		y, ok := old.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for k, c := range x {
			d, had := y[k]
			child, _ := n.Child(k)
			if !had || child == nil {
				return false
			}
			if !p.compare(child, c, d) {
				p.differs = append(p.differs, step{key: k})
				return false
			}
		}
		return true
	case []any:
		y, ok := old.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		if n.List != plan.ListMap {
			return slices.EqualFunc(x, y, jsonval.Equal)
		}
		items := NewItems(n, y)
		for i, c := range x {
			d, ok := items.Find(c)
			if !ok {
				return false
			}
			if !p.compare(n.Items, c, d) {
				p.differs = append(p.differs, step{index: i})
				return false
			}
		}
		return true
	}
	return jsonval.Equal(v, old)
}
