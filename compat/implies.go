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
type gap struct {
	keyword       string
	name          string // of a required field
	before, after string // what the sides say: the one that accepts, and the one that may refuse
	broken        func(v any) bool
	values        []any // likely to be accepted and refused
}

// provedDepth bounds how deep proofs look into branches of combinators.
const provedDepth = 12

// A prover looks for the gaps between two sides.
type prover struct {
	x, y  *facts
	depth int
	whole bool // x and y are about what is sent, which either side may change before it looks at it, not about branches
	gaps  []gap

	compared bool // the fields of both sides
	lost     []string
	others   bool
}

// unsteady is that of both sides.
func (p *prover) unsteady() (lost []string, others bool) {
	if !p.compared {
		p.compared = true
		p.lost, p.others = unsteady(p.x, p.y)
	}
	return p.lost, p.others
}

// gaps returns the keywords of y that may refuse what x accepts, children aside.
func gaps(x, y *facts) []gap {
	p := prover{x: x, y: y, depth: provedDepth, whole: true}
	p.scan()
	return p.open(maxSplits)
}

// maxSplits bounds how many choices of one side a proof goes through, one inside the other.
const maxSplits = 2

// open returns the gaps that are still there where the branches of one of x's choices are looked at one by one.
func (p *prover) open(splits int) []gap {
	if splits == 0 || len(p.gaps) == 0 {
		return p.gaps
	}
	for _, c := range p.x.clauses {
		if c.keyword == "not" || len(c.branches) > maxBranches || len(p.gaps) == 0 {
			continue
		}
		if !p.x.spot.proofs.spend(len(c.branches) * (len(p.x.nodes) + len(p.y.nodes))) {
			return p.gaps
		}
		left := map[gapKey]bool{}
		for _, b := range c.branches {
			q := prover{x: p.x.with(b), y: p.y, depth: p.depth - 1, whole: p.whole}
			q.scan()
			for _, g := range q.open(splits - 1) {
				left[g.key()] = true
			}
		}
		kept := slices.DeleteFunc(slices.Clone(p.gaps), func(g gap) bool { return !left[g.key()] })
		for _, g := range kept {
			delete(left, g.key())
		}
		if len(left) == 0 { // else a branch may have one of these gaps under another name
			p.gaps = kept
		}
	}
	return p.gaps
}

// A gapKey says what a gap is about.
type gapKey struct{ keyword, name string }

func (g *gap) key() gapKey { return gapKey{g.keyword, g.name} }

// maxBranches bounds how many branches of a choice are looked at one by one.
const maxBranches = 30

// implies reports whether it is proved that y, with what is beneath it, accepts all that x accepts.
func implies(x, y *facts, depth int) bool {
	if depth <= 0 || !x.spot.proofs.spend(len(x.nodes)+len(y.nodes)) {
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
	p.scan()
	if len(p.open(1)) > 0 {
		return false
	}
	if x.accept&y.accept&plan.KindObject != 0 {
		for _, name := range y.names() {
			if !impliesSpot(x.child(name, true), y.child(name, true), depth-1) {
				return false
			}
		}
		if !impliesSpot(x.child("", false), y.child("", false), depth-1) {
			return false
		}
	}
	return x.accept&y.accept&plan.KindArray == 0 || impliesSpot(x.item(), y.item(), depth-1)
}

func impliesSpot(x, y spot, depth int) bool {
	return x.absent() || y.absent() || y.any || implies(factsOf(x), factsOf(y), depth)
}

// names returns the declared properties of all nodes of f.
func (f *facts) names() []string {
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
func bothNames(x, y *facts) []string {
	names, more := x.names(), y.names()
	if slices.Equal(names, more) {
		return names
	}
	names = append(names, more...)
	slices.Sort(names)
	return slices.Compact(names)
}

func (p *prover) add(g gap) { p.gaps = append(p.gaps, g) }

func (p *prover) scan() {
	x, y := p.x, p.y
	if values, ok := x.finite(); ok {
		p.finite(values)
		return
	}
	if y.partial {
		p.add(gap{keyword: "allOf", before: "", after: "too many branches"})
	}
	if lost := x.accept &^ y.accept; lost != 0 {
		keyword := "type"
		switch {
		case lost == plan.KindNull:
			keyword = "nullable"
		case x.format() != y.format() && x.typeText() == y.typeText():
			keyword = "format"
		}
		p.add(gap{keyword: keyword, before: x.typeText(), after: y.typeText(), broken: func(v any) bool { return plan.KindOf(v)&lost != 0 }})
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
	p.clauses()
}

// enums compares what x accepts with the enums of y.
func (p *prover) enums() {
	x, y := p.x, p.y
	g := gap{keyword: "enum", before: x.enumText(), after: y.enumText(), broken: func(v any) bool {
		return slices.ContainsFunc(y.enums, func(e *plan.Enum) bool { return !contains(e, v) })
	}}
	open := false
	for _, e := range y.enums {
		if !x.within(e) {
			open = true
			x.outside(e, func(s string) bool {
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
func (p *prover) finite(values []any) {
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
	g := gap{keyword: "enum", before: p.x.enumText(), after: y.enumText(), values: refused, broken: func(v any) bool { return !y.fits(v) }}
	switch {
	case p.x.accept&^y.accept == plan.KindNull && slices.Contains(refused, nil) && len(refused) == 1:
		g.keyword, g.before, g.after = "nullable", p.x.typeText(), y.typeText()
	case plan.KindOf(refused[0])&y.accept == 0:
		g.keyword, g.before, g.after = "type", p.x.typeText(), y.typeText()
	case len(y.enums) == 0:
		g.keyword = p.keywordAgainst(refused[0])
	}
	p.add(g)
}

// keywordAgainst names the keyword of y that refuses v.
func (p *prover) keywordAgainst(v any) string {
	q := prover{x: factsOf(spot{any: true, proofs: p.x.spot.proofs}), y: p.y, depth: 1}
	q.scan()
	for _, g := range q.gaps {
		if g.broken != nil && g.broken(v) {
			return g.keyword
		}
	}
	return "enum"
}

// within reports whether all values of f are among those of e, because an enum of f has no others or its patterns match no others.
func (f *facts) within(e *plan.Enum) bool {
	if slices.ContainsFunc(f.enums, func(own *plan.Enum) bool {
		return f.spot.proofs.spend(len(own.Values)*len(e.Values)/100) && !slices.ContainsFunc(own.Values, func(v any) bool { return !contains(e, v) })
	}) {
		return true
	}
	if f.accept&^(plan.KindString|plan.KindNull) != 0 || len(f.patterns) == 0 {
		return false
	}
	found := false
	return f.outside(e, func(string) bool { found = true; return false }) && !found
}

// outside yields texts that the patterns of f match and e has not, and reports true if there are no others.
func (f *facts) outside(e *plan.Enum, yield func(string) bool) bool {
	var texts []string
	for _, v := range e.Values {
		if s, ok := v.(string); ok {
			texts = append(texts, regexp.QuoteMeta(s))
		}
	}
	return f.texts(pattern.Checked(`\A(?:`+strings.Join(texts, "|")+`)\z`), f.minLen, f.maxLen, yield)
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
