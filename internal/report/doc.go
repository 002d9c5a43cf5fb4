// Package report says what in a value breaks the keywords of its schema, in a server's words: the walk behind package validate, and
// behind package ratchet, where an update may keep what was already wrong.
//
// The walk is for values that package verdict has found invalid. It enters only the parts that fail, asking verdict again at each, and
// renders a path only for an error.
//
// With an old value ([Update]) the walk carries a correlate.Pair beside each value that has a counterpart. What a server does is to
// validate everything and then to drop the errors of each such value that is equal to its counterpart (RAT-004); that comes down to
// one question at the place of an error, whether the innermost counterpart around it is equal (RAT-005), and this walk asks it before
// it writes anything down. Nothing is compared where nothing fails.
package report
