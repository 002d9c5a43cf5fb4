// Package report reports the parts of a value that violate its schema, with a server's texts. It is the walk behind
// package validate, and behind package ratchet, with which an update may keep existing errors.
//
// The walk is for values that package verdict has found invalid. It asks verdict which parts fail, enters only these,
// and renders a path only for an error.
//
// With an old value ([Update]) the walk has a plan.Pair for each value with a counterpart. A server validates
// everything and then drops the errors of each value that is equal to its counterpart (RAT-004). It is equivalent to
// compare, at each error, the innermost enclosing value that has a counterpart (RAT-005). This walk does that before it
// adds an error, so valid parts are never compared.
package report
