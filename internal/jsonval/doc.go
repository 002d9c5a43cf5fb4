// Package jsonval copies, compares, normalizes and describes the values in objects. It is the one place that knows which Go
// types stand for JSON's numbers.
//
// # Values
//
// A value is nil, bool, int64, float64, string, []any or map[string]any, as an API server's decoder gives it (GEN-001). A nil
// map and a nil list count as empty ones, not as null (GEN-002). Every other Go type is foreign: [Normalize] turns the numbers
// among them into values and refuses the rest, and each of the other functions says what it does with them.
//
// # Depth and size
//
// A decoder lets no more than [MaxDepth] containers stand in one another (DEC-007). The functions here go no deeper either, so
// that a map which contains itself ends in an answer, not in an overflow of the stack. A map that stands in several places counts
// in each of them: where that adds up to more than [MaxSize], the functions stop as well.
//
// # Mutation and aliasing
//
// Nothing here modifies its arguments. [Stored] and [Normalize] are copy-on-write: with nothing to change they return the
// argument and allocate nothing, else the result shares all unchanged parts with it. [Clone] shares no map and no list with its argument,
// with two exceptions: foreign values, which it does not look into, and an argument that is too deep, which it returns as it is.
//
// # Parity
//
// Kubernetes 1.37. Clauses GEN-001, GEN-002, DEC-004, DEC-007, DEC-009.
package jsonval
