package ruleset

import (
	"fmt"

	"github.com/crdkit/crdkit/internal/plan"
)

// This file has the run-time budgets of rules, and the errors of rules that exceed them. Static limits are in
// limits.go. The limits on work that costs nothing in a server are in internal/cel/eval.

// The cost limits of all rules of an object, and of one evaluation.
const (
	serverBudget = 10_000_000
	callLimit    = 1_000_000
)

// The texts of the errors that end a walk.
const (
	outOfBudget        = "validation failed due to running out of cost budget, no further validation rules will be run"
	messageOutOfBudget = "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run"
)

func overLimit(r *plan.Rule) string {
	return "'operation cancelled: actual cost limit exceeded': " +
		"no further validation rules will be run due to call cost exceeds limit for rule: " + nameOf(r)
}

func messageOverLimit(r *plan.Rule) string {
	return fmt.Sprintf("no further validation rules will be run due to call cost exceeds limit for messageExpression: %q", r.MessageExpression)
}
