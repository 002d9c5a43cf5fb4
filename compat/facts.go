package compat

import (
	"math"
	"slices"

	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/internal/constraint"
	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/pattern"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/sample"
	"github.com/crdkit/crdkit/schema"
)

// A spot is a position of one side: what a schema says of the values there. The zero spot has no schema: pruning drops what is there.
type location struct {
	node      *plan.Node   // of the structure
	branches  []*plan.Node // of the same values, in branches of combinators that always count
	preserved bool         // there is no node, and whatever is there is kept

	proofs *proofState
}

func (s location) pruned() bool { return s.node == nil && !s.preserved }

// rules returns the rules of the values at s.
func (s location) rules() []plan.Rule {
	if s.node == nil {
		return nil
	}
	return s.node.Rules
}

// keepsNull reports whether null in a field is kept. Where it is not, the field is dropped (DEF-006).
func (s location) keepsNull() bool {
	return s.preserved || s.node != nil && s.node.Has&plan.Nullable != 0
}

// dropNull says that f is about fields: null never comes to those that drop it.
func (f *facts) excludeDroppedNull() {
	if !f.loc.keepsNull() {
		f.accept &^= plan.KindNull
	}
}

// A fate is what becomes of null.
type nullOutcome struct {
	kept        bool
	replacement any // a default takes its place
}

// null returns what becomes of null at s, which is that of an item or not.
func (s location) nullOutcome(item bool) nullOutcome {
	switch {
	case s.keepsNull():
		return nullOutcome{kept: true}
	case s.node != nil && s.node.Default != nil:
		return nullOutcome{replacement: s.node.Default}
	}
	return nullOutcome{kept: item}
}

func (f nullOutcome) equal(g nullOutcome) bool {
	return f.kept == g.kept && jsonval.Equal(f.replacement, g.replacement)
}

// steady reports whether y has a field of that name wherever x has it, and nowhere else: it is neither dropped nor filled in on one side only.
func samePresence(x, y *facts, name string, declared bool) bool {
	a, b := x.child(name, declared), y.child(name, declared)
	if b.pruned() {
		return a.pruned()
	}
	return a.nullOutcome(false).equal(b.nullOutcome(false)) && (!declared || jsonval.Equal(a.defaultValue(), b.defaultValue()))
}

// loses reports whether y may lack a field of that name where x has it: one that it drops, or does not fill in.
func mayLose(x, y *facts, name string, declared bool) bool {
	a, b := x.child(name, declared), y.child(name, declared)
	switch {
	case a.pruned():
		return false
	case b.pruned():
		return true
	}
	return declared && a.defaultValue() != nil && b.defaultValue() == nil || a.nullOutcome(false).present() && !b.nullOutcome(false).present()
}

// gains reports whether y may have a field of that name where x lacks it. Nobody sends what x drops.
func mayGain(x, y *facts, name string, declared bool) bool {
	a, b := x.child(name, declared), y.child(name, declared)
	return declared && a.defaultValue() == nil && b.defaultValue() != nil || !a.pruned() && !a.nullOutcome(false).present() && b.nullOutcome(false).present()
}

// there reports whether something is there in place of null.
func (f nullOutcome) present() bool { return f.kept || f.replacement != nil }

// fallback returns the default at s, or nil.
func (s location) defaultValue() any {
	if s.node == nil {
		return nil
	}
	return s.node.Default
}

// unsteady returns the names for which steady does not hold, and whether that is so for names that neither side declares.
func differingPresence(x, y *facts) (names []string, others bool) {
	return namesWhere(x, y, func(x, y *facts, name string, declared bool) bool { return !samePresence(x, y, name, declared) })
}

// namesOf returns the names that either side declares for which something holds, and whether it holds for the names that neither declares.
func namesWhere(x, y *facts, holds func(x, y *facts, name string, declared bool) bool) (names []string, others bool) {
	for _, name := range declaredByEither(x, y) {
		if holds(x, y, name, true) {
			names = append(names, name)
		}
	}
	return names, holds(x, y, "", false)
}

// anything accepts all values.
var anything = mustAnything()

func mustAnything() *plan.Node {
	s, err := schema.CompileLoose(&schema.JSONSchemaProps{Type: "object", Properties: map[string]*schema.JSONSchemaProps{
		"x": {XPreserveUnknownFields: ptr(true), Nullable: true}}})
	if err != nil {
		panic(err)
	}
	n, _ := plan.Root(s).Child("x")
	return n
}

func ptr[T any](v T) *T { return &v }

// maxConjuncts bounds how many nodes count at one position.
const maxConjuncts = 500

// expand returns nodes with the branches of their combinators that values must fulfil, too: those of allOf, the only one of anyOf or oneOf, and
// what not negates twice. It reports whether these are all.
func expand(nodes []*plan.Node) (all []*plan.Node, complete bool) {
	nodes = slices.Clip(nodes)
	for i := 0; i < len(nodes); i++ {
		if len(nodes) > maxConjuncts {
			return nodes, false
		}
		c := nodes[i].Combine
		if c == nil {
			continue
		}
		nodes = append(nodes, c.AllOf...)
		for _, some := range [][]*plan.Node{c.AnyOf, c.OneOf} {
			if len(some) == 1 {
				nodes = append(nodes, some[0])
			}
		}
		if n := c.Not; n != nil && onlyNot(n) {
			nodes = append(nodes, n.Combine.Not)
		}
	}
	return nodes, true
}

// onlyNot reports whether n says not, and nothing else.
func onlyNot(n *plan.Node) bool {
	c := n.Combine
	if c == nil || c.Not == nil || len(c.AllOf)+len(c.AnyOf)+len(c.OneOf) > 0 {
		return false
	}
	other, rare := *n, *n.RareKeywords
	rare.Combine = nil
	other.RareKeywords = &rare
	return canonicalNode(nil, &other, 0) == "{}"
}

// A clause is a combinator that stays a choice: anyOf or oneOf of several branches, or not.
type combinator struct {
	keyword  string
	branches []*plan.Node
}

// Facts are what the conjuncts of a spot say together.
type facts struct {
	given       []*plan.Node // as in spot
	assumed     []*plan.Node // branches of choices that the values fulfil, too
	nodes       []*plan.Node // these, with what follows from their combinators
	incomplete  bool         // there are more nodes, which count, too
	loc         location
	accept      plan.Kinds
	minLen      int64
	maxLen      int64
	minItems    int64
	maxItems    int64
	minProps    int64
	maxProps    int64
	lower       []*plan.Bound
	upper       []*plan.Bound
	factors     []*plan.Bound
	ranged      []plan.Range
	patterns    []*plan.StringChecks
	formats     []*format.Format
	formatOf    []string
	enums       []*plan.Enum
	required    []string
	list        plan.ListType
	keys        []string
	unique      bool
	embedded    bool
	combinators []combinator
}

const numbers = plan.KindInt | plan.KindWhole | plan.KindFloat

func factsOf(s location) *facts {
	if s.node == nil {
		return newFacts([]*plan.Node{anything}, nil, s)
	}
	return newFacts(append([]*plan.Node{s.node}, s.branches...), nil, s)
}

// branchFacts returns what a branch of a combinator says of the values that it is asked about.
func branchFacts(b *plan.Node, p *proofState) *facts {
	return newFacts([]*plan.Node{b}, nil, location{preserved: true, proofs: p})
}

// gather returns the facts of heads, the first of which is that of the structure if s has one, and of the branches that are chosen.
func newFacts(heads, chosen []*plan.Node, s location) *facts {
	nodes, complete := expand(slices.Concat(heads, chosen))
	f := &facts{given: heads, assumed: chosen, nodes: nodes, incomplete: !complete, loc: s, accept: 0xff, minLen: math.MinInt64, maxLen: math.MaxInt64, minItems: math.MinInt64, maxItems: math.MaxInt64,
		minProps: math.MinInt64, maxProps: math.MaxInt64}
	for _, n := range nodes {
		f.add(n)
	}
	f.accept |= plan.KindNull
	for _, n := range heads { // what combinators say does not count for null (VAL-003)
		if n.Accept&plan.KindNull == 0 || n.Enum != nil {
			f.accept &^= plan.KindNull
		}
	}
	if n := s.node; n != nil {
		f.list, f.keys, f.unique, f.embedded = n.List, n.ListMapKeys, n.Has&plan.UniqueItems != 0, n.Has&plan.HasEmbedded != 0
		f.required = slices.DeleteFunc(f.required, func(name string) bool {
			return constraint.Supplied(n, name)
		})
	}
	slices.Sort(f.required)
	f.required = slices.Compact(f.required)
	return f
}

func (f *facts) add(n *plan.Node) {
	f.accept &= n.Accept
	f.minItems, f.maxItems = max(f.minItems, n.MinItems), min(f.maxItems, n.MaxItems)
	f.minProps, f.maxProps = max(f.minProps, n.MinProperties), min(f.maxProps, n.MaxProperties)
	f.required = append(f.required, n.Required...)
	if n.Enum != nil {
		f.enums = append(f.enums, n.Enum)
	}
	if c := n.String; c != nil {
		f.minLen, f.maxLen = max(f.minLen, c.MinLength), min(f.maxLen, c.MaxLength)
		if c.Pattern != nil || c.BadPattern != nil {
			f.patterns = append(f.patterns, c)
		}
		if c.Format != nil {
			f.formats = append(f.formats, c.Format)
			f.formatOf = append(f.formatOf, n.Format)
		}
	}
	if c := n.Number; c != nil {
		if c.Minimum != nil {
			f.lower = append(f.lower, c.Minimum)
		}
		if c.Maximum != nil {
			f.upper = append(f.upper, c.Maximum)
		}
		if c.MultipleOf != nil {
			f.factors = append(f.factors, c.MultipleOf)
		}
		f.ranged = append(f.ranged, c.Ranged)
	}
	if c := n.Combine; c != nil {
		if len(c.AnyOf) > 1 {
			f.combinators = append(f.combinators, combinator{"anyOf", c.AnyOf})
		}
		if len(c.OneOf) > 1 {
			f.combinators = append(f.combinators, combinator{"oneOf", c.OneOf})
		}
		if c.Not != nil {
			f.combinators = append(f.combinators, combinator{"not", []*plan.Node{c.Not}})
		}
	}
}

// fits reports whether f accepts v.
func (f *facts) fits(v any) bool {
	return sample.Fits(f.given, v) && (v == nil || sample.Fits(f.assumed, v))
}

// finite returns all values that f accepts, if it says which there are.
func (f *facts) finite() (values []any, ok bool) {
	add := func(v any) {
		if f.accept&plan.KindOf(v) != 0 && f.fits(v) {
			values = append(values, v)
		}
	}
	add(nil)
	switch {
	case len(f.enums) > 0:
		for _, v := range f.enums[0].Values {
			if !f.exact(v) {
				return nil, false
			}
			add(v)
		}
	case f.accept&^(plan.KindBool|plan.KindNull) == 0:
		add(false)
		add(true)
	default:
		return nil, false
	}
	return values, true
}

// exact reports whether v, a value of an enum, is the only one of those that f accepts which the enum takes for it: numbers are converted to the
// type of the value first (VAL-013). What is dropped or set within objects and lists is not known.
func (f *facts) exact(v any) bool {
	switch v.(type) {
	case string:
		return f.accept&numbers == 0
	case int64:
		return f.accept&plan.KindFloat == 0
	case nil, bool:
		return true
	}
	return false
}

// emptyDepth is how deep the proof looks that a spot accepts nothing.
const emptyDepth = 3

// empty reports whether f is proved to accept nothing.
func (f *facts) empty(depth int) bool {
	if f.accept == 0 {
		return true
	}
	if depth <= 0 {
		return false
	}
	if values, ok := f.finite(); ok {
		return len(values) == 0
	}
	kinds := f.accept
	if f.minLen > f.maxLen || f.noTextOfLength(f.minLen, f.maxLen) {
		kinds &^= plan.KindString
	}
	if f.minItems > f.maxItems || f.minItems > 0 && f.item().provedEmpty(depth-1) {
		kinds &^= plan.KindArray
	}
	if f.minProps > f.maxProps || f.maxProps < int64(len(f.required)) || f.minProps > 0 && f.closed() && int64(len(f.declaredNames())) < f.minProps {
		kinds &^= plan.KindObject
	}
	if kinds&plan.KindObject != 0 {
		for _, name := range f.required {
			if f.child(name, true).provedEmpty(depth - 1) {
				kinds &^= plan.KindObject
				break
			}
		}
	}
	kinds &^= f.emptyNumberKinds()
	return kinds == 0
}

func (s location) provedEmpty(depth int) bool {
	return !s.pruned() && !s.preserved && s.proofs.spend(1+len(s.branches)) && factsOf(s).empty(depth)
}

// emptyRange returns the kinds of numbers of which none is within the bounds. One that the type cannot hold is met by none (VAL-021).
func (f *facts) emptyNumberKinds() (kinds plan.Kinds) {
	for _, b := range slices.Concat(f.lower, f.upper, f.factors) {
		if b.OutOfRange {
			return numbers
		}
	}
	for _, lo := range f.lower {
		for _, hi := range f.upper {
			if lo.Int > hi.Int || lo.Int == hi.Int && (lo.Exclusive || hi.Exclusive) {
				kinds |= plan.KindInt
			}
			if lo.Value > hi.Value || lo.Value == hi.Value && (lo.Exclusive || hi.Exclusive) {
				kinds |= plan.KindWhole | plan.KindFloat
			}
		}
	}
	return kinds
}

// textEffort is how many steps one question about patterns may take.
const maxTextSteps = 20_000

// texts yields texts of some length that all patterns of f match and another does not; miss may be nil. It reports true if there are no others.
func (f *facts) matchingTexts(miss *pattern.Pattern, least, most int64, yield func(string) bool) bool {
	var match []*pattern.Pattern
	for _, c := range f.patterns {
		if c.BadPattern != nil {
			return true
		}
		if !slices.ContainsFunc(match, func(p *pattern.Pattern) bool { return p.String() == c.PatternText }) {
			match = append(match, c.Pattern)
		}
	}
	if len(match) == 0 {
		match = append(match, everyText)
	}
	complete, steps := pattern.Texts(match, miss, least, most, f.loc.proofs.limit(maxTextSteps), yield)
	f.loc.proofs.spend(steps)
	return complete
}

var everyText = pattern.Checked("")

// noText reports whether it is proved that f has no text with a length between least and most.
func (f *facts) noTextOfLength(least, most int64) bool {
	if least > most {
		return true
	}
	if len(f.patterns) == 0 {
		return false
	}
	found := false
	complete := f.matchingTexts(nil, least, most, func(string) bool { found = true; return false })
	return complete && !found
}

// child returns the spot of a field beneath f. other says that the name stands for any key that is not declared.
func (f *facts) child(name string, declared bool) location {
	s := location{proofs: f.loc.proofs}
	switch n := f.loc.node; {
	case f.loc.preserved:
		s.preserved = true
	case n != nil:
		child := n.Additional
		if p := n.Prop(name); declared && p != nil {
			child = p.Node
		}
		s.node = child
		s.preserved = child == nil && keepsUndeclared(n) || child == nil && n.IsResource() && plan.ResourceField(name)
	}
	for i, n := range f.nodes {
		if f.loc.node != nil && i == 0 {
			continue
		}
		c := n.Additional
		if p := n.Prop(name); declared && p != nil {
			c = p.Node
		}
		if c != nil {
			s.branches = append(s.branches, c)
		}
	}
	if s.preserved && len(s.branches) > 0 {
		s.node, s.preserved = anything, false
	}
	return s
}

func keepsUndeclared(n *plan.Node) bool {
	return n.Has&plan.PreserveFields != 0 || n.Additional == nil && n.Has&plan.OtherKeys != 0 && n.Has&plan.NoOthers == 0
}

// item returns the spot of the items beneath f.
func (f *facts) item() location {
	s := location{proofs: f.loc.proofs}
	switch n := f.loc.node; {
	case f.loc.preserved:
		s.preserved = true
	case n != nil:
		s.node, s.preserved = n.Items, n.Items == nil
	}
	for i, n := range f.nodes {
		if n.Items != nil && (f.loc.node == nil || i > 0) {
			s.branches = append(s.branches, n.Items)
		}
	}
	if s.preserved && len(s.branches) > 0 {
		s.node, s.preserved = anything, false
	}
	return s
}

// filled returns v with the defaults of the structure.
func (f *facts) withDefaults(v any) any {
	if f.loc.node == nil {
		return v
	}
	return defaulting.Value(plan.View[schema.Node](f.loc.node), v)
}
