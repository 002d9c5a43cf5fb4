// Package clientlibs has no code but one test: that an operator's tests build and pass with crdtest together with
// controller-runtime and the client libraries of each Kubernetes version that is in use.
//
// # Files
//
// The module has a go.mod for each of these versions: go.mod itself for the newest, k8s-1.33.mod to k8s-1.36.mod for
// the others, each with its sums beside it. The same test runs with each, and the import path of the library is that of
// the checkout:
//
//	./run            # all five
//	./run 1.33 1.36  # some
//
// # What it proves
//
// The library imports nothing from k8s.io, so no version of that can conflict. But both need cel-go, sigs.k8s.io/json
// and sigs.k8s.io/yaml, and a build has one version of each. So the test links what an operator links: its API types,
// the scheme, the client, the webhooks and the manager with its protected metrics, which depend on k8s.io/apiserver and
// thus on cel-go.
package clientlibs
