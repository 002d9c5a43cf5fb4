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
// The server ends with the test, and leaves nothing behind: no goroutine, no port, no file. Tests may run in parallel, each with a server of
// its own.
//
// This package is apart from crdtest because it links net/http, which tests of definitions alone do not need.
//
// # What is not like a cluster
//
// The test's log says so, once for each kind of request, where a cluster would have answered otherwise: for kinds that the server does not
// have, and for verbs that it does not know. Package server says what it has.
package servertest
