package ruleset

import (
	"cmp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/crdkit/crdkit/internal/cel/estimate"
	"github.com/crdkit/crdkit/internal/cel/eval"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/plan"
)

// The walk through an object follows a separate tree, which has only the nodes that lead to rules. So parts without
// rules cost nothing.

// A tree has the places of a schema's rules.
type tree struct {
	top    *place
	places []*place // those where a walk may begin, by the ID of their node
}

// A place is a node with rules at or below it.
type place struct {
	node     *plan.Node
	props    []link   // by name; those that an evaluation visits
	byIndex  []*place // the same, by the index of the property; nil if there are none
	items    *place
	values   *place // of additionalProperties
	children []link // all of them, in the order in which a definition is checked (CWH-001)

	// typ is the type of self when objects are evaluated, nil if there is none. It is built from the top of the tree,
	// so that the fields of a resource have their implied types.
	typ *types.SchemaType
	// old: a rule here or below may be a transition rule, because its text contains oldSelf.
	old bool
	// correlated: values in an object here have old values. This is so for all map types that a server knows (CEV-021,
	// CCO-004).
	correlated bool

	ready atomic.Pointer[ruleset]    // nil: not compiled yet
	reads atomic.Pointer[eval.Reads] // nil: not known yet, or there are none
}

// A link leads to a place below another.
type link struct {
	name  string // of a property
	place *place
	kind  linkKind
}

type linkKind uint8

const (
	toProperty linkKind = iota
	toItems
	toValues
)

// rules returns the tree of r, which must have rules. It is built on first use.
func (r *Rules) rules() *tree {
	r.build.Do(func() {
		r.programs.mu.Lock()
		defer r.programs.mu.Unlock()
		r.tree.top = r.tree.place(r.root, types.Scope(r.root), true)
		slices.SortFunc(r.tree.places, func(a, b *place) int { return cmp.Compare(a.node.ID, b.node.ID) })
	})
	return &r.tree
}

// place makes the place of n, which has rules at or below it. seen says whether an evaluation visits it.
func (t *tree) place(n *plan.Node, typ *types.SchemaType, seen bool) *place {
	p := &place{node: n, typ: typ, correlated: true}
	if len(n.Props) > 0 && n.MapType != "" && n.MapType != "granular" && n.MapType != "atomic" {
		p.correlated = false
	}
	if seen {
		t.places = append(t.places, p)
	}
	for i := range n.Rules {
		p.old = p.old || strings.Contains(n.Rules[i].Rule, "oldSelf")
	}
	if a := n.Additional; hasRules(a) {
		p.values = t.place(a, typ.Items(), seen)
		p.add(link{place: p.values, kind: toValues})
	}
	for i := range n.Props {
		name, child := n.Props[i].Name, n.Props[i].Node
		if !hasRules(child) {
			continue
		}
		below, see := typ.Property(name, child), seen
		if escaped, ok := types.EscapeName(name); ok && typ.Field(escaped) == nil || below == nil {
			see = false // CEV-005
		}
		l := link{name: name, place: t.place(child, below, see)}
		p.add(l)
		if see {
			p.props = append(p.props, l)
			if p.byIndex == nil {
				p.byIndex = make([]*place, len(n.Props))
			}
			p.byIndex[i] = l.place
		}
	}
	if hasRules(n.Items) {
		p.items = t.place(n.Items, typ.Items(), seen)
		p.add(link{place: p.items, kind: toItems})
	}
	return p
}

// add adds a link to a place below p.
func (p *place) add(l link) {
	p.children = append(p.children, l)
	p.old = p.old || l.place.old
}

func hasRules(n *plan.Node) bool { return n != nil && n.Below&plan.HasRules != 0 }

// find returns the place of n, or nil if there are no rules to evaluate at or below n.
func (t *tree) find(n *plan.Node) *place {
	i, ok := slices.BinarySearchFunc(t.places, n.ID, func(p *place, id int) int { return cmp.Compare(p.node.ID, id) })
	if !ok || t.places[i].node != n {
		return nil
	}
	return t.places[i]
}

// A count is the maximum number of values at a place in one object.
type count struct {
	n       uint64
	bounded bool
}

// countBelow returns the count of values one level below p, whose count is c. If there are additionalProperties,
// declared properties count as values of a map, too.
//
// Clauses: CES-080.
func (p *place) countBelow(c count) count {
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
	return count{n: estimate.Times(c.n, uint64(max(most, 0))), bounded: true}
}

// multiplies reports whether a value at p can have several values directly below it.
func (p *place) multiplies() bool {
	return p.node.Type == "array" || p.node.Type == "object" && p.node.Has&plan.OtherKeys != 0
}
