// Package estimate computes the static cost of a rule: an upper bound for the cost of one evaluation, from the limits
// in the schema.
//
//	cost := new(estimate.Estimator).Cost(checked, self)
//
// A server refuses rules whose estimate is too high, so the result has to equal the server's exactly. A walk over the
// checked expression determines the maximum size of the value of each node ([types.SchemaType.Size] for values from the
// object), and from these the cost of each call. Package eval has the cost of each function next to its implementation,
// so costs do not depend on the version of cel-go.
//
// Paths say where in the schema the value of a node comes from. They share their storage in a way that affects costs;
// see path.
//
// Clauses: CES-001 to CES-074.
package estimate
