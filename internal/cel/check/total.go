package check

import (
	"errors"
	"sync/atomic"
)

// The work that type checks may take. The size of types may double with each link of a chain of calls, so that a server
// is busy for years with a text of 1,000 bytes. Here such a text is an error.

// maxSteps is the limit of the steps of one check, which take some tenths of a second. A step is a part of a type that
// is visited.
const maxSteps = 1 << 25

// Other work in steps.
const (
	stepsOfType = 32 // a new type; so the types of one check take 100 MB at most
	stepsOfByte = 4  // a byte of a type's name in an error; so the names take 8 MB at most
)

// maxTotal is the limit of all expressions of a definition together, in units of about 100 ns. Expressions after the
// one that exceeds it are refused.
const maxTotal = 30_000_000

// maxWork is the limit of the work for all versions for which a definition is checked.
const maxWork = maxTotal + maxTotal/3

// Work that counts towards these limits, in the same unit.
const (
	parserWork  = 500 // parsing a text with positions
	byteWork    = 60  // and a byte of it
	textWork    = 5   // this package's check, and the estimate, of a byte of the text
	stepsOfWork = 10  // so many steps are one unit
)

var (
	errTooMuch      = errors.New("ERROR: <input>:-1:0: expression would take too long to type-check")
	errTooMuchTotal = errors.New(
		"ERROR: <input>:-1:0: the expressions of the definition would take too long to type-check")
)

// A Total is the work of checking the expressions of one definition for one version. The zero value is no work. It is
// safe for concurrent use.
type Total struct {
	spent atomic.Uint64
	work  *Work
}

// A Work is the work that is done for several totals. It may be less than their sum: if the check of an expression has
// the same result for several versions, it is done once. The zero value is no work. It is safe for concurrent use.
type Work struct{ done atomic.Uint64 }

// NewTotal returns a Total whose work also counts towards w.
func NewTotal(w *Work) *Total { return &Total{work: w} }

// spend adds to the total. Above the limit it does not grow further.
func (t *Total) spend(n uint64) {
	if t.Exhausted() {
		return
	}
	t.spent.Add(n)
	if t.work != nil {
		t.work.done.Add(n)
	}
}

// spendSteps adds steps of a check. If they are more than steps returned, the limit is exceeded.
func (t *Total) spendSteps(n int) { t.spend(uint64(n+stepsOfWork-1) / stepsOfWork) }

// SpendText adds the work of checking and estimating an expression, by its length.
func (t *Total) SpendText(text string) { t.spend(textWork * uint64(len(text))) }

// Spent returns the work so far.
func (t *Total) Spent() uint64 { return t.spent.Load() }

// Reuse adds n, the work of a check whose result is used again, to the total but not to the [Work]. It returns an error
// if the check would have exceeded the limit of the total.
func (t *Total) Reuse(n uint64) error {
	if !t.Exhausted() {
		t.spent.Add(n)
	}
	if t.Exhausted() {
		return errTooMuchTotal
	}
	return nil
}

// Exhausted reports whether a limit is exceeded. All further checks are errors.
func (t *Total) Exhausted() bool {
	return t.spent.Load() > maxTotal || t.work != nil && t.work.done.Load() > maxWork
}

// steps returns the maximum number of steps of the next check.
func (t *Total) steps() int {
	left := maxTotal - min(t.spent.Load(), maxTotal)
	if t.work != nil {
		left = min(left, maxWork-min(t.work.done.Load(), maxWork))
	}
	return int(min(left*stepsOfWork, maxSteps))
}
