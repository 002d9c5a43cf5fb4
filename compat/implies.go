package compat

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/schema"
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
	if x.accept&y.accept&schema.KindObject != 0 {
		for _, name := range y.names() {
			if !impliesSpot(x.child(name, true), y.child(name, true), depth-1) {
				return false
			}
		}
		if !impliesSpot(x.child("", false), y.child("", false), depth-1) {
			return false
		}
	}
	return x.accept&y.accept&schema.KindArray == 0 || impliesSpot(x.item(), y.item(), depth-1)
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
		case lost == schema.KindNull:
			keyword = "nullable"
		case x.format() != y.format() && x.typeText() == y.typeText():
			keyword = "format"
		}
		p.add(gap{keyword: keyword, before: x.typeText(), after: y.typeText(), broken: func(v any) bool { return schema.KindOf(v)&lost != 0 }})
	}
	both := x.accept & y.accept
	if both == 0 {
		return
	}
	if slices.ContainsFunc(y.enums, func(e *schema.Enum) bool { return !x.within(e) }) {
		p.add(gap{keyword: "enum", before: x.enumText(), after: y.enumText(), broken: func(v any) bool {
			for _, e := range y.enums {
				if !contains(e, v) {
					return true
				}
			}
			return false
		}})
	}
	if both&schema.KindString != 0 {
		p.strings()
	}
	if both&numbers != 0 {
		p.numbers()
	}
	if both&schema.KindArray != 0 {
		p.lists()
	}
	if both&schema.KindObject != 0 {
		p.objects()
	}
	p.clauses()
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
	case p.x.accept&^y.accept == schema.KindNull && slices.Contains(refused, nil) && len(refused) == 1:
		g.keyword, g.before, g.after = "nullable", p.x.typeText(), y.typeText()
	case schema.KindOf(refused[0])&y.accept == 0:
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

// within reports whether an enum of f has no values but those of e.
func (f *facts) within(e *schema.Enum) bool {
	return slices.ContainsFunc(f.enums, func(own *schema.Enum) bool {
		return f.spot.proofs.spend(len(own.Values)*len(e.Values)/100) && !slices.ContainsFunc(own.Values, func(v any) bool { return !contains(e, v) })
	})
}

// contains reports whether v is one of the values of e. Numbers are not converted: 1.9, say, is no entry of 1.
func contains(e *schema.Enum, v any) bool {
	if _, ok := v.(string); ok {
		return e.Has(v)
	}
	return slices.ContainsFunc(e.Values, func(w any) bool { return jsonval.Equal(v, w) })
}

func (p *prover) strings() {
	x, y := p.x, p.y
	length := func(v any) (int64, bool) {
		s, ok := v.(string)
		return int64(len([]rune(s))), ok
	}
	if y.maxLen < x.maxLen && !(y.maxLen < math.MaxInt64 && x.noText(max(y.maxLen+1, x.minLen), x.maxLen)) {
		g := gap{keyword: "maxLength", before: bound(x.maxLen), after: bound(y.maxLen), broken: func(v any) bool {
			n, ok := length(v)
			return ok && n > y.maxLen
		}}
		if y.maxLen < maxMade {
			g.values = append(g.values, x.sized(max(y.maxLen+1, x.minLen, 0), x.maxLen)...)
		}
		p.add(g)
	}
	if y.minLen > max(x.minLen, 0) && !x.noText(x.minLen, min(x.maxLen, y.minLen-1)) {
		p.add(gap{keyword: "minLength", before: bound(x.minLen), after: bound(y.minLen), values: x.sized(max(x.minLen, 0), min(x.maxLen, y.minLen-1)),
			broken: func(v any) bool {
				n, ok := length(v)
				return ok && n < y.minLen
			}})
	}
	for _, c := range y.patterns {
		if slices.ContainsFunc(x.patterns, func(d *schema.StringChecks) bool { return c.PatternText == d.PatternText }) {
			continue
		}
		g := gap{keyword: "pattern", before: x.patternText(), after: c.PatternText, broken: func(v any) bool {
			s, ok := v.(string)
			return ok && (c.BadPattern != nil || !c.Pattern.MatchString(s))
		}}
		if c.Pattern != nil {
			if x.texts(c.Pattern, x.minLen, x.maxLen, func(s string) bool {
				g.values = append(g.values, s)
				return len(g.values) < 20
			}) && len(g.values) == 0 {
				continue
			}
		}
		p.add(g)
	}
	for i, f := range y.formats {
		if slices.Contains(x.formats, f) {
			continue
		}
		p.add(gap{keyword: "format", before: x.format(), after: y.formatOf[i], broken: func(v any) bool {
			s, ok := v.(string)
			return ok && !f.Valid(s)
		}})
	}
}

// maxMade is the size of the largest text, list or object that is made for a witness.
const maxMade = 100_000

// sized returns texts of some length that the patterns of f match.
func (f *facts) sized(least, most int64) (found []any) {
	if least > maxMade || least > most {
		return nil
	}
	if len(f.patterns) == 0 {
		return []any{strings.Repeat("a", int(least)), strings.Repeat("0", int(least)), strings.Repeat("-", int(least)), strings.Repeat("YWJj", int(least)/4+1)}
	}
	f.texts(nil, least, most, func(s string) bool {
		found = append(found, s)
		return len(found) < 10
	})
	return found
}

func (p *prover) numbers() {
	x, y := p.x, p.y
	for _, r := range y.ranged {
		if r == schema.RangeAny || slices.Contains(x.ranged, r) || r == schema.RangeInt || r == schema.RangeInt64 && x.accept&schema.KindFloat == 0 {
			continue
		}
		if r == schema.RangeInt32 && x.accept&schema.KindFloat == 0 && x.above(&schema.Bound{Value: math.MinInt32, Int: math.MinInt32}) &&
			x.below(&schema.Bound{Value: math.MaxInt32, Int: math.MaxInt32}) {
			continue
		}
		r := r
		p.add(gap{keyword: "format", before: x.format(), after: y.format(), broken: func(v any) bool {
			f, ok := number(v)
			switch {
			case !ok:
				return false
			case r == schema.RangeInt32:
				return f != float64(int32(f))
			case r == schema.RangeFloat:
				return math.Abs(f) > math.MaxFloat32
			}
			return f != math.Trunc(f)
		}})
		break
	}
	for _, b := range y.upper {
		if !x.below(b) {
			p.add(gap{keyword: "maximum", before: boundText(x.upper), after: boundText([]*schema.Bound{b}), broken: func(v any) bool {
				return breaks(&schema.NumberChecks{Maximum: b}, v)
			}})
		}
	}
	for _, b := range y.lower {
		if !x.above(b) {
			p.add(gap{keyword: "minimum", before: boundText(x.lower), after: boundText([]*schema.Bound{b}), broken: func(v any) bool {
				return breaks(&schema.NumberChecks{Minimum: b}, v)
			}})
		}
	}
	for _, b := range y.factors {
		if !x.multiples(b) {
			p.add(gap{keyword: "multipleOf", before: boundText(x.factors), after: boundText([]*schema.Bound{b}), broken: func(v any) bool {
				return breaks(&schema.NumberChecks{MultipleOf: b}, v)
			}})
		}
	}
}

// breaks reports whether v is a number that fails the checks.
func breaks(c *schema.NumberChecks, v any) bool {
	switch x := v.(type) {
	case int64:
		return c.Int(x) != 0
	case float64:
		return c.Float(x) != 0
	}
	return false
}

// Integers are compared with a bound cut to an integer, other numbers with the bound itself (VAL-021).

// below reports whether all numbers of f are proved to be within a maximum.
func (f *facts) below(b *schema.Bound) bool {
	if b.OutOfRange {
		return false
	}
	ints := func(a *schema.Bound) bool {
		return a.Int < b.Int || a.Int == b.Int && (a.Exclusive || !b.Exclusive) || a.Exclusive && !b.Exclusive && a.Int-1 == b.Int && a.Int > math.MinInt64
	}
	floats := func(a *schema.Bound) bool {
		return a.Value < b.Value || a.Value == b.Value && (a.Exclusive || !b.Exclusive)
	}
	return f.bounded(b, ints, floats, f.upper, &schema.Bound{Value: math.MaxInt32, Int: math.MaxInt32})
}

// above is below for a minimum.
func (f *facts) above(b *schema.Bound) bool {
	if b.OutOfRange {
		return false
	}
	ints := func(a *schema.Bound) bool {
		return a.Int > b.Int || a.Int == b.Int && (a.Exclusive || !b.Exclusive) || a.Exclusive && !b.Exclusive && b.Int-1 == a.Int && b.Int > math.MinInt64
	}
	floats := func(a *schema.Bound) bool {
		return a.Value > b.Value || a.Value == b.Value && (a.Exclusive || !b.Exclusive)
	}
	return f.bounded(b, ints, floats, f.lower, &schema.Bound{Value: math.MinInt32, Int: math.MinInt32})
}

// bounded reports whether one of f's own bounds implies b, for each kind of number that f accepts. int32 is the bound of that format.
func (f *facts) bounded(b *schema.Bound, ints, floats func(own *schema.Bound) bool, own []*schema.Bound, int32 *schema.Bound) bool {
	if slices.Contains(f.ranged, schema.RangeInt32) {
		own = append(own[:len(own):len(own)], int32)
	}
	return (f.accept&schema.KindInt == 0 || slices.ContainsFunc(own, ints)) && (f.accept&(schema.KindWhole|schema.KindFloat) == 0 || slices.ContainsFunc(own, func(a *schema.Bound) bool {
		return floats(a) || f.accept&schema.KindFloat == 0 && wholeBound(a) && wholeBound(b) && ints(a)
	}))
}

// wholeBound reports whether a bound is cut to itself, exactly.
func wholeBound(b *schema.Bound) bool {
	return b.Value == math.Trunc(b.Value) && math.Abs(b.Value) < 1<<53
}

// multiples reports whether all numbers of f are proved to be multiples of a factor.
func (f *facts) multiples(b *schema.Bound) bool {
	switch {
	case b.OutOfRange || b.Value <= 0:
		return false
	case b.Value == 1 && f.accept&schema.KindFloat == 0:
		return true
	}
	return slices.ContainsFunc(f.factors, func(a *schema.Bound) bool {
		return !a.OutOfRange && (a.Value == b.Value || f.accept&schema.KindFloat == 0 && wholeBound(a) && wholeBound(b) && a.Int > 0 && a.Int%b.Int == 0)
	})
}

func number(v any) (float64, bool) {
	switch x := v.(type) {
	case int64:
		return float64(x), true
	case float64:
		return x, true
	}
	return 0, false
}

func (p *prover) lists() {
	x, y := p.x, p.y
	size := func(v any) (int64, bool) {
		l, ok := v.([]any)
		return int64(len(l)), ok
	}
	if y.maxItems < x.maxItems && !(y.maxItems >= 0 && x.item().provedEmpty(emptyDepth)) {
		p.add(gap{keyword: "maxItems", before: bound(x.maxItems), after: bound(y.maxItems), broken: func(v any) bool {
			n, ok := size(v)
			return ok && n > y.maxItems
		}})
	}
	if y.minItems > max(x.minItems, 0) {
		p.add(gap{keyword: "minItems", before: bound(x.minItems), after: bound(y.minItems), broken: func(v any) bool {
			n, ok := size(v)
			return ok && n < y.minItems
		}})
	}
	if x.maxItems <= 1 || y.spot.node == nil {
		return
	}
	repeated := func(v any) bool {
		_, ok := v.([]any)
		return ok && !fits([]*schema.Node{y.spot.node}, v)
	}
	if y.unique && !x.unique && x.list != schema.ListSet && x.list != schema.ListMap {
		p.add(gap{keyword: "uniqueItems", before: "false", after: "true", broken: repeated})
	}
	switch {
	case y.list == schema.ListSet && x.list == schema.ListUntyped, y.list == schema.ListSet && x.list == schema.ListAtomic:
	case y.list == schema.ListMap && (x.list != schema.ListMap || slices.ContainsFunc(x.keys, func(k string) bool { return !slices.Contains(y.keys, k) })):
	default:
		return
	}
	p.add(gap{keyword: "listType", before: x.listText(), after: y.listText(), broken: repeated})
}

func (p *prover) objects() {
	x, y := p.x, p.y
	lost, others := p.unsteady()
	stays := func(name string) bool { return !slices.Contains(lost, name) && (!others || y.declares(name)) }
	for _, name := range y.required {
		if slices.Contains(x.required, name) && stays(name) {
			continue
		}
		p.add(gap{keyword: "required", name: name, before: "optional", after: "required", broken: func(v any) bool {
			m, ok := v.(map[string]any)
			_, has := m[name]
			return ok && (!has || !stays(name))
		}})
	}
	size := func(v any) (int64, bool) {
		m, ok := v.(map[string]any)
		return int64(len(m)), ok
	}
	moves := len(lost) > 0 || others
	if (y.maxProps < x.maxProps || y.maxProps < math.MaxInt64 && moves) && !(y.closed() && int64(len(y.names())) <= y.maxProps) &&
		!(x.closed() && !moves && int64(len(x.names())) <= y.maxProps) {
		p.add(gap{keyword: "maxProperties", before: bound(x.maxProps), after: bound(y.maxProps), broken: func(v any) bool {
			n, ok := size(v)
			return ok && (n > y.maxProps || moves)
		}})
	}
	always := int64(0)
	for _, name := range x.required {
		if stays(name) {
			always++
		}
	}
	if (y.minProps > max(x.minProps, 0) || y.minProps > 0 && moves) && always < y.minProps {
		p.add(gap{keyword: "minProperties", before: bound(x.minProps), after: bound(y.minProps), broken: func(v any) bool {
			n, ok := size(v)
			return ok && (n < y.minProps || moves)
		}})
	}
	if n := y.spot.node; n != nil && n.Has&schema.NoOthers != 0 && (x.spot.node == nil || x.spot.node.Has&schema.NoOthers == 0) && !x.closed() {
		p.add(gap{keyword: "additionalProperties", before: "allowed", after: "false", broken: func(v any) bool { return !y.fits(v) }})
	}
	if y.embedded && !x.embedded {
		p.add(gap{keyword: "embeddedResource", before: "false", after: "true", broken: func(any) bool { return true }})
	}
}

// declares reports whether f has a schema for that very name.
func (f *facts) declares(name string) bool { return slices.Contains(f.names(), name) }

// closed reports whether objects of f have declared properties only.
func (f *facts) closed() bool {
	return f.spot.node != nil && f.child("", false).absent() && !f.spot.node.IsResource()
}

// clauses looks for combinators of y that x does not imply.
func (p *prover) clauses() {
	x, y := p.x, p.y
	for _, c := range y.clauses {
		if p.impliesClause(c) {
			continue
		}
		c := c
		p.add(gap{keyword: c.keyword, before: clauseText(x.clauses, c.keyword, x.spot.proofs), after: clauseText([]clause{c}, c.keyword, x.spot.proofs), broken: func(v any) bool {
			return !c.fits(v)
		}})
	}
}

// fits reports whether v fulfils the clause.
func (c clause) fits(v any) bool {
	n := 0
	for _, b := range c.branches {
		if fits([]*schema.Node{b}, v) {
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
		return disjoint(p.x, negated, p.depth-1)
	case "anyOf":
		return p.impliesSome(p.x, c.branches)
	}
	return p.exactlyOne(c.branches)
}

// moves reports whether a clause is about fields that are dropped or filled in on one side only.
func (p *prover) moves(c clause) bool {
	if p.x.accept&p.y.accept&schema.KindObject == 0 {
		return false
	}
	lost, others := p.unsteady()
	if len(lost) == 0 && !others {
		return false
	}
	var about func(n *schema.Node) bool
	about = func(n *schema.Node) bool {
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
func (p *prover) impliesSome(x *facts, branches []*schema.Node) bool {
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
	for kind := schema.Kinds(1); kind != 0 && byKind; kind <<= 1 {
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
func (p *prover) exactlyOne(branches []*schema.Node) bool {
	if !p.impliesSome(p.x, branches) {
		return false
	}
	for i, a := range branches {
		for _, b := range branches[i+1:] {
			if !disjoint(p.x.with(a), branchFacts(b, p.x.spot.proofs), p.depth-1) {
				return false
			}
		}
	}
	return true
}

// with returns the facts of x's values that fulfil a branch, too.
func (f *facts) with(branch *schema.Node) *facts {
	more := gather(f.heads, append(f.chosen[:len(f.chosen):len(f.chosen)], branch), f.spot)
	more.accept &= f.accept
	return more
}

// disjoint reports whether no value is proved to fulfil both sides.
func disjoint(x, y *facts, depth int) bool {
	if !x.spot.proofs.spend(1) {
		return false
	}
	if x.accept&y.accept == 0 {
		return true
	}
	for _, f := range [][2]*facts{{x, y}, {y, x}} {
		if values, ok := f[0].finite(); ok {
			return !slices.ContainsFunc(values, func(v any) bool { return f[1].fits(v) })
		}
		for _, c := range f[1].clauses {
			if c.keyword == "not" && depth > 1 && implies(f[0], branchFacts(c.branches[0], x.spot.proofs), depth-1) {
				return true
			}
		}
	}
	return false
}

// The short texts of findings.

func bound(n int64) string {
	if n == math.MaxInt64 || n == math.MinInt64 {
		return "none"
	}
	return fmt.Sprint(n)
}

func boundText(bounds []*schema.Bound) string {
	var parts []string
	for _, b := range bounds {
		s := fmt.Sprint(b.Value)
		if b.Exclusive {
			s += " (exclusive)"
		}
		parts = append(parts, s)
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

func (f *facts) typeText() string {
	if f.spot.node == nil {
		return "any"
	}
	t := f.spot.node.TypeText()
	if t == "" {
		t = "any"
	}
	if f.accept&schema.KindNull != 0 && f.spot.node.Has&schema.Nullable != 0 {
		t += ", nullable"
	}
	return t
}

func (f *facts) format() string {
	if f.spot.node == nil || f.spot.node.Format == "" {
		return "none"
	}
	return f.spot.node.Format
}

func (f *facts) enumText() string {
	if len(f.enums) == 0 {
		return "none"
	}
	return short(f.enums[0].Supported())
}

func (f *facts) patternText() string {
	var parts []string
	for _, c := range f.patterns {
		parts = append(parts, c.PatternText)
	}
	if len(parts) == 0 {
		return "none"
	}
	return short(strings.Join(parts, ", "))
}

func (f *facts) listText() string {
	switch f.list {
	case schema.ListSet:
		return "set"
	case schema.ListMap:
		return "map of " + strings.Join(f.keys, ", ")
	}
	return "atomic"
}

// clauseText returns the clauses of a keyword, or the first ones.
func clauseText(clauses []clause, keyword string, p *proofs) string {
	text := ""
	for _, c := range clauses {
		if c.keyword != keyword || len(text) > maxShort {
			continue
		}
		if text != "" {
			text += " and "
		}
		c.branches = c.branches[:min(len(c.branches), maxShort/2)]
		text += p.clause(c)
	}
	if text == "" {
		return "none"
	}
	return short(text)
}

// maxShort is how many characters the texts of one side in a finding have at most.
const maxShort = 120

// short cuts a text to a length that is read at once.
func short(s string) string {
	if r := []rune(s[:min(len(s), utf8.UTFMax*(maxShort+1))]); len(r) > maxShort {
		return string(r[:maxShort-3]) + "..."
	}
	return s
}
