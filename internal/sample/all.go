package sample

import (
	"context"
	"fmt"
	"iter"

	"github.com/crdkit/crdkit/internal/constraint"
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

// EachBroken makes an object for each constraint and each rule of the version's schema that violates only that, in the
// order of the schema, rules last. If none is found, it yields only the name, and an error. The objects may share
// parts. Without a budget, work is bounded all the same: the last name may be the number of constraints, rules and deep
// schemas that were not looked at.
func (m *Maker) EachBroken(ctx context.Context) iter.Seq2[Broken, error] {
	return func(yield func(Broken, error) bool) {
		constraints := constraint.List(m.s)
		left := constraint.Deeper(m.s) + len(constraints) + len(m.rules)
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
