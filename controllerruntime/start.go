package controllerruntime

import (
	"testing"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/crdkit/crdkit/server"
)

// Start starts env without its binaries: with a [server.Server] in this process in place of etcd and kube-apiserver. It
// installs the definitions and webhooks of env, as env.Start does, and sets env.Config, which it also returns. Both end
// with the test; env.Stop may be called before.
//
//	env := &envtest.Environment{CRDDirectoryPaths: []string{"config/crd/bases"}}
//	cfg := controllerruntime.Start(t, env) // instead of cfg, err := env.Start()
//
// As with envtest's binaries, there are no controllers: garbage is not collected, and namespaces that are deleted stay
// Terminating. Stored roles and bindings decide what impersonated users and ServiceAccounts may do; cfg may do
// everything. Environment.ControlPlane, AddUser and flags of the binaries are not used. The test's log says once for
// each kind of request what kube-apiserver would have answered differently. If env does not start, the test fails.
func Start(t testing.TB, env *envtest.Environment) *rest.Config {
	t.Helper()
	s, err := server.New(t.Context(), server.Options{
		KeepGarbage: true, KeepNamespaces: true, RBAC: true,
		Requests:    10_000, // no client of a test is hostile
		Unsupported: func(text string) { t.Logf("kube-apiserver would answer otherwise: %s", text) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	existing := true
	env.UseExistingCluster, env.Config = &existing, Config(s)
	cfg, err := env.Start()
	if err != nil {
		t.Fatalf("controllerruntime: cannot start the environment: %v", err)
	}
	t.Cleanup(func() {
		if err := env.Stop(); err != nil {
			t.Error(err)
		}
	})
	return cfg
}
