// Package controllerruntime connects controller-runtime with this library, for the tests of operators. [Start] is for
// suites that use envtest: it starts their environment without envtest's binaries. [Config] is for clients and managers
// that use a [server.Server] without a network. [Interceptor] makes controller-runtime's fake
// client answer like a Kubernetes API server. [Converter] converts objects by the Hub and Convertible types of an
// operator. The package is a separate module, so that crdkit itself does not depend on client-go.
//
//	cfg := controllerruntime.Start(t, env) // instead of cfg, err := env.Start()
//
//	s := servertest.Serve(t, crdtest.Load(t, "config/crd/bases/*.yaml"))
//	mgr, err := ctrl.NewManager(controllerruntime.Config(s.Server), ctrl.Options{Scheme: scheme})
//
//	c := fake.NewClientBuilder().WithScheme(scheme).WithStatusSubresource(&v1.Widget{}).
//		WithInterceptorFuncs(controllerruntime.Interceptor(reg)).Build()
//
// Config supports all features of package server: watches, finalizers, garbage collection, conflicts, webhooks.
// Interceptor is for tests that already use the fake client: it prunes, defaults and validates custom objects, with
// ratcheting, and sets their generation.
//
// # Versions
//
// The module works with the controller-runtime of the last three minor versions of Kubernetes: 0.23, 0.24 and 0.25. Its
// go.mod has the oldest, and a build uses the one that the operator requires.
package controllerruntime
