// Package unittest is the API package of a small operator, and the tests of its CustomResourceDefinition: the tutorial for package
// crdtest. Begin with README.md, then read databases_test.go.
//
// types.go has the Go types as people write them for controller-gen, config/crd what comes of them, and testdata golden files.
// reconciler.go is a reconciler, which is tested with a server. The program
// in mutate shows that the tests notice when the definition changes.
package unittest
