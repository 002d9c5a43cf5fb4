package compat

import (
	"math"
	"slices"

	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/sample"
)

// clauses looks for combinators of y that x does not imply.
func (p *prover) combinators() {
	x, y := p.x, p.y
	for _, c := range y.combinators {
		if p.impliesCombinator(c) {
			continue
		}
		g := restriction{keyword: c.keyword, before: combinatorsText(x.combinators, c.keyword, x.loc.proofs), after: combinatorsText([]combinator{c}, c.keyword, x.loc.proofs)}
		if !p.asSent || !p.dependsOnPresence(c) { // else it is not known of what is sent
			g.violated = func(v any) bool { return !c.fits(v) }
		}
		p.add(g)
	}
}

// fits reports whether v fulfils the clause.
func (c combinator) fits(v any) bool {
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

func (p *prover) impliesCombinator(c combinator) bool {
	if p.asSent && p.dependsOnPresence(c) {
		return false
	}
	texts := p.x.loc.proofs
	if !texts.spend(len(p.x.combinators) * len(c.branches)) {
		return false
	}
	text := texts.combinatorText(c)
	for _, own := range p.x.combinators {
		if own.keyword == c.keyword && len(own.branches) == len(c.branches) && texts.combinatorText(own) == text {
			return true
		}
	}
	if p.depth <= 1 {
		return false
	}
	switch c.keyword {
	case "not":
		negated := branchFacts(c.branches[0], p.x.loc.proofs)
		for _, own := range p.x.combinators {
			if own.keyword == "not" && implies(negated, branchFacts(own.branches[0], p.x.loc.proofs), p.depth-1) {
				return true
			}
		}
		return disjoint(p.x, c.branches[0], p.depth-1)
	case "anyOf":
		return p.impliesAnyOf(p.x, c.branches)
	}
	return p.impliesOneOf(c.branches)
}

// moves reports whether a clause is about fields that are dropped or filled in on one side only.
func (p *prover) dependsOnPresence(c combinator) bool {
	if p.x.accept&p.y.accept&plan.KindObject == 0 {
		return false
	}
	lost, others := p.differingPresence()
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
func (p *prover) impliesAnyOf(x *facts, branches []*plan.Node) bool {
	implied := func(x *facts) bool {
		for _, b := range branches {
			if implies(x, branchFacts(b, p.x.loc.proofs), p.depth-1) {
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
	for _, own := range x.combinators {
		if own.keyword == "not" {
			continue
		}
		all := true
		for _, a := range own.branches {
			if !implied(x.assuming(a)) {
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
func (p *prover) impliesOneOf(branches []*plan.Node) bool {
	if !p.impliesAnyOf(p.x, branches) {
		return false
	}
	for i, a := range branches {
		for _, b := range branches[i+1:] {
			if !disjoint(p.x.assuming(a), b, p.depth-1) {
				return false
			}
		}
	}
	return true
}

// disjoint reports whether no value is proved to fulfil both x and a branch.
func disjoint(x *facts, branch *plan.Node, depth int) bool {
	if !x.loc.proofs.spend(1) {
		return false
	}
	both := x.assuming(branch)
	if both.accept &^= plan.KindNull; both.empty(emptyDepth) { // what combinators say does not count for null
		return true
	}
	y := branchFacts(branch, x.loc.proofs)
	for _, f := range [][2]*facts{{x, y}, {y, x}} {
		for _, c := range f[1].combinators {
			if c.keyword == "not" && depth > 1 && implies(f[0], branchFacts(c.branches[0], x.loc.proofs), depth-1) {
				return true
			}
		}
	}
	return false
}
