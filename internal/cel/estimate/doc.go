// Package estimate finds the static cost of a rule: the most that one evaluation can cost, from the limits that the schema sets.
//
//	cost := estimate.Cost(checked, self)
//
// A server refuses rules whose estimate is too high, so the number has to be the server's to the last digit. It is found by a walk over
// the checked expression that knows for each part how large its value can be ([declare.Type.Size] for what comes from the object), and
// so what each call costs. Package eval has the cost of each function beside the function itself, so costs do not change with the version of
// cel-go.
//
// Parts of an expression know where in the schema they come from by paths. These share their storage in a way that decides costs; see
// path.
//
// Clauses: CES-001 to CES-063.
package estimate
