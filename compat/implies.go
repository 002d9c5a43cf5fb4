package compat

import (
	"slices"

	"github.com/crdkit/crdkit/internal/plan"
)

// A gap is a keyword of one side that is not proved to accept all that the other side accepts.
type restriction struct {
	keyword       string
	name          string // of a required field
	before, after string // what the sides say: the one that accepts, and the one that may refuse
	violated      func(v any) bool
	values        []any // likely to be accepted and refused
}

// A gapKey says what a gap is about.
type restrictionKey struct{ keyword, name string }

func (g *restriction) key() restrictionKey { return restrictionKey{g.keyword, g.name} }

// A prover looks for the gaps between two sides.
type prover struct {
	x, y   *facts
	depth  int
	asSent bool // x and y are about what is sent, which either side may change before it looks at it, not about branches
	found  []restriction

	presenceCompared bool // the fields of both sides
	differing        []string
	othersDiffer     bool
}

// gaps returns the keywords of y that may refuse what x accepts, children aside.
func restrictions(x, y *facts) []restriction {
	p := prover{x: x, y: y, depth: maxProofDepth, asSent: true}
	p.compareKeywords()
	return p.caseSplit(maxCaseSplits)
}

// provedDepth bounds how deep proofs look into branches of combinators.
const maxProofDepth = 12

// maxSplits bounds how many choices of one side a proof goes through, one inside the other.
const maxCaseSplits = 2

// maxBranches bounds how many branches of a choice are looked at one by one.
const maxBranches = 30

// open returns the gaps that are still there where the branches of one of x's choices are looked at one by one.
func (p *prover) caseSplit(splits int) []restriction {
	if splits == 0 || len(p.found) == 0 {
		return p.found
	}
	for _, c := range p.x.combinators {
		if c.keyword == "not" || len(c.branches) > maxBranches || len(p.found) == 0 {
			continue
		}
		if !p.x.loc.proofs.spend(len(c.branches) * (len(p.x.nodes) + len(p.y.nodes))) {
			return p.found
		}
		left := map[restrictionKey]bool{}
		for _, b := range c.branches {
			q := prover{x: p.x.assuming(b), y: p.y, depth: p.depth - 1, asSent: p.asSent}
			q.compareKeywords()
			for _, g := range q.caseSplit(splits - 1) {
				left[g.key()] = true
			}
		}
		kept := slices.DeleteFunc(slices.Clone(p.found), func(g restriction) bool { return !left[g.key()] })
		for _, g := range kept {
			delete(left, g.key())
		}
		if len(left) == 0 { // else a branch may have one of these gaps under another name
			p.found = kept
		}
	}
	return p.found
}

// implies reports whether it is proved that y, with what is beneath it, accepts all that x accepts.
func implies(x, y *facts, depth int) bool {
	if depth <= 0 || !x.loc.proofs.spend(len(x.nodes)+len(y.nodes)) {
		return false
	}
	if values, ok := x.finite(); ok {
		for _, v := range values {
			if !y.fits(v) {
				return false
			}
		}
		return true
	}
	p := prover{x: x, y: y, depth: depth}
	p.compareKeywords()
	if len(p.caseSplit(1)) > 0 {
		return false
	}
	if x.accept&y.accept&plan.KindObject != 0 {
		for _, name := range y.declaredNames() {
			if !impliesAt(x.below(property(name)), y.below(property(name)), depth-1) {
				return false
			}
		}
		if !impliesAt(x.below(undeclared), y.below(undeclared), depth-1) {
			return false
		}
	}
	return x.accept&y.accept&plan.KindArray == 0 || impliesAt(x.below(items), y.below(items), depth-1)
}

func impliesAt(x, y location, depth int) bool {
	return x.pruned() || y.pruned() || y.preserved || implies(factsOf(x), factsOf(y), depth)
}

// unsteady is that of both sides.
func (p *prover) differingPresence() (lost []string, others bool) {
	if !p.presenceCompared {
		p.presenceCompared = true
		p.differing, p.othersDiffer = differingPresence(p.x, p.y)
	}
	return p.differing, p.othersDiffer
}

func (p *prover) add(g restriction) { p.found = append(p.found, g) }

func (p *prover) compareKeywords() {
	x, y := p.x, p.y
	if values, ok := x.finite(); ok {
		p.compareFinite(values)
		return
	}
	if y.incomplete {
		p.add(restriction{keyword: "allOf", before: "", after: "too many branches"})
	}
	if lost := x.accept &^ y.accept; lost != 0 {
		keyword := "type"
		switch {
		case lost == plan.KindNull:
			keyword = "nullable"
		case x.formatText() != y.formatText() && x.typeText() == y.typeText():
			keyword = "format"
		}
		p.add(restriction{keyword: keyword, before: x.typeText(), after: y.typeText(), violated: func(v any) bool { return plan.KindOf(v)&lost != 0 }})
	}
	both := x.accept & y.accept
	if both == 0 {
		return
	}
	p.enums()
	if both&plan.KindString != 0 {
		p.strings()
	}
	if both&numbers != 0 {
		p.numbers()
	}
	if both&plan.KindArray != 0 {
		p.lists()
	}
	if both&plan.KindObject != 0 {
		p.objects()
	}
	p.combinators()
}
