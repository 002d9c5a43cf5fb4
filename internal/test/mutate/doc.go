// Mutate checks whether the tests fail when the code is wrong. It makes a fixed set of mutations of the library's
// packages, one at a time, runs the tests that could notice each, and prints the mutations that no test notices.
//
//	go run ./internal/test/mutate
//
// A mutation is one small change: a negated condition, < instead of <=, a number that is off by one, a missing
// statement or case. The tests of the mutated package run first, then those of the packages that depend on it. No file
// of the checkout changes: mutated files are passed as build overlays.
//
// The seed determines which mutations are made. They are ordered by a hash of the seed, their function and their text,
// not their line, so a change of the code replaces only a few of them.
//
// Mutate exits with 1 if fewer than 96 of 100 mutations are noticed, or if one survives that is not in the list of
// equivalent mutations in equivalents.go, which no test could notice.
package main
