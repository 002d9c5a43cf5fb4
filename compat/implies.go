package compat

import (
	"regexp"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/pattern"
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

// provedDepth bounds how deep proofs look into branches of combinators.
const maxProofDepth = 12

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

// unsteady is that of both sides.
func (p *prover) differingPresence() (lost []string, others bool) {
	if !p.presenceCompared {
		p.presenceCompared = true
		p.differing, p.othersDiffer = differingPresence(p.x, p.y)
	}
	return p.differing, p.othersDiffer
}

// gaps returns the keywords of y that may refuse what x accepts, children aside.
func restrictions(x, y *facts) []restriction {
	p := prover{x: x, y: y, depth: maxProofDepth, asSent: true}
	p.compareKeywords()
	return p.caseSplit(maxCaseSplits)
}

// maxSplits bounds how many choices of one side a proof goes through, one inside the other.
const maxCaseSplits = 2

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

// A gapKey says what a gap is about.
type restrictionKey struct{ keyword, name string }

func (g *restriction) key() restrictionKey { return restrictionKey{g.keyword, g.name} }

// maxBranches bounds how many branches of a choice are looked at one by one.
const maxBranches = 30

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
			if !impliesAt(x.child(name, true), y.child(name, true), depth-1) {
				return false
			}
		}
		if !impliesAt(x.child("", false), y.child("", false), depth-1) {
			return false
		}
	}
	return x.accept&y.accept&plan.KindArray == 0 || impliesAt(x.item(), y.item(), depth-1)
}

func impliesAt(x, y location, depth int) bool {
	return x.pruned() || y.pruned() || y.preserved || implies(factsOf(x), factsOf(y), depth)
}

// names returns the declared properties of all nodes of f.
func (f *facts) declaredNames() []string {
	var names []string
	for _, n := range f.nodes {
		for i := range n.Props {
			names = append(names, n.Props[i].Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// bothNames returns the declared properties of both sides.
func declaredByEither(x, y *facts) []string {
	names, more := x.declaredNames(), y.declaredNames()
	if slices.Equal(names, more) {
		return names
	}
	names = append(names, more...)
	slices.Sort(names)
	return slices.Compact(names)
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

// enums compares what x accepts with the enums of y.
func (p *prover) enums() {
	x, y := p.x, p.y
	g := restriction{keyword: "enum", before: x.enumText(), after: y.enumText(), violated: func(v any) bool {
		return slices.ContainsFunc(y.enums, func(e *plan.Enum) bool { return !contains(e, v) })
	}}
	open := false
	for _, e := range y.enums {
		if !x.withinEnum(e) {
			open = true
			x.textsOutside(e, func(s string) bool {
				g.values = append(g.values, s)
				return len(g.values) < 5
			})
		}
	}
	if open {
		p.add(g)
	}
}

// finite compares all values that x accepts.
func (p *prover) compareFinite(values []any) {
	y := p.y
	var refused []any
	for _, v := range values {
		if !y.fits(v) {
			refused = append(refused, v)
		}
	}
	if len(refused) == 0 {
		return
	}
	g := restriction{keyword: "enum", before: p.x.enumText(), after: y.enumText(), values: refused, violated: func(v any) bool { return !y.fits(v) }}
	switch {
	case p.x.accept&^y.accept == plan.KindNull && slices.Contains(refused, nil) && len(refused) == 1:
		g.keyword, g.before, g.after = "nullable", p.x.typeText(), y.typeText()
	case plan.KindOf(refused[0])&y.accept == 0:
		g.keyword, g.before, g.after = "type", p.x.typeText(), y.typeText()
	case len(y.enums) == 0:
		g.keyword = p.refusingKeyword(refused[0])
	}
	p.add(g)
}

// keywordAgainst names the keyword of y that refuses v.
func (p *prover) refusingKeyword(v any) string {
	q := prover{x: factsOf(location{preserved: true, proofs: p.x.loc.proofs}), y: p.y, depth: 1}
	q.compareKeywords()
	for _, g := range q.found {
		if g.violated != nil && g.violated(v) {
			return g.keyword
		}
	}
	return "enum"
}

// within reports whether all values of f are among those of e, because an enum of f has no others or its patterns match no others.
func (f *facts) withinEnum(e *plan.Enum) bool {
	if slices.ContainsFunc(f.enums, func(own *plan.Enum) bool {
		return f.loc.proofs.spend(len(own.Values)*len(e.Values)/100) && !slices.ContainsFunc(own.Values, func(v any) bool { return !contains(e, v) })
	}) {
		return true
	}
	if f.accept&^(plan.KindString|plan.KindNull) != 0 || len(f.patterns) == 0 {
		return false
	}
	found := false
	return f.textsOutside(e, func(string) bool { found = true; return false }) && !found
}

// outside yields texts that the patterns of f match and e has not, and reports true if there are no others.
func (f *facts) textsOutside(e *plan.Enum, yield func(string) bool) bool {
	var texts []string
	for _, v := range e.Values {
		if s, ok := v.(string); ok {
			texts = append(texts, regexp.QuoteMeta(s))
		}
	}
	return f.matchingTexts(pattern.Checked(`\A(?:`+strings.Join(texts, "|")+`)\z`), f.minLen, f.maxLen, yield)
}

// contains reports whether v is one of the values of e. Numbers are not converted: 1.9, say, is no entry of 1.
func contains(e *plan.Enum, v any) bool {
	if _, ok := v.(string); ok {
		return e.Has(v)
	}
	return slices.ContainsFunc(e.Values, func(w any) bool { return jsonval.Equal(v, w) })
}

// Integers are compared with a bound cut to an integer, other numbers with the bound itself (VAL-021).

// The short texts of findings.
