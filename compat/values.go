package compat

import (
	"math"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/tool/sample"
)

// valueTrials is the approximate number of values that are checked to find the values for a question, or for one
// branch.
const valueTrials = 20

// values returns values that may answer q, the most likely ones first. base is a valid value.
func (p *pair) values(q *question, base any) []any {
	out := slices.Clone(q.restriction.values)
	m := q.accepting.samples()
	x, y := q.x, q.y
	switch base := base.(type) {
	case map[string]any:
		out = append(out, q.objectValues(base)...)
	case []any:
		out = append(out, q.listValues(base)...)
	}
	if x.accept&(plan.KindString|numbers|plan.KindBool|plan.KindNull) != 0 {
		out = append(out, scalars(x, y)...)
	}
	p.c.effort -= valueTrials * x.tryCost()
	if x.loc.node != nil && p.c.effort > 0 {
		for trial := range 3 {
			out = append(out, m.Value(x.nodes, trial, false))
		}
		out = append(out, m.Value(x.nodes, 0, true))
	}
	out = append(out, p.branchValues(q)...)
	if x.accept&plan.KindObject != 0 {
		out = append(out, map[string]any{}, map[string]any{"key": "a"})
	}
	if x.accept&plan.KindArray != 0 {
		out = append(out, []any{}, []any{"a"}, []any{int64(1), int64(1)})
	}
	return out
}

// branchValues returns values for the branches of the combinators of both sides.
func (p *pair) branchValues(q *question) (out []any) {
	for _, c := range slices.Concat(q.x.combinators, q.y.combinators) {
		for _, b := range c.branches[:min(len(c.branches), maxBranches)] {
			if p.c.effort -= valueTrials * q.x.tryCost(); p.c.effort <= 0 {
				return out
			}
			f := q.x.assuming(b)
			if q.x.accept&(plan.KindString|numbers) != 0 {
				out = append(out, scalars(f, branchFacts(b, f.loc.proofs))...)
			}
			if q.x.loc.node != nil {
				out = append(out, q.accepting.samples().Value(f.nodes, 0, false))
			}
			if b.Items != nil {
				for _, v := range boundaryValues(b.Items) {
					out = append(out, []any{v})
				}
			}
		}
	}
	return out
}

// boundaryValues returns the values of the enum of n, and those at its bounds.
func boundaryValues(n *plan.Node) (out []any) {
	if n.Enum != nil {
		out = append(out, n.Enum.Values[:min(len(n.Enum.Values), 10)]...)
	}
	if c := n.Number; c != nil {
		for _, b := range []*plan.Bound{c.Maximum, c.Minimum, c.MultipleOf} {
			if b != nil && b.Value == float64(b.Int) {
				out = append(out, b.Int, b.Int+1, b.Int-1)
			}
		}
	}
	if c := n.String; c != nil {
		for _, length := range []int64{c.MaxLength, c.MaxLength + 1, c.MinLength, c.MinLength - 1} {
			if length >= 0 && length < maxMadeSize {
				out = append(out, strings.Repeat("a", int(length)))
			}
		}
	}
	return out
}

// scalars returns values of the enums of both sides, those at their bounds, and others of the kinds that x accepts.
// Lists and objects are among them only if an enum has some.
func scalars(x, y *facts) []any {
	var out []any
	for _, f := range []*facts{x, y} {
		for _, e := range f.enums {
			out = append(out, e.Values[:min(len(e.Values), 200)]...)
		}
	}
	if x.accept&plan.KindNull != 0 {
		out = append(out, nil)
	}
	if x.accept&plan.KindBool != 0 {
		out = append(out, true, false)
	}
	if x.accept&numbers != 0 {
		out = append(out, boundaryNumbers(x, y)...)
	}
	if x.accept&plan.KindString != 0 {
		for _, s := range sample.Texts {
			out = append(out, s)
		}
		for _, f := range []*facts{y, x} {
			for _, length := range []int64{f.maxLen + 1, f.maxLen, f.minLen - 1, f.minLen} {
				if length > 0 && length <= maxMadeSize {
					out = append(out, strings.Repeat("a", int(length)))
				}
			}
		}
		n := len(out)
		x.matchingTexts(nil, x.minLen, x.maxLen, func(s string) bool {
			out = append(out, s)
			return len(out) < n+10
		})
	}
	return out
}

// boundaryNumbers returns numbers at the bounds of both sides, and others.
func boundaryNumbers(x, y *facts) []any {
	some := []float64{0, 1, -1, 2, 0.5, 1.5, math.MaxInt32 + 1, math.MinInt32 - 1, 2 * math.MaxFloat32}
	for _, f := range []*facts{y, x} {
		for _, b := range slices.Concat(f.lower, f.upper, f.factors) {
			for _, off := range []float64{0, 1, -1, 0.5} {
				some = append(some, b.Value+off)
			}
		}
	}
	for _, factor := range slices.Concat(x.factors, y.factors) {
		for _, b := range slices.Concat(x.lower, x.upper, y.lower, y.upper) {
			if n := math.Floor(b.Value / factor.Value); factor.Value > 0 {
				some = append(some, n*factor.Value, (n+1)*factor.Value)
			}
		}
	}
	for _, lo := range x.lower {
		for _, hi := range x.upper {
			some = append(some, (lo.Value+hi.Value)/2)
		}
	}
	var out []any
	for _, f := range some {
		if isWhole(f) {
			out = append(out, int64(f))
		} else if x.accept&plan.KindFloat != 0 {
			out = append(out, f)
		}
	}
	return out
}
