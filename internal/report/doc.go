// Package report reports the parts of a value that violate its schema, with a server's texts. It is the walk behind
// package validate, and behind package ratchet, with which an update may keep existing errors.
//
// The walk is for values that package verdict has found invalid. It enters only the failing parts, which it finds with
// verdict, and renders a path only for an error.
//
// With an old value ([Update]) the walk has a correlate.Pair for each value with a counterpart. A server validates
// everything and then drops the errors of each value that is equal to its counterpart (RAT-004). That is equivalent to
// one check at the place of an error: whether the innermost enclosing counterpart is equal (RAT-005). This walk makes
// the check before it adds an error. Nothing is compared where nothing fails.
package report
