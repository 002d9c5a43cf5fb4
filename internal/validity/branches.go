package validity

import (
	"slices"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
)

// Combined reports whether a value satisfies c, which may be nil (VAL-060 to VAL-064). valid reports whether the value
// is valid for a branch.
func Combined(c *plan.Combinators, valid func(*plan.Node) bool) bool {
	return c == nil ||
		(len(c.AnyOf) == 0 || slices.ContainsFunc(c.AnyOf, valid)) &&
			(len(c.OneOf) == 0 || countValid(c.OneOf, valid) == 1) &&
			!slices.ContainsFunc(c.AllOf, func(n *plan.Node) bool { return !valid(n) }) &&
			(c.Not == nil || !valid(c.Not))
}

// countValid returns the number of valid branches.
func countValid(branches []*plan.Node, valid func(*plan.Node) bool) (count int) {
	for _, n := range branches {
		if valid(n) {
			count++
		}
	}
	return count
}

// branchesOK is [Combined] for v. work is [jsonval.Budget.Work].
func branchesOK(c *plan.Combinators, v any, work *int) bool {
	return c == nil ||
		Combined(c, func(n *plan.Node) bool { return branchOK(n, v, work) }) && (c.Not == nil || *work > 0)
}

// The cost of validating a branch, in steps: branchWork, plus one step for each sizePerStep of size that is visited.
const (
	branchWork  = 4
	sizePerStep = 32
)

// branchOK reports whether v is valid for a branch of a combinator. work is [jsonval.Budget.Work].
func branchOK(n *plan.Node, v any, work *int) bool {
	if *work -= branchWork; *work <= 0 {
		return false
	}
	w := walker{Budget: jsonval.Budget{Size: jsonval.MaxSize, Work: *work}}
	ok := w.value(n, v, mode(Schema))
	*work = w.Work - (jsonval.MaxSize-w.Size)/sizePerStep
	return ok && *work > 0
}
