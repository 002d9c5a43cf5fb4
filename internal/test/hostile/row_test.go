package hostile

import "slices"

// A row is a hostile input.
type row struct {
	name   string // of the input, for people: "pattern: 6,000 groups in a schema"
	n      int    // its full size, in a unit of its own
	linear bool   // the time that the call takes grows with n and not faster
	timed  bool   // the answer depends on how long the call takes, which other work on the machine makes longer

	// setup makes the input of size n and returns the call, whose answer is a short text. Only the call is measured,
	// but the process is limited as a whole.
	setup func(n int) (call func() string)

	want string // part of the answer, at the full size; a smaller size may be answered otherwise
}

// rows has all of them.
var rows = slices.Concat(
	patternRows, ruleRows, documentRows, valueRows, settledRows, errorRows, definitionRows, requestRows, webhookRows, serverRows, applyRows, costRows, compatRows,
)
