package compat

import (
	"slices"

	"github.com/crdkit/crdkit/internal/plan"
)

// A restriction is a keyword of one side, y, that is not proved to accept everything that the other side, x, accepts.
type restriction struct {
	keyword       string
	name          string           // of a required field
	before, after string           // what x and y say
	violated      func(v any) bool // reports whether y refuses v because of the keyword; nil if that depends on more than v
	values        []any            // values that x may accept and y refuse
}

// A prover finds the restrictions of y.
type prover struct {
	x, y   *facts
	depth  int
	asSent bool // values are those that clients send, which each side may prune and default before it validates them
	found  []restriction
}

// Limits of proofs.
const (
	maxProofDepth = 12 // of branches in branches
	maxCaseSplits = 2  // nested combinators of x whose branches are treated as cases
	maxBranches   = 30 // of such a combinator
)

// restrictions returns the keywords of y that may refuse what x accepts. It does not look at fields and items.
func restrictions(x, y *facts) []restriction {
	p := prover{x: x, y: y, depth: maxProofDepth, asSent: true}
	p.compareKeywords()
	return p.caseSplit(maxCaseSplits)
}

// caseSplit removes restrictions that are proved not to exist by cases: one for each branch of a combinator of x.
func (p *prover) caseSplit(splits int) []restriction {
	if splits == 0 {
		return p.found
	}
	for _, c := range p.x.combinators {
		if c.keyword == "not" || len(c.branches) > maxBranches || len(p.found) == 0 {
			continue
		}
		if !p.x.loc.proofs.spend(len(c.branches) * (len(p.x.nodes) + len(p.y.nodes))) {
			return p.found
		}
		left := map[[2]string]bool{} // by keyword and name
		for _, b := range c.branches {
			q := prover{x: p.x.assuming(b), y: p.y, depth: p.depth - 1, asSent: p.asSent}
			q.compareKeywords()
			for _, r := range q.caseSplit(splits - 1) {
				left[[2]string{r.keyword, r.name}] = true
			}
		}
		kept := slices.DeleteFunc(slices.Clone(p.found), func(r restriction) bool { return !left[[2]string{r.keyword, r.name}] })
		for _, r := range kept {
			delete(left, [2]string{r.keyword, r.name})
		}
		if len(left) == 0 { // otherwise a branch may have one of these restrictions under another keyword
			p.found = kept
		}
	}
	return p.found
}

// implies reports whether y, with its fields and items, is proved to accept everything that x accepts.
func implies(x, y *facts, depth int) bool {
	if depth <= 0 || !x.loc.proofs.spend(len(x.nodes)+len(y.nodes)+(x.size()+y.size())/sizePerStep) {
		return false
	}
	if values, ok := x.finite(); ok {
		return !slices.ContainsFunc(values, func(v any) bool { return !y.fits(v) })
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

// impliesAt is implies for locations.
func impliesAt(x, y *location, depth int) bool {
	return x.pruned() || y.pruned() || y.preserved || implies(factsOf(x), factsOf(y), depth)
}

func (p *prover) add(g restriction) { p.found = append(p.found, g) }

// compareKeywords adds the restrictions that a comparison keyword by keyword finds.
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
