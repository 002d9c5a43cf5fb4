package cel_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/cel"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/schema"
)

// What rules say is tested in internal/cel/ruleset; here, that options and results arrive.
func TestRules(t *testing.T) {
	s := compileSchema(`
type: object
properties:
  a: {type: integer, x-kubernetes-validations: [{rule: self > 0}, {rule: self < 9}, {rule: self.b, message: broken}]}
`)
	rules, errs := cel.Compile(s, &cel.Options{Path: "spec.validation", Limit: field.Limit{Errors: 1}})
	require.Len(t, errs, 1)
	require.Equal(t, "spec.validation.properties[a].x-kubernetes-validations[2].rule", errs[0].Field)
	_, errs = cel.Compile(compileSchema("{type: object}"), nil)
	require.Empty(t, errs)

	costs := rules.Costs()
	require.Len(t, costs, 2)
	require.Equal(t, cel.RuleCost{Path: "properties[a]", Index: 1, Cost: costs[1].Cost, Cardinality: 1, Estimate: costs[1].Cost}, costs[1])

	zero, one := map[string]any{"a": int64(0)}, map[string]any{"a": int64(1)}
	result := cel.EvaluateRules(t.Context(), rules, zero, nil, nil)
	require.Equal(t, result, rules.Evaluate(t.Context(), zero, nil, &cel.EvalOptions{}))
	require.Len(t, result.Errors, 2) // of the first rule, and of the one that does not compile
	require.Empty(t, result.Warnings)
	require.Positive(t, result.Cost)
	require.Len(t, rules.Evaluate(t.Context(), one, nil, nil).Errors, 1)
	// One error, and the number of the others.
	require.Len(t, rules.Evaluate(t.Context(), zero, nil, &cel.EvalOptions{Limit: field.Limit{Errors: 1}}).Errors, 2)
	require.Len(t, rules.Evaluate(t.Context(), zero, nil, &cel.EvalOptions{Budget: -1}).Errors, 1)
	ratcheted := rules.Evaluate(t.Context(), zero, zero, &cel.EvalOptions{Ratchet: true})
	require.NotEmpty(t, ratcheted.Warnings)
	require.Equal(t, result.Errors, rules.EvaluateValue(t.Context(), s.Root(), nil, zero, nil, nil).Errors)
}

// A nil *Rules has no rules.
func TestNoRules(t *testing.T) {
	var none *cel.Rules
	obj := map[string]any{"a": int64(1)}
	require.Empty(t, none.Costs())
	require.Zero(t, none.Evaluate(t.Context(), obj, nil, nil))
	require.Zero(t, cel.EvaluateRules(t.Context(), none, obj, nil, nil))
	require.Zero(t, none.EvaluateValue(t.Context(), schema.Node{}, nil, obj, nil, nil))
	rules, errs := cel.Compile(nil, nil)
	require.Empty(t, errs)
	require.Zero(t, rules.Evaluate(t.Context(), obj, nil, nil))
}
