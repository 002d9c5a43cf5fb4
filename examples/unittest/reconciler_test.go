package unittest

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crdtest"
	"github.com/crdkit/crdkit/crdtest/servertest"
)

const orders = `
apiVersion: example.com/v1
kind: Database
metadata: {name: orders, namespace: shop}
spec: {storage: {size: 10Gi}, replicas: 2}`

// The reconciler, with a server that has the definition: with defaults and validation, owner references and server-side
// apply.
func TestReconciler(t *testing.T) {
	s := servertest.Serve(t, crdtest.Load(t, "config/crd/*.yaml"), orders)
	r := &Reconciler{Client: s.Client(), Server: "http://server"}
	reconciled := func() *Database {
		require.NoError(t, r.Reconcile(t.Context(), "shop", "orders"))
		db := new(Database)
		require.NoError(t, r.do(t.Context(), http.MethodGet, "/apis/example.com/v1/namespaces/shop/databases/orders", "", nil, db))
		return db
	}
	require.Equal(t, DatabaseStatus{Phase: "Pending"}, reconciled().Status)

	// The test does the work of the StatefulSet controller.
	const sets = "/apis/apps/v1/namespaces/shop/statefulsets/orders"
	var set map[string]any
	ready := map[string]any{"status": map[string]any{"readyReplicas": 2}}
	require.NoError(t, r.do(t.Context(), http.MethodPatch, sets+"/status", "application/merge-patch+json", ready, &set))
	require.EqualValues(t, 2, set["spec"].(map[string]any)["replicas"])
	require.Equal(t, DatabaseStatus{Phase: "Ready", ReadyReplicas: 2}, reconciled().Status)

	// Deleting the Database deletes the StatefulSet.
	require.NoError(t, r.do(t.Context(), http.MethodDelete, "/apis/example.com/v1/namespaces/shop/databases/orders", "", nil, &set))
	require.Eventually(t, func() bool { return r.do(t.Context(), http.MethodGet, sets, "", nil, &set) != nil }, 10*time.Second, time.Millisecond)
}
