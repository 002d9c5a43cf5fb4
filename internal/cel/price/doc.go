// Package price has what functions need to compute the static cost of a call: sizes, and the operands of the call.
//
// A [Function] returns the maximum cost of a call, and the size of its result. Package eval has one for each function
// that does not cost 1, next to its implementation. Package estimate calls them.
//
// Clauses: CES-001, CES-002, CES-023, CES-050 to CES-054.
package price
