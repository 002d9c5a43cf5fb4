package sample

import (
	"context"
	"fmt"
	"iter"

	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/unstructured"
)

// BreakAll returns the objects of [Maker.EachBroken]. missing has the names of the constraints and rules for which none
// was found. The objects share nothing with each other. The error is that of ctx.
func (m *Maker) BreakAll(ctx context.Context) (all []Broken, missing []string, err error) {
	for b, err := range m.EachBroken(ctx) {
		if err != nil {
			missing = append(missing, b.Breaks)
			continue
		}
		m.charge(keptSteps * (weigh(b.Object) + weigh(b.Old)))
		b.Object, b.Old = unstructured.Clone(b.Object), unstructured.Clone(b.Old)
		all = append(all, b)
	}
	return all, missing, ctx.Err()
}

// ruleCount returns the number of rules down to [constraint.MaxDepth], which may be more than those of the Maker.
func (m *Maker) ruleCount() int {
	var rules func(n *plan.Node, depth int) int
	rules = func(n *plan.Node, depth int) int {
		if n == nil || depth > constraint.MaxDepth || n.Below&plan.HasRules == 0 {
			return 0
		}
		found := len(n.Rules) + rules(n.Items, depth+1) + rules(n.Additional, depth+1)
		for i := range n.Props {
			found += rules(n.Props[i].Node, depth+1)
		}
		return found
	}
	if m.s == nil {
		return 0
	}
	return rules(plan.Root(m.s), 0)
}

// EachBroken makes an object for each constraint and each rule of the version's schema that violates only that, in the
// order of the schema, rules last. If none is found, it yields only the name, and an error. The objects may share
// parts. Without a budget, work is bounded all the same: the last name may be the number of constraints, rules and deep
// schemas that were not looked at.
func (m *Maker) EachBroken(ctx context.Context) iter.Seq2[Broken, error] {
	return func(yield func(Broken, error) bool) {
		constraints, left := constraint.List(m.s)
		left += len(constraints) + max(len(m.rules), m.ruleCount())
		defer func() {
			if left > 0 {
				yield(Broken{Breaks: fmt.Sprintf("%d more constraints and rules (not looked at)", left)}, errNone)
			}
		}()
		for _, c := range constraints {
			if m.exhausted() {
				return
			}
			left--
			b, err := m.Break(ctx, c)
			b.Breaks = constraint.Title(c.Path, c.Text)
			if !yield(b, err) {
				left = 0
				return
			}
		}
		for _, r := range m.rules {
			if m.exhausted() {
				return
			}
			left--
			b, err := m.BreakRule(ctx, r)
			b.Breaks = constraint.RuleTitle(r.Path, r.ValidationRule.Rule)
			if !yield(b, err) {
				left = 0
				return
			}
		}
	}
}
