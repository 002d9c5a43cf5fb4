package sample

// maxWork bounds what a Maker without a budget does, in steps of roughly 100 ns. It takes about two seconds. Definitions
// that people write need much less.
const maxWork = 24_000_000

// The steps of a request, beside those for its values; of making a rule ready to be evaluated by itself; and of a value
// that is kept in the result, which bound its memory.
const (
	requestSteps = 100
	ruleSteps    = 10_000
	keptSteps    = 10
)

// valuesPerTrial is how many values cost a trial of a budget, if one object has that many.
const valuesPerTrial = 500

// charge counts work with a value of that weight.
func (m *Maker) charge(weight int) {
	if m.Budget != nil {
		*m.Budget -= weight / valuesPerTrial
	}
	m.work += weight
}

// exhausted reports whether no work is left. Then searches end with the best result so far.
func (m *Maker) exhausted() bool {
	if m.Budget != nil {
		return *m.Budget < 0
	}
	return m.checks > maxChecks || m.work > maxWork
}

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

// Work returns what has been done, for tests.
func (m *Maker) Work() int { return m.work }
