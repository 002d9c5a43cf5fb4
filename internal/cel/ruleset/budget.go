package ruleset

import (
	"fmt"

	"github.com/crdkit/crdkit/internal/plan"
)

// This file has the budgets of rules at run time, and the errors of rules that exceed them. Static limits are in limits.go; the bounds on
// work that costs nothing are in internal/cel/eval.

// What all rules of an object may cost, and what one evaluation may.
const (
	serverBudget = 10_000_000
	callLimit    = 1_000_000
)

// The texts of what ends a walk.
const (
	outOfBudget        = "validation failed due to running out of cost budget, no further validation rules will be run"
	messageOutOfBudget = "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run"
)

func overLimit(r *plan.Rule) string {
	return "'operation cancelled: actual cost limit exceeded': " +
		"no further validation rules will be run due to call cost exceeds limit for rule: " + named(r)
}

func messageOverLimit(r *plan.Rule) string {
	return fmt.Sprintf("no further validation rules will be run due to call cost exceeds limit for messageExpression: %q", r.MessageExpression)
}
