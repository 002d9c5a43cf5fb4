package compat

import (
	"math"
	"slices"

	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/tool/sample"
)

// combinators compares the combinators of y with what x implies.
func (p *prover) combinators() {
	x, y := p.x, p.y
	dependsOnPresence := p.presenceDependence()
	for _, c := range y.combinators {
		depends := dependsOnPresence(c)
		if !depends && p.impliesCombinator(c) {
			continue
		}
		g := restriction{keyword: c.keyword, before: combinatorsText(x.combinators, c.keyword, x.loc.proofs), after: combinatorsText([]combinator{c}, c.keyword, x.loc.proofs)}
		if !depends {
			g.violated = func(v any) bool { return !c.fits(v) }
		}
		p.add(g)
	}
}

// fits reports whether c accepts v.
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

// impliesCombinator reports whether c is proved to accept everything that x accepts.
func (p *prover) impliesCombinator(c combinator) bool {
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
		return refusedByNot(branchFacts(c.branches[0], p.x.loc.proofs), p.x.combinators, p.depth-1) ||
			disjoint(p.x, c.branches[0], p.depth-1)
	case "anyOf":
		return p.impliesAnyOf(p.x, c.branches)
	}
	return p.impliesOneOf(c.branches)
}

// presenceDependence returns a function that reports whether a combinator may depend on fields that only one side has.
func (p *prover) presenceDependence() func(c combinator) bool {
	never := func(combinator) bool { return false }
	if !p.asSent || len(p.y.combinators) == 0 || p.x.accept&p.y.accept&plan.KindObject == 0 {
		return never
	}
	names, others := differingPresence(p.x, p.y)
	if len(names) == 0 && !others {
		return never
	}
	differing := setOf(names)
	differs := func(name string) bool { return differing[name] || others && !p.y.declares(name) }
	var depends func(n *plan.Node) bool
	depends = func(n *plan.Node) bool {
		if n.MinProperties > 0 || n.MaxProperties < math.MaxInt64 || slices.ContainsFunc(n.Required, differs) ||
			slices.ContainsFunc(n.Props, func(p plan.Prop) bool { return differs(p.Name) }) {
			return true
		}
		k := n.Combine
		return k != nil && (slices.ContainsFunc(slices.Concat(k.AllOf, k.AnyOf, k.OneOf), depends) || k.Not != nil && depends(k.Not))
	}
	return func(c combinator) bool { return slices.ContainsFunc(c.branches, depends) }
}

// impliesAnyOf reports whether each value of x is proved to match one of branches. The proof may go by cases: the kinds
// of values, or the branches of one of x's own combinators.
func (p *prover) impliesAnyOf(x *facts, branches []*plan.Node) bool {
	implied := func(x *facts) bool {
		return slices.ContainsFunc(branches, func(b *plan.Node) bool { return implies(x, branchFacts(b, x.loc.proofs), p.depth-1) })
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
	return byKind || slices.ContainsFunc(x.combinators, func(c combinator) bool {
		return c.keyword != "not" && !slices.ContainsFunc(c.branches, func(b *plan.Node) bool { return !implied(x.assuming(b)) })
	}) || p.impliesRest(x, branches)
}

// maxRest bounds the number of branches for which impliesRest is tried.
const maxRest = 8

// impliesRest reports whether each value of x that does not match one of branches is proved to match another one.
func (p *prover) impliesRest(x *facts, branches []*plan.Node) bool {
	if len(branches) < 2 || len(branches) > maxRest || p.depth <= 1 || !x.loc.proofs.spend(len(branches)*len(x.nodes)) {
		return false
	}
	for i, b := range branches {
		others, ok := x.loc.proofs.complement(b)
		if !ok {
			continue
		}
		rest := prover{x: p.x, y: p.y, depth: p.depth - 1}
		return !slices.ContainsFunc(others, func(other *plan.Node) bool {
			left := x.assuming(other)
			left.accept &^= plan.KindNull // combinators do not apply to null
			return !left.empty(emptyDepth) && !rest.impliesAnyOf(left, slices.Delete(slices.Clone(branches), i, i+1))
		})
	}
	return false
}

// impliesOneOf reports whether each value of x is proved to match exactly one of branches.
func (p *prover) impliesOneOf(branches []*plan.Node) bool {
	if !p.impliesAnyOf(p.x, branches) {
		return false
	}
	for i, a := range branches {
		x := p.x.assuming(a)
		if slices.ContainsFunc(branches[i+1:], func(b *plan.Node) bool { return !disjoint(x, b, p.depth-1) }) {
			return false
		}
	}
	return true
}

// disjoint reports whether it is proved that no value of x matches a branch.
func disjoint(x *facts, branch *plan.Node, depth int) bool {
	if !x.loc.proofs.spend(1) {
		return false
	}
	both := x.assuming(branch)
	if both.accept &^= plan.KindNull; both.empty(emptyDepth) { // combinators do not apply to null
		return true
	}
	y := branchFacts(branch, x.loc.proofs)
	return depth > 1 && (refusedByNot(x, y.combinators, depth-1) || refusedByNot(y, x.combinators, depth-1))
}

// refusedByNot reports whether it is proved that one of combinators is a not that refuses each value of x.
func refusedByNot(x *facts, combinators []combinator, depth int) bool {
	return slices.ContainsFunc(combinators, func(c combinator) bool {
		return c.keyword == "not" && implies(x, branchFacts(c.branches[0], x.loc.proofs), depth)
	})
}
