// Mutate shows that the tests of package unittest notice changes of its CustomResourceDefinition. It makes mutations of
// the definition, one at a time, runs the tests against each, and prints which of them fail first.
//
//	go run ./examples/unittest/mutate
//
// It exits with 1 if all tests pass in spite of a mutation.
package main
