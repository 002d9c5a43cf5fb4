package compat

import (
	"math"
	"slices"

	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/internal/constraint"
	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/sample"
	"github.com/crdkit/crdkit/schema"
)

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

// A clause is a combinator that stays a choice: anyOf or oneOf of several branches, or not.
type combinator struct {
	keyword  string
	branches []*plan.Node
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

// with returns the facts of x's values that fulfil a branch, too.
func (f *facts) assuming(branch *plan.Node) *facts {
	more := newFacts(f.given, append(f.assumed[:len(f.assumed):len(f.assumed)], branch), f.loc)
	more.accept &= f.accept
	return more
}

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

// dropNull says that f is about fields: null never comes to those that drop it.
func (f *facts) excludeDroppedNull() {
	if !f.loc.keepsNull() {
		f.accept &^= plan.KindNull
	}
}

// fits reports whether f accepts v.
func (f *facts) fits(v any) bool {
	return sample.Fits(f.given, v) && (v == nil || sample.Fits(f.assumed, v))
}

// filled returns v with the defaults of the structure.
func (f *facts) withDefaults(v any) any {
	if f.loc.node == nil {
		return v
	}
	return defaulting.Value(plan.View[schema.Node](f.loc.node), v)
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
