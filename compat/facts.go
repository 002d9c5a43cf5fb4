package compat

import (
	"math"
	"slices"

	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/internal/tool/sample"
	"github.com/crdkit/crdkit/schema"
)

// facts are the constraints on the values at a location. A value must satisfy all nodes, so their constraints are
// collected here.
type facts struct {
	loc        *location
	given      []*plan.Node // the node of the location and its branches
	assumed    []*plan.Node // branches of combinators of which a proof assumes that the values match them
	nodes      []*plan.Node // given and assumed, then the branches of their combinators that always apply
	incomplete bool         // there are more such branches

	accept             plan.Kinds
	minLen, maxLen     int64
	minItems, maxItems int64
	minProps, maxProps int64
	lower, upper       []*plan.Bound
	factors            []*plan.Bound // multipleOf
	ranged             []plan.Range
	patterns           []*plan.StringChecks
	formats            []*format.Format
	formatNames        []string // of formats
	enums              []*plan.Enum
	required           []string // sorted; without fields that are always there
	combinators        []combinator

	// Of the structural schema only.
	list     plan.ListType
	keys     []string // of a list map
	unique   bool     // uniqueItems
	embedded bool     // x-kubernetes-embedded-resource
}

// A combinator is an anyOf or oneOf with several branches, or a not, whose only branch must not match.
type combinator struct {
	keyword  string
	branches []*plan.Node
}

// numbers are the kinds of numbers.
const numbers = plan.KindInt | plan.KindWhole | plan.KindFloat

// factsOf returns the facts at a location.
func factsOf(l *location) *facts {
	if l.node == nil {
		return newFacts([]*plan.Node{anything}, nil, l)
	}
	return newFacts(append([]*plan.Node{l.node}, l.branches...), nil, l)
}

// branchFacts returns the constraints of one branch of a combinator.
func branchFacts(b *plan.Node, p *proofState) *facts {
	return newFacts([]*plan.Node{b}, nil, &location{preserved: true, proofs: p})
}

// newFacts returns the constraints of given and assumed nodes. If l has a node, it is the first of the given ones.
func newFacts(given, assumed []*plan.Node, l *location) *facts {
	nodes, complete := expand(slices.Concat(given, assumed))
	f := &facts{loc: l, given: given, assumed: assumed, nodes: nodes, incomplete: !complete, accept: 0xff, minLen: math.MinInt64, maxLen: math.MaxInt64,
		minItems: math.MinInt64, maxItems: math.MaxInt64, minProps: math.MinInt64, maxProps: math.MaxInt64}
	for _, n := range nodes {
		f.add(n)
	}
	f.accept |= plan.KindNull
	for _, n := range given { // combinators do not apply to null (VAL-003)
		if n.Accept&plan.KindNull == 0 || n.Enum != nil {
			f.accept &^= plan.KindNull
		}
	}
	if n := l.node; n != nil {
		f.list, f.keys, f.unique, f.embedded = n.List, n.ListMapKeys, n.Has&plan.UniqueItems != 0, n.Has&plan.HasEmbedded != 0
		f.required = slices.DeleteFunc(f.required, func(name string) bool { return constraint.Supplied(n, name) })
	}
	slices.Sort(f.required)
	f.required = slices.Compact(f.required)
	return f
}

// add adds the constraints of a node.
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
			f.formatNames = append(f.formatNames, n.Format)
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
		for _, some := range [...]combinator{{"anyOf", c.AnyOf}, {"oneOf", c.OneOf}} {
			if len(some.branches) > 1 {
				f.combinators = append(f.combinators, some)
			}
		}
		if c.Not != nil {
			f.combinators = append(f.combinators, combinator{"not", []*plan.Node{c.Not}})
		}
	}
}

// assuming returns the facts about those values of f that match a branch, too.
func (f *facts) assuming(branch *plan.Node) *facts {
	more := newFacts(f.given, append(f.assumed[:len(f.assumed):len(f.assumed)], branch), f.loc)
	more.accept &= f.accept
	return more
}

// maxNodes bounds how many nodes are collected for one location.
const maxNodes = 500

// expand appends to nodes the branches of their combinators that always apply: those of allOf, the only branch of an
// anyOf or oneOf, and what a not within a not negates. It reports whether these are all.
func expand(nodes []*plan.Node) (all []*plan.Node, complete bool) {
	nodes = slices.Clip(nodes)
	for i := 0; i < len(nodes); i++ {
		if len(nodes) > maxNodes {
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

// onlyNot reports whether not is the only keyword of n.
func onlyNot(n *plan.Node) bool {
	c := n.Combine
	if c == nil || c.Not == nil || len(c.AllOf)+len(c.AnyOf)+len(c.OneOf) > 0 {
		return false
	}
	other, rare := *n, *n.RareKeywords
	rare.Combine = nil
	other.RareKeywords = &rare
	p := proofState{canonicalTexts: map[*plan.Node]string{}}
	return p.canonicalNode(&other, 0) == "{}"
}

// excludeDroppedNull makes f those of a field: a null that is dropped is never validated.
func (f *facts) excludeDroppedNull() {
	if !f.loc.keepsNull() {
		f.accept &^= plan.KindNull
	}
}

// fits reports whether f accepts v.
func (f *facts) fits(v any) bool {
	return sample.Fits(f.given, v) && (v == nil || sample.Fits(f.assumed, v))
}

// withDefaults returns v with the defaults of the structural schema.
func (f *facts) withDefaults(v any) any {
	if f.loc.node == nil {
		return v
	}
	return defaulting.Value(plan.View[schema.Node](f.loc.node), v)
}

// finite returns all values that f accepts, and whether there is a list of them.
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

// exact reports whether v, a value of an enum, matches only itself among the values that f accepts. A number of an enum
// may also match others, because it is converted to the type of the value first (VAL-013). Objects and lists may be
// pruned or defaulted before.
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
