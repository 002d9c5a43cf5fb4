package compat

import (
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/sample"
)

// Everything that a comparison does counts towards [Options.Effort], in requests, or towards a number of proof steps
// that is proportional to it. So the work is bounded, and the same arguments give the same report on every machine.

// One request costs as much effort as each of these.
const (
	ruleCostPerRequest = 1_000 // cost units of rules
	valuesPerRequest   = 100   // values in an object
	branchesPerRequest = 20    // branches of combinators
)

// stepsPerRequest is how many proof steps a comparison may take for each request that it may make.
const stepsPerRequest = 50

// Limits of one search for an object.
const (
	baseEffort = 700  // for an object that has a value somewhere
	ruleEffort = 1500 // for an object that breaks a rule
)

// limit reduces the remaining effort to at most that much, and returns the rest, which restore adds again.
func (c *comparer) limit(effort int) (rest int) {
	rest = max(c.effort-effort, 0)
	c.effort -= rest
	return rest
}

func (c *comparer) restore(rest int) { c.effort = max(c.effort, 0) + rest }

// proofState is shared by all proofs of a comparison.
type proofState struct {
	steps          int                   // that are left
	canonicalTexts map[*plan.Node]string // a cache of canonical
	weights        sample.Weights
}

// spend takes steps, and reports whether there were enough left.
func (p *proofState) spend(steps int) bool {
	p.steps -= steps
	return p.steps >= 0
}

// limit returns steps, or the number of those that are left if it is smaller.
func (p *proofState) limit(steps int) int {
	return max(min(steps, p.steps), 0)
}

// tryCost returns the effort of checking one value against f, without its fields and items.
func (f *facts) tryCost() int {
	cost := 0
	for _, n := range f.given {
		cost += f.loc.proofs.weights.Of(n)
	}
	return cost / branchesPerRequest
}
