package compat

import (
	"context"

	"github.com/crdkit/crdkit/internal/constraint"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/sample"
)

// rules compares the rules at a position.
func (p *pair) rules(x, y *facts, way constraint.Way) {
	before, after := x.loc.rules(), y.loc.rules()
	// Of the new rules only what the old side accepts counts, and the other way round.
	inOld, inNew := schemaKnowledge{x, y, p.old, p.now}, schemaKnowledge{y, x, p.now, p.old}
	changed := typeChangesBetween(x.loc.node, y.loc.node)
	ask := func(rules, others []plan.Rule, know schemaKnowledge, loosens bool) {
		have := p.allConjuncts(others, know)
		for i := range rules {
			if r := &rules[i]; changed.affect(r.Rule) || !p.impliedBy(p.conjuncts(r, know), have) {
				p.findRuleWitness(way, r, i, others, loosens)
			}
		}
	}
	ask(after, before, inOld, false)
	ask(before, after, inNew, true)
}

// terms returns the terms of a rule, or the rule as a term of its own if there are no steps left.
func (p *pair) conjuncts(r *plan.Rule, know knowledge) []conjunct {
	if !p.c.proofs.spend(len(r.Rule) * len(r.Rule) / 100) {
		return []conjunct{opaqueConjunct(r)}
	}
	return conjuncts(r, know)
}

// allTerms returns the terms of all rules.
func (p *pair) allConjuncts(rules []plan.Rule, know knowledge) (all []conjunct) {
	for i := range rules {
		all = append(all, p.conjuncts(&rules[i], know)...)
	}
	return all
}

func (p *pair) impliedBy(terms []conjunct, have []conjunct) bool {
	return impliedBy(terms, have, &p.c.proofs)
}

// rule looks for an object that a rule refuses and the other side accepts. i is its index, and others are the other side's rules there.
func (p *pair) findRuleWitness(way constraint.Way, r *plan.Rule, i int, others []plan.Rule, loosens bool) {
	q := question{way: way, restriction: restriction{keyword: "rule", before: ruleTexts(others, r), after: r.Rule}, accepting: p.old, refusing: p.now, loosens: loosens}
	if loosens {
		q.accepting, q.refusing = p.now, p.old
	}
	if p.differs = true; p.requestsFail {
		return
	}
	if p.c.effort <= 0 {
		p.unknown(&q, "There was no effort left.")
		return
	}
	m := q.refusing.samples()
	path := way.String()
	for _, own := range q.refusing.rules {
		if own.Path != path || own.Index != i {
			continue
		}
		m.Also = func(_ context.Context, obj, old map[string]any) int {
			kind := Create
			if old != nil {
				kind = Update
			}
			req := request{kind, obj, old}
			if p.requestKind(way) == StatusUpdate {
				var ok bool
				if req, ok = p.requestFor(q.accepting, way, obj); !ok {
					return 100
				}
				if old != nil {
					req.stored = old
				}
			}
			accepted := q.accepting.handle(req.kind, req.object, req.stored)
			n := len(accepted.Errors)
			if accepted.Err() != nil {
				n++
			}
			if n == 0 && q.accepting.dropsFields(req.object) {
				n++
			}
			return 10 * n
		}
		shown := false
		for base := range p.bases(q.refusing, q.accepting, way) {
			rest := p.c.limit(ruleEffort)
			b, err := m.BreakRuleIn(p.c.ctx, own, base)
			p.c.restore(rest)
			if err != nil {
				continue
			}
			if shown = p.showsRule(&q, b); shown {
				break
			}
		}
		m.Also = nil
		if shown {
			return
		}
		break
	}
	for _, o := range p.c.options.Objects {
		req := request{kind: Create, object: q.accepting.withAPIVersion(o)}
		if p.c.effort > 0 && p.isDifference(&q, req) {
			p.addShown(&q, req)
			return
		}
	}
	p.unknown(&q, "No object was found that shows a difference.")
}

// ruleShown adds a finding if what breaks a rule shows the difference.
func (p *pair) showsRule(q *question, b sample.Broken) bool {
	req := request{kind: Create, object: q.accepting.withAPIVersion(b.Object)}
	if b.Old != nil {
		req.kind, req.stored = Update, b.Old
	}
	if p.requestKind(q.way) == StatusUpdate {
		var ok bool
		if req, ok = p.requestFor(q.accepting, q.way, b.Object); !ok {
			return false
		}
		if b.Old != nil {
			req.stored = b.Old
		}
	}
	if !p.isDifference(q, req) {
		return false
	}
	p.addShown(q, req)
	return true
}

// ruleTexts returns the rule among others that is most like r, or none.
func ruleTexts(others []plan.Rule, r *plan.Rule) string {
	for i := range others {
		if others[i].Message == r.Message && r.Message != "" {
			return others[i].Rule
		}
	}
	return "none"
}
