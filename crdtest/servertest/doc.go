// Package servertest starts a Kubernetes API server in a test: package server with the definitions of a [crdtest.Set],
// for tests of reconcilers and other clients. It starts in milliseconds, and needs no binaries.
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
//		kubeconfig := s.Kubeconfig()  // for clients that need a kubeconfig, or for another process
//		s.Advance(time.Hour)          // the test controls the clock
//	}
//
// The server ends with the test, and leaves no goroutines, ports or files behind. Tests may run in parallel, each with
// its own server.
//
// This package is separate from crdtest because it links net/http, which tests of definitions do not need.
//
// # Differences from a cluster
//
// If a cluster would have answered a request differently, the test's log has a message about it, once for each kind of
// request. This is the case for kinds that the server does not serve, and for built-in kinds, which it does not
// validate. Package server lists its features.
package servertest
