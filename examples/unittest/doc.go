// Package unittest is the API package of a small operator, with the tests of its CustomResourceDefinition. It is the
// tutorial for package crdtest. Begin with README.md, then read databases_test.go.
//
// types.go has the Go types for controller-gen, config/crd the generated definition, and testdata golden files.
// reconciler.go is a reconciler, which is tested with a server. The program in mutate shows that the tests notice
// changes of the definition.
package unittest
