package reconciler

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/crdkit/crdkit/controllerruntime"
	"github.com/crdkit/crdkit/crdtest"
	"github.com/crdkit/crdkit/crdtest/servertest"
)

const home = `
apiVersion: example.com/v1
kind: Site
metadata: {name: home, namespace: web}
spec: {title: Hello}`

var key = client.ObjectKey{Namespace: "web", Name: "home"}

// The reconciler is called by the test, step by step.
func TestReconcile(t *testing.T) {
	s := servertest.Serve(t, crdtest.Load(t, "crd.yaml"), home)
	c, err := client.New(controllerruntime.Config(s.Server), client.Options{Scheme: NewScheme()})
	require.NoError(t, err)
	r := &Reconciler{Client: c}

	_, err = r.Reconcile(t.Context(), ctrl.Request{NamespacedName: key})
	require.NoError(t, err)
	page := new(corev1.ConfigMap)
	require.NoError(t, c.Get(t.Context(), key, page))
	require.Equal(t, `<html lang="en"><title>Hello</title>`, page.Data["index.html"], "the language is the default of the definition")
	site := new(Site)
	require.NoError(t, c.Get(t.Context(), key, site))
	require.Equal(t, SiteStatus{Phase: "Ready", ObservedGeneration: 1}, site.Status)

	// A new title is a new generation; a status is not.
	site.Spec.Title = "Tea & <cake>"
	require.NoError(t, c.Update(t.Context(), site))
	_, err = r.Reconcile(t.Context(), ctrl.Request{NamespacedName: key})
	require.NoError(t, err)
	require.NoError(t, c.Get(t.Context(), key, site))
	require.Equal(t, SiteStatus{Phase: "Ready", ObservedGeneration: 2}, site.Status)
	require.NoError(t, c.Get(t.Context(), key, page))
	require.Equal(t, `<html lang="en"><title>Tea &amp; &lt;cake&gt;</title>`, page.Data["index.html"])

	// What the definition does not allow is refused, as in a cluster: a mistake in a reconciler does not go unnoticed.
	site.Status.Phase = "Done"
	err = c.Status().Update(t.Context(), site)
	require.True(t, apierrors.IsInvalid(err))
	require.ErrorContains(t, err, `status.phase: Unsupported value: "Done": supported values: "Ready", "Failed"`)
}

// The reconciler runs in a manager, with its caches and watches.
func TestManager(t *testing.T) {
	s := servertest.Serve(t, crdtest.Load(t, "crd.yaml"), home)
	mgr, err := ctrl.NewManager(controllerruntime.Config(s.Server), ctrl.Options{Scheme: NewScheme(), Metrics: server.Options{BindAddress: "0"}})
	require.NoError(t, err)
	require.NoError(t, (&Reconciler{Client: mgr.GetClient()}).Setup(mgr))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- mgr.Start(ctx) }()
	defer func() {
		cancel()
		require.NoError(t, <-done)
	}()

	c, err := client.New(controllerruntime.Config(s.Server), client.Options{Scheme: NewScheme()})
	require.NoError(t, err)
	page := new(corev1.ConfigMap)
	eventually := func(condition func() bool) {
		t.Helper()
		require.Eventually(t, condition, time.Minute, 10*time.Millisecond)
	}
	eventually(func() bool { return c.Get(ctx, key, page) == nil })
	first := page.UID
	require.NoError(t, c.Delete(ctx, page))
	eventually(func() bool { return c.Get(ctx, key, page) == nil && page.UID != first }) // it is created again
	require.NoError(t, c.Delete(ctx, &Site{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}))
	eventually(func() bool { return apierrors.IsNotFound(c.Get(ctx, key, page)) }) // garbage collection
}
