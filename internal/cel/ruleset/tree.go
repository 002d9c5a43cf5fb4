package ruleset

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/crdkit/crdkit/internal/cel/declare"
	"github.com/crdkit/crdkit/internal/plan"
)

// The walk through an object follows a tree of its own: only the nodes on the way to rules are in it, so that what has no rules
// beneath it costs nothing.

// A tree has the places of a schema's rules.
type tree struct {
	top    *place
	places []*place // those that a walk may begin at, by the ID of their node
}

// A place is a node with rules at or beneath it.
type place struct {
	node     *plan.Node
	props    []link // by name; those that rules can see
	items    *place
	values   *place // of additionalProperties
	children []link // all of them, in the order in which a definition is checked (CWH-001)

	// typ is what the rules are about when objects are evaluated, nil if they cannot be about anything. It begins at the tree's top, so
	// that a resource's own fields have their implied types.
	typ *declare.Type
	// old: a rule here or beneath may be a transition rule. It is one only if its text has the name.
	old bool
	// correlated: values in an object here have old values. No map type that a server knows says otherwise (CEV-021, CCO-004).
	correlated bool

	ready atomic.Pointer[ruleset] // nil: not compiled yet
}

// A link leads to a place beneath another.
type link struct {
	name  string // of a property
	place *place
	step  step
}

type step uint8

const (
	toProperty step = iota
	toItems
	toValues
)

// rules returns the tree of r, which has rules. It is made at the first use.
func (r *Rules) rules() *tree {
	r.grow.Do(func() {
		r.programs.mu.Lock()
		defer r.programs.mu.Unlock()
		b := builder{tree: &r.tree}
		r.tree.top = b.place(r.root, declare.Scope(r.root), true)
		slices.SortFunc(r.tree.places, func(a, b *place) int { return cmp.Compare(a.node.ID, b.node.ID) })
	})
	return &r.tree
}

type builder struct{ tree *tree }

// place returns the place of n, which has rules at or beneath it. seen says whether an evaluation gets there.
func (b *builder) place(n *plan.Node, typ *declare.Type, seen bool) *place {
	p := &place{node: n, typ: typ, correlated: true}
	if len(n.Props) > 0 && n.MapType != "" && n.MapType != "granular" && n.MapType != "atomic" {
		p.correlated = false
	}
	if seen {
		b.tree.places = append(b.tree.places, p)
	}
	for i := range n.Rules {
		p.old = p.old || strings.Contains(n.Rules[i].Rule, "oldSelf")
	}
	if a := n.Additional; ruled(a) {
		p.values = b.place(a, typ.Values(), seen)
		p.add(link{place: p.values, step: toValues})
	}
	for i := range n.Props {
		name, child := n.Props[i].Name, n.Props[i].Node
		if !ruled(child) {
			continue
		}
		t, see := typ.Property(name, child), seen
		if escaped, ok := declare.Escape(name); ok && typ.Field(escaped) == nil || t == nil {
			see = false // CEV-005
		}
		l := link{name: name, place: b.place(child, t, see)}
		p.add(l)
		if see {
			p.props = append(p.props, l)
		}
	}
	if ruled(n.Items) {
		p.items = b.place(n.Items, typ.Items(), seen)
		p.add(link{place: p.items, step: toItems})
	}
	return p
}

// add appends a link to a place beneath p.
func (p *place) add(l link) {
	p.children = append(p.children, l)
	p.old = p.old || l.place.old
}

func ruled(n *plan.Node) bool { return n != nil && n.Below&plan.HasRules != 0 }

// find returns the place of n, or nil if a walk from there would meet no rule.
func (t *tree) find(n *plan.Node) *place {
	i, ok := slices.BinarySearchFunc(t.places, n.ID, func(p *place, id int) int { return cmp.Compare(p.node.ID, id) })
	if !ok || t.places[i].node != n {
		return nil
	}
	return t.places[i]
}

// A count is how many values there are at a place in one object, at most.
type count struct {
	n       uint64
	bounded bool
}

// beneath returns the count of what is one step beneath p, of which there are c. Properties beside additionalProperties count as
// values of a map.
//
// Clauses: CES-080.
func (p *place) beneath(c count) count {
	if !p.multiplies() {
		return c
	}
	most := p.node.MaxItems
	if p.node.Type == "object" {
		most = p.node.MaxProperties
	}
	if !c.bounded || !p.node.Sized() {
		return count{}
	}
	return count{n: times(c.n, uint64(max(most, 0))), bounded: true}
}

// multiplies reports whether there are several values beneath a value at p.
func (p *place) multiplies() bool {
	return p.node.Type == "array" || p.node.Type == "object" && p.node.Has&plan.OtherKeys != 0
}

// times returns a*b, or math.MaxUint64 if that is more.
func times(a, b uint64) uint64 {
	if a != 0 && b > math.MaxUint64/a {
		return math.MaxUint64
	}
	return a * b
}

// plus returns a+b, or math.MaxUint64 if that is more.
func plus(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}
