package compat

import (
	"context"

	"github.com/crdkit/crdkit/internal/constraint"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/sample"
)

// rule looks for an object that a rule refuses and the other side accepts. i is its index, and others are the other side's rules there.
func (p *pair) rule(way constraint.Way, r *plan.Rule, i int, others []plan.Rule, loosens bool) {
	q := question{way: way, gap: gap{keyword: "rule", before: ruleTexts(others, r), after: r.Rule}, from: p.old, against: p.now, loosens: loosens}
	if loosens {
		q.from, q.against = p.now, p.old
	}
	if p.asked = true; p.blind {
		return
	}
	if p.c.effort <= 0 {
		p.unknown(&q, "There was no effort left.")
		return
	}
	m := q.against.samples()
	path := way.String()
	for _, own := range q.against.rules {
		if own.Path != path || own.Index != i {
			continue
		}
		m.Also = func(_ context.Context, obj, old map[string]any) int {
			kind := Create
			if old != nil {
				kind = Update
			}
			req := request{kind, obj, old}
			if p.request(way) == StatusUpdate {
				var ok bool
				if req, ok = p.sent(q.from, way, obj); !ok {
					return 100
				}
				if old != nil {
					req.stored = old
				}
			}
			accepted := q.from.judge(req.kind, req.object, req.stored)
			n := len(accepted.Errors)
			if accepted.Err() != nil {
				n++
			}
			if n == 0 && q.from.drops(req.object) {
				n++
			}
			return 10 * n
		}
		shown := false
		for base := range p.bases(q.against, q.from, way) {
			rest := p.c.limit(ruleEffort)
			b, err := m.BreakRuleIn(p.c.ctx, own, base)
			p.c.restore(rest)
			if err != nil {
				continue
			}
			if shown = p.ruleShown(&q, b); shown {
				break
			}
		}
		m.Also = nil
		if shown {
			return
		}
		break
	}
	for _, o := range p.c.o.Objects {
		req := request{kind: Create, object: q.from.own(o)}
		if p.c.effort > 0 && p.differs(&q, req) {
			p.shown(&q, req)
			return
		}
	}
	p.unknown(&q, "No object was found that shows a difference.")
}

// ruleShown adds a finding if what breaks a rule shows the difference.
func (p *pair) ruleShown(q *question, b sample.Broken) bool {
	req := request{kind: Create, object: q.from.own(b.Object)}
	if b.Old != nil {
		req.kind, req.stored = Update, b.Old
	}
	if p.request(q.way) == StatusUpdate {
		var ok bool
		if req, ok = p.sent(q.from, q.way, b.Object); !ok {
			return false
		}
		if b.Old != nil {
			req.stored = b.Old
		}
	}
	if !p.differs(q, req) {
		return false
	}
	p.shown(q, req)
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
