package plan

import (
	"slices"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// A Pair is a value, its old value, and the node that describes both. A nil *Pair means that a value has no old one.
// Children are found on demand. A Pair must not be used concurrently.
type Pair struct {
	node     *Node
	new, old any

	items *Items // the old items of a list map, set when the first child is requested
	equal sameness
	// differs is the path to the first known difference, in reverse order, for a pair that is known not to be equal.
	// The children on this path are known not to be equal either. All other children are equal or were not compared, so
	// comparing a pair and then everything below it compares each value at most twice.
	differs []segment
}

// A segment leads from a pair to a child: a key or an index, depending on the values.
type segment struct {
	key   string
	index int
}

type sameness uint8

const (
	unknown sameness = iota
	yes
	no
)

// NewPair returns the pair of two whole values that n describes, or nil if n is nil.
func NewPair(n *Node, v, old any) *Pair {
	if n == nil {
		return nil
	}
	return &Pair{node: n, new: v, old: old}
}

// Child returns the pair of key k. Both values must be objects and have the key, null included, and the key must have a
// schema. Otherwise it returns nil.
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
	return p.child(n, v, w, segment{key: k})
}

// Item returns the pair of item i. Both values must be lists with list type map, and an old item must have the same
// keys. Otherwise it returns nil: items of other lists have no counterparts.
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
	if p.items == nil {
		old, _ := p.old.([]any)
		x := NewItems(p.node, old)
		p.items = &x
	}
	w, ok := p.items.Find(items[i])
	if !ok {
		return nil
	}
	return p.child(p.node.Items, items[i], w, segment{index: i})
}

// child returns the pair of two parts, with what is known about their equality.
func (p *Pair) child(n *Node, v, w any, s segment) *Pair {
	c := &Pair{node: n, new: v, old: w}
	if last := len(p.differs) - 1; last >= 0 && p.differs[last] == s {
		c.equal, c.differs = no, p.differs[:last]
	} else if p.equal == yes {
		c.equal = yes
	}
	return c
}

// Equal reports whether the two values are equal. A nil pair is not equal. Scalars are compared as Go values: 1 and 1.0
// differ. Objects are equal if they have the same number of keys and the child of each key of the new one is equal, so
// an object with a key without a schema is never equal. Lists with list type map are equal in any order, other lists as
// a whole. The result is cached.
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

// compare compares two values that n describes, those of the pair or parts of them. If they differ, it records the path
// to the difference.
func (p *Pair) compare(n *Node, v, old any) bool {
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
				p.differs = append(p.differs, segment{key: k})
				return false
			}
		}
		return true
	case []any:
		y, ok := old.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		if n.List != ListMap {
			return slices.EqualFunc(x, y, jsonval.Equal)
		}
		items := NewItems(n, y)
		for i, c := range x {
			d, ok := items.Find(c)
			if !ok {
				return false
			}
			if !p.compare(n.Items, c, d) {
				p.differs = append(p.differs, segment{index: i})
				return false
			}
		}
		return true
	}
	return jsonval.Equal(v, old)
}
