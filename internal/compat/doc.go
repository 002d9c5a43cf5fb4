// Package compat holds one test, and no code: an operator's tests build and pass with crdtest beside controller-runtime
// and the client libraries of each Kubernetes version that is in use.
//
// # What there is
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
// The library imports nothing of k8s.io, so that no version of it can be in the way; but both sides need cel-go,
// sigs.k8s.io/json and sigs.k8s.io/yaml, and a build has one version of each. The test therefore links what an operator
// links: its API types, the scheme, the client, the webhooks and the manager with its protected metrics, which bring
// k8s.io/apiserver and what that makes of cel-go.
package compat
