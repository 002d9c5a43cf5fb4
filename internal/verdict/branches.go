package verdict

import (
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
)

// branchesOK reports whether v satisfies the combinators of a node, which may be nil (VAL-060 to VAL-064).
func branchesOK(c *plan.Combinators, v any, work *int) bool {
	if c == nil {
		return true
	}
	if len(c.AnyOf) > 0 && FirstValid(c.AnyOf, v, work) < 0 {
		return false
	}
	if len(c.OneOf) > 0 && CountValid(c.OneOf, v, work) != 1 {
		return false
	}
	for _, n := range c.AllOf {
		if !BranchOK(n, v, work) {
			return false
		}
	}
	return c.Not == nil || !BranchOK(c.Not, v, work) && *work > 0
}

// The cost of validating a branch, in steps: a constant, and one step for each sizePerStep of the size that it visits.
const (
	branchWork  = 4
	sizePerStep = 32
)

// BranchOK reports whether v is valid for a branch of a combinator. work is [jsonval.Budget.Work].
func BranchOK(n *plan.Node, v any, work *int) bool {
	if *work -= branchWork; *work <= 0 {
		return false
	}
	w := walker{Budget: jsonval.Budget{Size: jsonval.MaxSize, Work: *work}}
	ok := w.value(n, v, mode(Schema))
	*work = w.Work - (jsonval.MaxSize-w.Size)/sizePerStep
	return ok && *work > 0
}

// FirstValid returns the index of the first branch for which v is valid, or -1. work is [jsonval.Budget.Work].
func FirstValid(branches []*plan.Node, v any, work *int) int {
	for i, n := range branches {
		if BranchOK(n, v, work) {
			return i
		}
	}
	return -1
}

// CountValid returns the number of branches for which v is valid. work is [jsonval.Budget.Work].
func CountValid(branches []*plan.Node, v any, work *int) int {
	valid := 0
	for _, n := range branches {
		if BranchOK(n, v, work) {
			valid++
		}
	}
	return valid
}
