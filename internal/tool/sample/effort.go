package sample

// maxWork bounds what a Maker without a budget does, in steps of roughly 100 ns. It takes about two seconds. Definitions
// that people write need much less.
const maxWork = 20_000_000

// The steps of a request, beside those for its values, and of making a rule ready to be evaluated by itself; of a value
// that is made, of one that is kept in the result, and of one in a list whose items must differ.
const (
	requestSteps = 100
	ruleSteps    = 10_000
	// For each level at which the rule, or the constraint, is.
	ruleDepthSteps = 500
	depthSteps     = 50
	pathSteps      = 5 // for each byte of the path of an error
	keptSteps      = 10
	valueSteps     = 10
	differSteps    = 10
)

// With a budget, a Maker may do at most maxBudgetedWork, and each stepsPerTrial of it cost a trial.
const (
	maxBudgetedWork = 10_000_000
	stepsPerTrial   = 2_000
)

// charge counts work.
func (m *Maker) charge(steps int) {
	steps = min(steps, maxWork)
	m.work = min(m.work+steps, 2*maxWork)
	if m.Budget != nil {
		m.unpaid += steps
		*m.Budget -= m.unpaid / stepsPerTrial
		m.unpaid %= stepsPerTrial
	}
}

// chargeValue counts work with a value of a weight, which takes so many steps for each value in it. With a budget, which
// is for ordinary objects, large values take more.
func (m *Maker) chargeValue(steps, weight int) {
	if m.Budget != nil {
		weight += largeFactor * max(weight-largeWeight, 0)
	}
	m.charge(steps * weight)
}

// The weight from which a value is large.
const (
	largeWeight = 500
	largeFactor = 4
)

// exhausted reports whether no work is left. Then searches end with the best result so far.
func (m *Maker) exhausted() bool {
	if m.Budget != nil {
		return *m.Budget < 0 || m.work > maxBudgetedWork
	}
	return m.checks > maxChecks || m.work > maxWork
}

// Exhausted reports whether no work is left, so that nothing more is found.
func (m *Maker) Exhausted() bool { return m.exhausted() }

// maxWeight bounds a value that is made. Lists in lists, each of which must have some items, would grow exponentially.
const maxWeight = 200_000

// weigh returns the number of values in v, itself included, in which a long text counts as several. It does not count
// far beyond maxWeight.
func weigh(v any) int {
	n := 1
	switch x := v.(type) {
	case map[string]any:
		for _, w := range x {
			if n += weigh(w); n > maxWeight {
				break
			}
		}
	case []any:
		for _, w := range x {
			if n += weigh(w); n > maxWeight {
				break
			}
		}
	case string:
		n += len(x) / 64
	}
	return n
}

// Work returns what has been done, in steps.
func (m *Maker) Work() int { return m.work }

// Continue counts the work of another Maker as that of m: what both do together is bounded.
func (m *Maker) Continue(work int) { m.charge(work) }
