// Package price has what the static cost of a function call is computed with: sizes, and the operands of the call.
//
// A [Function] returns the most that a call can cost, and the size of its result. Package eval has one for each function that does not cost
// 1, beside the function itself. Package estimate calls them.
//
// Clauses: CES-001, CES-002, CES-023, CES-050 to CES-054.
package price
