package compat

import (
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/sample"
)

// proofSteps is how many steps of proofs come with a judged request.
const proofSteps = 50

// branchUnit is how many branches of combinators count as one request.
const branchUnit = 20

// costUnit is how much of what rules cost counts as one request, and sizeUnit how many values in an object.
const (
	costUnit = 1_000
	sizeUnit = 100
)

// What one search may take of the effort.
const (
	baseEffort = 700
	ruleEffort = 1500
)

// limit leaves no more than most of the effort, and returns what restore gives back.
func (c *comparer) limit(most int) int {
	rest := max(c.effort-most, 0)
	c.effort -= rest
	return rest
}

func (c *comparer) restore(rest int) { c.effort = max(c.effort, 0) + rest }

// Proofs are what all proofs of a comparison share. nil stands for one without limits.
type proofState struct {
	steps          int                   // how many steps they may still take
	canonicalTexts map[*plan.Node]string // see canonical
	weights        sample.Weights
}

// spend takes steps, and reports whether there were any left.
func (p *proofState) spend(steps int) bool {
	if p == nil {
		return true
	}
	p.steps -= steps
	return p.steps >= 0
}

// most returns how many of some steps may be taken.
func (p *proofState) limit(steps int) int {
	if p == nil {
		return steps
	}
	return max(min(steps, p.steps), 0)
}

// trial is what it takes of the effort to ask f about a value, without what is beneath.
func (f *facts) tryCost() int {
	cost := 0
	for _, n := range f.given {
		cost += f.loc.proofs.weights.Of(n)
	}
	return cost / branchUnit
}
