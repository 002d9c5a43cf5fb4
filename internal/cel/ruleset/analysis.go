package ruleset

import (
	"math"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/check"
	"github.com/crdkit/crdkit/internal/cel/estimate"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/refusal"
)

// An Analysis is the estimate of a rule together with its inputs. It can compute the estimate for other bounds. It is
// safe for concurrent use.
type Analysis struct {
	RuleCost            // without Path
	Node     *plan.Node // the node of the schema that has the rule
	// Multiplies are the lists and maps that contain the node, outermost first: the rule is evaluated for each of their
	// items.
	Multiplies []*plan.Node
	// Sizes are the strings, lists and maps whose maximum size the estimate depends on: their maxLength, maxItems or
	// maxProperties. They are in the order in which the expressions use them.
	Sizes []*plan.Node
	// Passed has the functions that the expressions call with the strings of a node.
	Passed map[*plan.Node][]string
	// Part is the most expensive part of the rule, as an expression; macros are shown as `loop over` their range.
	// PartCost is its cost in one evaluation of the rule.
	Part     string
	PartCost uint64
	// Steps is the work of an estimate: the number of parts of both expressions that it visits. If the expressions of
	// all rules together are too large to keep, it is math.MaxInt for the last rules, and these have no estimates for
	// other bounds.
	Steps int

	programs      *programs
	typ           *types.SchemaType
	rule, message *check.Expr // message is nil if there is none
}

// Analyze returns the analyses of the rules that compile, as new rules, in the order of [Rules.Costs]. The result is
// the caller's; its nodes are those of the schema.
func (r *Rules) Analyze() []*Analysis {
	if r == nil || r.root == nil {
		return nil
	}
	var all []*Analysis
	costs, _ := r.validate(&Options{analyze: true})
	for _, c := range costs {
		if c.analysis == nil {
			continue
		}
		a := c.analysis
		a.RuleCost = c.RuleCost
		all = append(all, a)
	}
	return all
}

// analyze returns the analysis of a rule whose self has type t, or nil if it does not compile.
func (j *validator) analyze(source *plan.Rule, n *plan.Node, t *types.SchemaType) *Analysis {
	c := j.programs
	a := &Analysis{Node: n, Passed: map[*plan.Node][]string{}, Multiplies: slices.Clone(j.around), programs: c, typ: t}
	var err error
	if a.rule, err = c.check(expression{source.Rule, false, optional(source)}, t, false); err != nil {
		return nil
	}
	if source.MessageExpression != "" {
		a.message, _ = c.check(expression{source.MessageExpression, true, optional(source)}, t, false)
	}
	seen := map[*plan.Node]bool{}
	told := &estimate.Survey{
		Sized: func(t *types.SchemaType) {
			if t.Bounded() && !seen[t.Node()] {
				seen[t.Node()] = true
				a.Sizes = append(a.Sizes, t.Node())
			}
		},
		Costs: func(*ast.Expr, uint64) { a.Steps++ },
		Passed: func(function string, t *types.SchemaType) {
			if n := t.Node(); n != nil && n.SizeKeyword() == "maxLength" && !slices.Contains(a.Passed[n], function) {
				a.Passed[n] = append(a.Passed[n], function)
			}
		},
	}
	c.estimator.With(told)
	c.estimator.Cost(a.rule.AST, t)
	if a.message != nil {
		c.estimator.Cost(a.message.AST, t)
	}
	a.Part, a.PartCost = a.mostExpensive(nil)
	if j.kept += a.Steps; j.kept > maxAnalyzed {
		a.rule, a.message, a.Steps = nil, nil, math.MaxInt
	}
	return a
}

// maxAnalyzed limits the parts of all expressions of a schema that analyses keep: some hundred megabytes.
const maxAnalyzed = 300_000

// mostExpensive returns the part of the rule that costs most with other bounds, and its cost in one evaluation.
func (a *Analysis) mostExpensive(bounds map[*plan.Node]int64) (part string, cost uint64) {
	s := survey{costs: map[int64]uint64{}, turns: map[int64]uint64{}}
	estimator := &a.programs.estimator
	estimator.With(&estimate.Survey{
		Bounds: bounds,
		Costs:  func(e *ast.Expr, cost uint64) { s.costs[e.ID()] = cost },
		Turns:  func(e *ast.Expr, turns uint64) { s.turns[e.ID()] = turns },
	})
	defer estimator.With(nil)
	estimator.Cost(a.rule.AST, a.typ)
	return s.mostExpensive(a.rule.AST.Expr())
}

// PartWith returns Part and PartCost for other bounds, which are as in [Analysis.EstimateWith].
func (a *Analysis) PartWith(bounds map[*plan.Node]int64) (part string, cost uint64) {
	if a.rule == nil {
		return "", math.MaxUint64
	}
	a.programs.lock()
	defer a.programs.unlock()
	return a.mostExpensive(bounds)
}

// EstimateWith returns [RuleCost.Estimate] and [RuleCost.MessageCost] for other bounds of nodes in Sizes and
// Multiplies: the values of maxLength, maxItems or maxProperties. Nodes that are not in bounds keep their own. bounds
// is not modified.
func (a *Analysis) EstimateWith(bounds map[*plan.Node]int64) (rule, message uint64) {
	if a.rule == nil {
		return math.MaxUint64, math.MaxUint64
	}
	c := a.programs
	c.lock()
	defer c.unlock()
	c.estimator.With(&estimate.Survey{Bounds: bounds})
	defer c.estimator.With(nil)
	values, bounded := uint64(1), true
	for _, n := range a.Multiplies {
		most, ok := bounds[n]
		if !ok {
			most, bounded = n.MaxSize(), bounded && n.Sized()
		}
		values = estimate.Times(values, uint64(max(most, 0)))
	}
	if !bounded {
		values = refusal.MaxBody / (a.typ.Min() + 1)
	}
	rule = estimate.Times(c.estimator.Cost(a.rule.AST, a.typ), values)
	if a.message != nil {
		message = c.estimator.Cost(a.message.AST, a.typ)
	}
	return rule, message
}

// A survey has the costs of the parts of an expression, and the number of iterations of its loops, by their ids.
type survey struct{ costs, turns map[int64]uint64 }

// mostExpensive returns the smallest part of e that has most of its cost, and that cost.
func (s *survey) mostExpensive(e *ast.Expr) (string, uint64) {
	times1 := uint64(1)
	for {
		var next *ast.Expr
		best, factor := uint64(0), uint64(1)
		consider := func(part *ast.Expr, n uint64) {
			if cost := estimate.Times(s.costs[part.ID()], n); cost > best {
				next, best, factor = part, cost, n
			}
		}
		switch e.Kind() {
		case ast.CallKind:
			if e.AsCall().IsMemberFunction() {
				consider(e.AsCall().Target(), 1)
			}
			for _, arg := range e.AsCall().Args() {
				consider(arg, 1)
			}
		case ast.SelectKind:
			consider(e.AsSelect().Operand(), 1)
		case ast.ListKind:
			for _, part := range e.AsList().Elements() {
				consider(part, 1)
			}
		case ast.ComprehensionKind:
			c := e.AsComprehension()
			consider(c.IterRange(), 1)
			consider(c.AccuInit(), 1)
			consider(c.LoopStep(), s.turns[e.ID()])
			consider(c.Result(), 1)
		}
		if next == nil || best < s.costs[e.ID()]/2 || best == math.MaxUint64 && s.costs[next.ID()] < 2 {
			return exprText(e), estimate.Times(s.costs[e.ID()], times1)
		}
		e, times1 = next, estimate.Times(times1, factor)
	}
}

// exprText returns e as a readable expression, which is not exactly the text that was parsed.
func exprText(e *ast.Expr) string {
	var b strings.Builder
	write(&b, e)
	return b.String()
}
