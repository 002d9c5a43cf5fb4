package sample

import (
	"context"

	"github.com/crdkit/crdkit/internal/constraint"
	"github.com/crdkit/crdkit/unstructured"
)

// A Counterexample is a Broken object with a name of what it breaks: spec.size: maximum 10.
type Counterexample struct {
	Breaks string
	Broken
}

// BreakAll returns an object for each constraint of the version's schema and for each of its rules, which breaks that alone, in the order of the
// schema, rules last. missing has the names of those for which none was found. The objects share nothing with each other. The error is that of
// ctx.
func (m *Maker) BreakAll(ctx context.Context) (all []Counterexample, missing []string, err error) {
	keep := func(name string, b Broken, err error) {
		if err != nil {
			missing = append(missing, name)
			return
		}
		b.Object, b.Old = unstructured.Clone(b.Object), unstructured.Clone(b.Old)
		all = append(all, Counterexample{name, b})
	}
	for _, c := range constraint.List(m.s) {
		b, err := m.Break(ctx, c)
		keep(constraint.Title(c.Path, c.Text), b, err)
	}
	for _, r := range m.rules {
		b, err := m.BreakRule(ctx, r)
		keep(constraint.RuleTitle(r.Path, r.ValidationRule.Rule), b, err)
	}
	return all, missing, ctx.Err()
}
