package compat

import (
	"context"
	"slices"

	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/tool/constraint"
)

// rules compares the rules of both sides at schemaPath. A rule of one side only matters for values that the other side
// accepts.
func (p *pair) rules(x, y *facts, schemaPath constraint.Steps) {
	var changed typeChanges
	if x.loc.node != nil && y.loc.node != nil {
		changed = typeChangesBetween(x.loc.node, y.loc.node)
	}
	compare := func(rules, others []plan.Rule, know knowledge, loosens bool) {
		same := map[ruleKey]bool{}
		for i := range others {
			same[keyOf(&others[i])] = true
		}
		var have []conjunct
		for i := range rules {
			r := &rules[i]
			affected := changed.affect(r.Rule)
			if !affected && same[keyOf(r)] {
				continue
			}
			if have == nil && !affected {
				have = p.allConjuncts(others, know)
			}
			if affected || !p.c.proofs.spend(len(have)/conjunctsPerStep) || !impliedBy(p.conjuncts(r, know), have, &p.c.proofs) {
				p.findRuleWitness(schemaPath, r, i, others, loosens, changed.fields)
			}
		}
	}
	before, after := x.loc.rules(), y.loc.rules()
	compare(after, before, schemaKnowledge{x, y, p.old, p.now}, false)
	compare(before, after, schemaKnowledge{y, x, p.now, p.old}, true)
}

// conjunctsPerStep is with how many conjuncts one is compared in one proof step.
const conjunctsPerStep = 20

// A ruleKey is equal for rules that hold for the same values.
type ruleKey struct {
	rule     string
	optional bool // the old value is
}

func keyOf(r *plan.Rule) ruleKey {
	return ruleKey{r.Rule, r.OptionalOldSelf != nil && *r.OptionalOldSelf}
}

// conjuncts returns the conjuncts of a rule, or one for all of it if there are no steps left.
func (p *pair) conjuncts(r *plan.Rule, know knowledge) []conjunct {
	if !p.c.proofs.spend(len(r.Rule) * len(r.Rule) / 100) {
		return []conjunct{opaqueConjunct(r)}
	}
	return conjuncts(r, know)
}

// allConjuncts returns the conjuncts of all rules.
func (p *pair) allConjuncts(rules []plan.Rule, know knowledge) (all []conjunct) {
	for i := range rules {
		all = append(all, p.conjuncts(&rules[i], know)...)
	}
	return all
}

// findRuleWitness looks for an object that r refuses and the other side accepts, and adds the finding. i is the index
// of r among the rules at schemaPath; others are the rules of the other side there. changed are fields of which the
// type or the default differs.
func (p *pair) findRuleWitness(schemaPath constraint.Steps, r *plan.Rule, i int, others []plan.Rule, loosens bool, changed []string) {
	q := question{schemaPath: schemaPath, restriction: restriction{keyword: "rule", before: counterpart(r, others), after: r.Rule},
		accepting: p.old, refusing: p.now, loosens: loosens, rule: keyOf(r), fields: changed}
	if loosens {
		q.accepting, q.refusing = p.now, p.old
	}
	if !p.ask(&q) {
		return
	}
	q.mayDrop = p.isMasked(&q)
	if own := q.refusing.rule(schemaPath, i); own != nil && p.breakRule(&q, own) {
		return
	}
	for _, o := range p.c.options.Objects {
		r := createOf(q.accepting.withAPIVersion(o))
		if p.c.effort > 0 && p.answers(&q, r) {
			p.addShown(&q, r)
			return
		}
	}
	p.unknown(&q, "No object was found that shows a difference.")
}

// rule returns the rule with that index at schemaPath, or nil.
func (v *version) rule(schemaPath constraint.Steps, index int) *constraint.Rule {
	v.samples() // sets rules
	path := schemaPath.String()
	i := slices.IndexFunc(v.rules, func(r *constraint.Rule) bool { return r.Path == path && r.Index == index })
	if i < 0 {
		return nil
	}
	return v.rules[i]
}

// breakRule looks for an object that breaks a rule of the refusing side, and adds the finding. It reports whether it
// found one.
func (p *pair) breakRule(q *question, rule *constraint.Rule) bool {
	m := q.refusing.samples()
	m.Also = func(_ context.Context, obj, old map[string]any) int { return p.acceptingFaults(q, obj, old) }
	defer func() { m.Also = nil }()
	for base := range p.bases(q.refusing, q.accepting, q.schemaPath) {
		rest := p.c.limit(ruleEffort)
		b, err := m.BreakRuleIn(p.c.ctx, rule, base)
		p.c.restore(rest)
		if err != nil {
			continue
		}
		if r, ok := p.ruleRequest(q, b.Object, b.Old); ok && p.answers(q, r) {
			p.addShown(q, r)
			return true
		}
	}
	return false
}

// acceptingFaults returns a measure of the faults that the accepting side finds in obj in place of old. It is 0 if that
// side accepts obj and drops nothing.
func (p *pair) acceptingFaults(q *question, obj, old map[string]any) int {
	const fault = 10
	r, ok := p.ruleRequest(q, obj, old)
	if !ok {
		return 10 * fault
	}
	result := q.accepting.handle(r)
	n := len(result.Errors)
	if !accepted(result) {
		n++
	}
	if n == 0 && !q.mayDrop && q.accepting.dropsFields(r.object) {
		n++
	}
	return n * fault
}

// ruleRequest returns the request that sends obj for a rule at the schema path of q, in place of old if that is not
// nil.
func (p *pair) ruleRequest(q *question, obj, old map[string]any) (r request, ok bool) {
	if p.requestKind(q.schemaPath) == requestStatus {
		if r, ok = p.requestFor(q.accepting, q.schemaPath, obj); ok && old != nil {
			r.stored = old
		}
		return r, ok
	}
	r = request{kind: requestCreate, object: q.accepting.withAPIVersion(obj), stored: old}
	if old != nil {
		r.kind = requestUpdate
	}
	return r, true
}

// counterpart returns the rule among others that has the same message as r, or "none".
func counterpart(r *plan.Rule, others []plan.Rule) string {
	for i := range others {
		if others[i].Message == r.Message && r.Message != "" {
			return others[i].Rule
		}
	}
	return "none"
}
