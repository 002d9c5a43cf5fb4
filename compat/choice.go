package compat

import (
	"math"
	"slices"

	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/sample"
)

// clauses looks for combinators of y that x does not imply.
func (p *prover) clauses() {
	x, y := p.x, p.y
	for _, c := range y.clauses {
		if p.impliesClause(c) {
			continue
		}
		g := gap{keyword: c.keyword, before: clauseText(x.clauses, c.keyword, x.spot.proofs), after: clauseText([]clause{c}, c.keyword, x.spot.proofs)}
		if !p.whole || !p.moves(c) { // else it is not known of what is sent
			g.broken = func(v any) bool { return !c.fits(v) }
		}
		p.add(g)
	}
}

// fits reports whether v fulfils the clause.
func (c clause) fits(v any) bool {
	n := 0
	for _, b := range c.branches {
		if sample.Fits([]*plan.Node{b}, v) {
			n++
		}
	}
	switch c.keyword {
	case "oneOf":
		return n == 1
	case "not":
		return n == 0
	}
	return n > 0
}

func (p *prover) impliesClause(c clause) bool {
	if p.whole && p.moves(c) {
		return false
	}
	texts := p.x.spot.proofs
	if !texts.spend(len(p.x.clauses) * len(c.branches)) {
		return false
	}
	text := texts.clause(c)
	for _, own := range p.x.clauses {
		if own.keyword == c.keyword && len(own.branches) == len(c.branches) && texts.clause(own) == text {
			return true
		}
	}
	if p.depth <= 1 {
		return false
	}
	switch c.keyword {
	case "not":
		negated := branchFacts(c.branches[0], p.x.spot.proofs)
		for _, own := range p.x.clauses {
			if own.keyword == "not" && implies(negated, branchFacts(own.branches[0], p.x.spot.proofs), p.depth-1) {
				return true
			}
		}
		return disjoint(p.x, c.branches[0], p.depth-1)
	case "anyOf":
		return p.impliesSome(p.x, c.branches)
	}
	return p.exactlyOne(c.branches)
}

// moves reports whether a clause is about fields that are dropped or filled in on one side only.
func (p *prover) moves(c clause) bool {
	if p.x.accept&p.y.accept&plan.KindObject == 0 {
		return false
	}
	lost, others := p.unsteady()
	if len(lost) == 0 && !others {
		return false
	}
	var about func(n *plan.Node) bool
	about = func(n *plan.Node) bool {
		hit := func(name string) bool { return slices.Contains(lost, name) || others && !p.y.declares(name) }
		if n.MinProperties > 0 || n.MaxProperties < math.MaxInt64 || slices.ContainsFunc(n.Required, hit) {
			return true
		}
		for i := range n.Props {
			if hit(n.Props[i].Name) {
				return true
			}
		}
		k := n.Combine
		return k != nil && (slices.ContainsFunc(k.AllOf, about) || slices.ContainsFunc(k.AnyOf, about) || slices.ContainsFunc(k.OneOf, about) || k.Not != nil && about(k.Not))
	}
	return slices.ContainsFunc(c.branches, about)
}

// impliesSome reports whether each value of x is proved to fulfil one of the branches: all of them do, or those of each kind, or those of each branch
// of one of x's own choices.
func (p *prover) impliesSome(x *facts, branches []*plan.Node) bool {
	implied := func(x *facts) bool {
		for _, b := range branches {
			if implies(x, branchFacts(b, p.x.spot.proofs), p.depth-1) {
				return true
			}
		}
		return false
	}
	if implied(x) {
		return true
	}
	byKind := true
	for kind := plan.Kinds(1); kind != 0 && byKind; kind <<= 1 {
		if x.accept&kind != 0 {
			one := *x
			one.accept = kind
			byKind = implied(&one)
		}
	}
	if byKind {
		return true
	}
	for _, own := range x.clauses {
		if own.keyword == "not" {
			continue
		}
		all := true
		for _, a := range own.branches {
			if !implied(x.with(a)) {
				all = false
				break
			}
		}
		if all {
			return true
		}
	}
	return false
}

// exactlyOne reports whether each value of x is proved to fulfil exactly one of branches.
func (p *prover) exactlyOne(branches []*plan.Node) bool {
	if !p.impliesSome(p.x, branches) {
		return false
	}
	for i, a := range branches {
		for _, b := range branches[i+1:] {
			if !disjoint(p.x.with(a), b, p.depth-1) {
				return false
			}
		}
	}
	return true
}

// with returns the facts of x's values that fulfil a branch, too.
func (f *facts) with(branch *plan.Node) *facts {
	more := gather(f.heads, append(f.chosen[:len(f.chosen):len(f.chosen)], branch), f.spot)
	more.accept &= f.accept
	return more
}

// disjoint reports whether no value is proved to fulfil both x and a branch.
func disjoint(x *facts, branch *plan.Node, depth int) bool {
	if !x.spot.proofs.spend(1) {
		return false
	}
	both := x.with(branch)
	if both.accept &^= plan.KindNull; both.empty(emptyDepth) { // what combinators say does not count for null
		return true
	}
	y := branchFacts(branch, x.spot.proofs)
	for _, f := range [][2]*facts{{x, y}, {y, x}} {
		for _, c := range f[1].clauses {
			if c.keyword == "not" && depth > 1 && implies(f[0], branchFacts(c.branches[0], x.spot.proofs), depth-1) {
				return true
			}
		}
	}
	return false
}
