// Package estimate computes the static cost of a rule: an upper bound for the cost of one evaluation, from the limits
// in the schema.
//
//	e := estimate.Estimator{Functions: eval.StaticCost}
//	cost := e.Cost(checked, self)
//
// A server refuses rules whose estimate is too high, so the result has to equal the server's exactly. A walk over the
// checked expression determines the maximum size of the value of each node ([types.SchemaType.Size] for values from the
// object), and from these the cost of each call. A [Function] does that for an overload: it gets the operands of a [Call]
// with their sizes. Package eval has them, next to the implementations, so costs do not depend on the version of cel-go.
//
// Paths say where in the schema the value of a node comes from. They share their storage in a way that affects costs;
// see path.
//
// Clauses: CES-001 to CES-074.
package estimate
