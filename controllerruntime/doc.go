// Package controllerruntime connects controller-runtime with this library, for the tests of operators: clients and managers of a
// [server.Server] without a network ([Config]), and controller-runtime's fake client with the answers of a Kubernetes API server
// ([Interceptor]). It is a module of its own, so that nobody else links client-go.
//
//	s := servertest.Serve(t, crdtest.Load(t, "config/crd/bases/*.yaml"))
//	mgr, err := ctrl.NewManager(controllerruntime.Config(s.Server), ctrl.Options{Scheme: scheme})
//
//	c := fake.NewClientBuilder().WithScheme(scheme).WithStatusSubresource(&v1.Widget{}).
//		WithInterceptorFuncs(controllerruntime.Interceptor(reg)).Build()
//
// The first has everything that package server has: watches, finalizers, garbage collection, conflicts, webhooks. The second is for tests that
// have the fake client already: it gives custom objects defaults, prunes and validates them, with ratcheting, and counts generations.
package controllerruntime
