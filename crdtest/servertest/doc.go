// Package servertest starts a Kubernetes API server in a test: package server with the definitions of a [crdtest.Set], for reconcilers and
// other programs that talk to one. It takes milliseconds, and needs no binaries.
//
//	func TestReconciler(t *testing.T) {
//		crds := crdtest.Load(t, "../../config/crd/bases/*.yaml")
//		s := servertest.Serve(t, crds, `
//	apiVersion: demo.example.com/v1
//	kind: Widget
//	metadata: {name: a, namespace: shop}
//	spec: {size: 3}`)
//
//		client := s.Client()          // without a network
//		kubeconfig := s.Kubeconfig()  // for clients that want a kubeconfig, or another process
//		s.Advance(time.Hour)          // the clock is the test's
//	}
//
// The server ends with the test, and leaves no goroutine, no port and no file. Tests may run in parallel, each with a server of
// its own.
//
// This package is separate from crdtest because it links net/http, which tests of definitions do not need.
//
// # Differences from a cluster
//
// If a cluster would have answered otherwise, the test's log says so, once for each kind of request: for kinds that the server does not
// serve, and for verbs that it does not support. Package server lists what it has.
package servertest
