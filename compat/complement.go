package compat

import (
	"math"

	"github.com/crdkit/crdkit/internal/plan"
)

// complement returns nodes of which each value matches one if it does not match n. It reports false if n has other
// keywords than the few for which it knows them.
func (p *proofState) complement(n *plan.Node) (nodes []*plan.Node, ok bool) {
	text := p.canonical(n, 0)

	made := func(set func(n *plan.Node)) *plan.Node {
		m := *plan.Empty
		m.Accept = 0xff
		set(&m)
		return &m
	}
	only := func(set func(n *plan.Node)) bool {
		q := proofState{steps: p.steps, canonicalTexts: map[*plan.Node]string{}}
		return q.canonical(made(set), 0) == text
	}
	texts := func(least, most int64) func(n *plan.Node) {
		return func(n *plan.Node) { n.String = &plan.StringChecks{MinLength: least, MaxLength: most} }
	}
	list := func(least, most int64) func(n *plan.Node) {
		return func(n *plan.Node) { n.ArrayKeywords = &plan.ArrayKeywords{MinItems: least, MaxItems: most} }
	}
	object := func(least, most int64) func(n *plan.Node) {
		return func(n *plan.Node) {
			n.ObjectKeywords = &plan.ObjectKeywords{MinProperties: least, MaxProperties: most}
		}
	}
	bound := func(minimum, maximum *plan.Bound) func(n *plan.Node) {
		return func(n *plan.Node) { n.Number = &plan.NumberChecks{Minimum: minimum, Maximum: maximum} }
	}
	of := func(kinds plan.Kinds, set func(n *plan.Node)) []*plan.Node {
		return []*plan.Node{made(func(n *plan.Node) { set(n); n.Accept = kinds })}
	}
	combined := func(c plan.Combinators) func(n *plan.Node) {
		return func(n *plan.Node) { n.RareKeywords = &plan.RareKeywords{Combine: &c} }
	}
	flipped := func(b *plan.Bound) *plan.Bound {
		c := *b
		c.Exclusive = !b.Exclusive
		return &c
	}
	const low, high = math.MinInt64, math.MaxInt64
	if only(func(*plan.Node) {}) {
		return nil, true // no value
	}
	if only(func(m *plan.Node) { m.Type, m.Accept = n.Type, n.Accept }) {
		return of(0xff&^n.Accept, func(*plan.Node) {}), true
	}
	if c := n.String; c != nil {
		switch {
		case c.MaxLength < high && only(texts(low, c.MaxLength)):
			return of(plan.KindString, texts(c.MaxLength+1, high)), true
		case c.MinLength > 0 && only(texts(c.MinLength, high)):
			return of(plan.KindString, texts(low, c.MinLength-1)), true
		}
	}
	if c := n.Number; c != nil {
		switch {
		case c.Maximum != nil && !c.Maximum.OutOfRange && only(bound(nil, c.Maximum)):
			return of(numbers, bound(flipped(c.Maximum), nil)), true
		case c.Minimum != nil && !c.Minimum.OutOfRange && only(bound(c.Minimum, nil)):
			return of(numbers, bound(nil, flipped(c.Minimum))), true
		}
	}
	switch {
	case n.MaxItems < high && only(list(low, n.MaxItems)):
		return of(plan.KindArray, list(n.MaxItems+1, high)), true
	case n.MinItems > 0 && only(list(n.MinItems, high)):
		return of(plan.KindArray, list(low, n.MinItems-1)), true
	case n.MaxProperties < high && only(object(low, n.MaxProperties)):
		return of(plan.KindObject, object(n.MaxProperties+1, high)), true
	case n.MinProperties > 0 && only(object(n.MinProperties, high)):
		return of(plan.KindObject, object(low, n.MinProperties-1)), true
	case n.Combine != nil && n.Combine.Not != nil && only(combined(plan.Combinators{Not: n.Combine.Not})):
		return []*plan.Node{n.Combine.Not}, true
	}
	required := func(names ...string) func(n *plan.Node) {
		return func(n *plan.Node) {
			keywords := *plan.NoObjectKeywords
			keywords.Required = names
			n.ObjectKeywords = &keywords
		}
	}
	if len(n.Required) > 0 && only(required(n.Required...)) {
		for _, name := range n.Required {
			nodes = append(nodes, of(plan.KindObject, combined(plan.Combinators{Not: made(required(name))}))...)
		}
		return nodes, true
	}
	return nil, false
}
