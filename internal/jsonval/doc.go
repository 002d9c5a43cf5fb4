// Package jsonval copies, compares, normalizes and describes the values in objects. Only this package knows which Go
// types represent JSON numbers.
//
// # Values
//
// A value is nil, bool, int64, float64, string, []any or map[string]any, as an API server's decoder produces it
// (GEN-001). A nil map and a nil list count as empty, not as null (GEN-002). Every other Go type is foreign:
// [Normalize] converts foreign numbers to values and refuses other foreign types; each of the other functions documents
// how it handles them.
//
// # Depth and size
//
// A decoder accepts at most [MaxDepth] nested containers (DEC-007). The functions here do not descend further either,
// so a map that contains itself does not overflow the stack. A map that occurs in several places counts in each of
// them: if the total exceeds [MaxSize], the functions stop as well.
//
// # Mutation and aliasing
//
// No function modifies its arguments. [Stored] and [Normalize] are copy-on-write: if there is nothing to change, they
// return the argument and allocate nothing; otherwise the result shares all unchanged parts with it. [Clone] shares no
// map and no list with its argument, with two exceptions: foreign values, which it does not examine, and an argument
// that is too deep, which it returns as it is.
//
// # Parity
//
// Kubernetes 1.37. Clauses GEN-001, GEN-002, DEC-004, DEC-007, DEC-009.
package jsonval
