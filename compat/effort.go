package compat

import (
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/internal/tool/sample"
)

// Everything that a comparison does counts towards [Options.Effort], in requests, or towards a number of proof steps
// that is proportional to it. So the work is bounded, and the same arguments give the same report on every machine.

// One request costs as much effort as each of these.
const (
	ruleCostPerRequest = 1_000 // cost units of rules
	valuesPerRequest   = 100   // values in an object
	pathsPerRequest    = 300   // bytes of the paths of errors
	branchesPerRequest = 20    // branches of combinators
)

// stepsPerRequest is how many proof steps a comparison may take for each request that it may make.
const stepsPerRequest = 50

// Limits of one search for an object.
const (
	baseEffort = 700  // for an object that has a value somewhere
	ruleEffort = 1500 // for an object that breaks a rule
)

// reservedEffort is the part of the effort that is reserved for madeObjects: one of so many.
const reservedEffort = 20

// Limits of a comparison that do not depend on [Options.Effort].
const (
	maxPlaces      = 100_000 // schemas that are compared; a deep one counts as several
	placeDepth     = 10      // the number of steps in its path that make it count as one more
	maxFindings    = 10_000
	maxFindingText = 3 << 20 // bytes of paths, texts and witnesses
	maxDefaults    = 200_000 // values that defaults add to an object
	maxKept        = 500_000 // values of objects that are kept for later questions
)

// look reports whether the schemas at a schema path may be compared, and counts them.
func (p *pair) look(x, y *location, schemaPath constraint.Steps) bool {
	if p.c.places -= 1 + len(schemaPath)/placeDepth; p.c.places > 0 && len(schemaPath) <= constraint.MaxDepth {
		return true
	}
	p.skip(x, y, schemaPath)
	return false
}

// skip records that schemas are not compared, unless they are the same.
func (p *pair) skip(x, y *location, schemaPath constraint.Steps) {
	if p.old.prunes != p.now.prunes || len(x.branches)+len(y.branches) > 0 || !sameTree(x.node, y.node) {
		p.c.skip(p.label, schemaPath)
	}
}

// skip records that schemas are not compared.
func (c *comparer) skip(label string, schemaPath constraint.Steps) {
	if c.report.NotCompared++; c.report.NotCompared == 1 {
		c.rankVersion(label)
		c.notLooked = Finding{Version: label, Path: short(schemaPath.String())}
	}
}

// add adds a finding, or counts it if there are too many. The first one of each verdict is always listed.
func (c *comparer) add(f Finding) {
	if c.tooLarge && f.Witness != nil {
		f = Finding{Verdict: Unknown, Request: f.Request, Version: f.Version, Path: f.Path, Check: f.Check, Before: f.Before, After: f.After,
			Detail: "Objects with all their defaults are too large to compare."}
	}
	c.textLeft -= len(f.String())
	if f.Witness != nil {
		c.textLeft -= textSize(f.Witness.Object, 0) + textSize(f.Witness.Stored, 0)
	}
	if (c.textLeft < 0 || len(c.report.Findings) >= maxFindings) && c.verdicts[f.Verdict] {
		c.report.Omitted++
		return
	}
	c.verdicts[f.Verdict] = true
	c.report.Findings = append(c.report.Findings, f)
}

// textSize returns about how many bytes the text of v has, at some depth. Indentation counts where it is more than the
// rest: the text of deep objects is quadratic in their depth.
func textSize(v any, depth int) int {
	n := 8 + max(depth-20, 0)
	switch x := v.(type) {
	case map[string]any:
		for key, w := range x {
			n += len(key) + textSize(w, depth+1)
		}
	case []any:
		for _, w := range x {
			n += textSize(w, depth+1)
		}
	case string:
		n += len(x)
	}
	return n
}

// size returns the number of fields and branches that f is about, which work with it is proportional to.
func (f *facts) size() int {
	if f == nil {
		return 0
	}
	n := 0
	for _, node := range f.nodes {
		n += len(node.Props) + len(node.Required)
	}
	for _, c := range f.combinators {
		n += len(c.branches)
	}
	return n
}

// sizePerRequest is the size of facts that costs as much as a request, for one question, sizePerStep that which costs as
// much as a proof step, and depthPerRequest the square of the number of steps in the path of a question: each step is
// searched for in objects of that depth.
const (
	sizePerRequest  = 200
	sizePerStep     = 3
	depthPerRequest = 500
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
