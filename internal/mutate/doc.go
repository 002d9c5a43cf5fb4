// Mutate asks whether the tests notice when the code is wrong. It makes a fixed set of mutations of the library's packages, one at a time,
// runs the tests that could notice each, and prints the mutations that no test notices.
//
//	go run ./internal/mutate
//
// A mutation is one small change: a negated condition, < instead of <=, a number that is off by one, a statement or a case that is missing.
// The tests of the mutated package run first, then those of the packages that depend on it. No file of the checkout changes: each mutated
// file is an overlay of the build.
//
// The seed decides which mutations are made. Each is ranked by a hash of the seed, its function and its text, not by its line, so that a
// change of the code replaces few of them.
//
// Mutate exits with 1 if fewer than 96 of 100 mutations are noticed, or if one survives that is not in the list of equivalent mutations
// in equivalents.go, which change nothing that a test could see.
package main
