package controllerruntime_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/crdkit/crdkit/controllerruntime"
	"github.com/crdkit/crdkit/crdtest"
	"github.com/crdkit/crdkit/crdtest/servertest"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/registry"
)

var widgets = given.KindWithStatus("Namespaced", "widgets.demo.example.com", "Widget",
	"{type: object, properties: {size: {type: integer, maximum: 10}, color: {type: string, default: red}}}",
	"{type: object, properties: {phase: {type: string, enum: [Pending, Ready]}}}")

var gvk = schema.GroupVersionKind{Group: "demo.example.com", Version: "v1", Kind: "Widget"}

func widget(name string, size int64) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"size": size}}}
	u.SetGroupVersionKind(gvk)
	u.SetNamespace("default")
	u.SetName(name)
	return u
}

// A reconciler creates a ConfigMap for each Widget, which owns it, and reports that in the Widget's status, with a
// value that the definition does not allow.
type reconciler struct {
	client.Client
	ready string
}

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	w := &unstructured.Unstructured{}
	w.SetGroupVersionKind(gvk)
	if err := r.Get(ctx, req.NamespacedName, w); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	color, _, _ := unstructured.NestedString(w.Object, "spec", "color")
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: req.Name, Namespace: req.Namespace}, Data: map[string]string{"color": color}}
	if err := ctrl.SetControllerReference(w, cm, r.Scheme()); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.Create(ctx, cm); err != nil && !apierrors.IsAlreadyExists(err) {
		return ctrl.Result{}, err
	}
	if err := unstructured.SetNestedField(w.Object, r.ready, "status", "phase"); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.Status().Update(ctx, w)
}

func request(name string) ctrl.Request {
	return ctrl.Request{NamespacedName: client.ObjectKey{Namespace: "default", Name: name}}
}

// The plain fake client does not notice the mistake. The interceptor and a server find it.
func TestReconcilerWithAMistake(t *testing.T) {
	ctx := t.Context()
	s := newScheme()
	plain := fake.NewClientBuilder().WithScheme(s).WithStatusSubresource(widget("", 0)).Build()
	reg, err := registry.Parse([]byte(widgets))
	require.NoError(t, err)
	ours := fake.NewClientBuilder().WithScheme(s).WithStatusSubresource(widget("", 0)).WithInterceptorFuncs(controllerruntime.Interceptor(reg)).Build()
	served, err := client.New(controllerruntime.Config(servertest.Serve(t, crdtest.Parse(t, widgets)).Server), client.Options{Scheme: s})
	require.NoError(t, err)
	for _, c := range []struct {
		name   string
		client client.Client
		finds  bool
	}{{"the plain fake client", plain, false}, {"with the interceptor", ours, true}, {"with a server", served, true}} {
		t.Run(c.name, func(t *testing.T) {
			require.NoError(t, c.client.Create(ctx, widget("a", 3)))
			_, err := (&reconciler{c.client, "Done"}).Reconcile(ctx, request("a"))
			cm := &corev1.ConfigMap{}
			require.NoError(t, c.client.Get(ctx, request("a").NamespacedName, cm))
			if !c.finds {
				require.NoError(t, err)
				require.Equal(t, "", cm.Data["color"], "no defaults either")
				require.NoError(t, c.client.Create(ctx, widget("large", 11)))
				return
			}
			require.True(t, apierrors.IsInvalid(err), "%v", err)
			require.ErrorContains(t, err, `Unsupported value: "Done": supported values: "Pending", "Ready"`)
			require.Equal(t, "red", cm.Data["color"])
			var refused *apierrors.StatusError
			require.True(t, errors.As(c.client.Create(ctx, widget("large", 11)), &refused))
			require.Equal(t, "spec.size", refused.ErrStatus.Details.Causes[0].Field)

			_, err = (&reconciler{c.client, "Ready"}).Reconcile(ctx, request("a"))
			require.NoError(t, err)
			w := widget("a", 0)
			require.NoError(t, c.client.Get(ctx, request("a").NamespacedName, w))
			require.EqualValues(t, 1, w.GetGeneration())
			require.Error(t, c.client.Patch(ctx, w, client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"size":12}}`))))
			require.NoError(t, c.client.Patch(ctx, w, client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"size":4}}`))))
			require.EqualValues(t, 2, w.GetGeneration())
			require.NoError(t, unstructured.SetNestedField(w.Object, int64(5), "spec", "size"))
			require.NoError(t, c.client.Update(ctx, w))
			require.EqualValues(t, 3, w.GetGeneration())
			require.NoError(t, c.client.Status().Patch(ctx, w, client.RawPatch("application/merge-patch+json", []byte(`{"status":{"phase":"Pending"}}`))))
			require.Error(t, c.client.Status().Patch(ctx, w, client.RawPatch("application/merge-patch+json", []byte(`{"status":{"phase":"Other"}}`))))
		})
	}
}

func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	_ = scheme.AddToScheme(s)
	return s
}

// A manager with its caches and watches runs on a server. Deleting a Widget deletes the objects that it owns.
func TestManager(t *testing.T) {
	s := servertest.Serve(t, crdtest.Parse(t, widgets))
	yes := true
	mgr, err := ctrl.NewManager(controllerruntime.Config(s.Server), ctrl.Options{
		Scheme: newScheme(), Metrics: server.Options{BindAddress: "0"},
		LeaderElection: true, LeaderElectionID: "test", LeaderElectionNamespace: "default",
	})
	require.NoError(t, err)
	require.NoError(t, ctrl.NewControllerManagedBy(mgr).Named("widgets").For(widget("", 0)).Owns(&corev1.ConfigMap{}).
		WithOptions(controller.Options{SkipNameValidation: &yes}).Complete(&reconciler{mgr.GetClient(), "Ready"}))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- mgr.Start(ctx) }()
	defer func() {
		cancel()
		require.NoError(t, <-done)
	}()

	c, err := client.New(controllerruntime.Config(s.Server), client.Options{Scheme: newScheme()})
	require.NoError(t, err)
	require.NoError(t, c.Create(ctx, widget("a", 3)))
	require.Eventually(t, func() bool {
		w := widget("a", 0)
		phase := ""
		if c.Get(ctx, request("a").NamespacedName, w) == nil {
			phase, _, _ = unstructured.NestedString(w.Object, "status", "phase")
		}
		return phase == "Ready"
	}, 30*time.Second, 10*time.Millisecond)
	cm := &corev1.ConfigMap{}
	require.NoError(t, c.Get(ctx, request("a").NamespacedName, cm))
	uid := cm.UID
	require.NoError(t, c.Delete(ctx, cm)) // and the reconciler creates it again
	require.Eventually(t, func() bool {
		return c.Get(ctx, request("a").NamespacedName, cm) == nil && cm.UID != uid
	}, 30*time.Second, 10*time.Millisecond)
	require.NoError(t, c.Delete(ctx, widget("a", 0)))
	require.Eventually(t, func() bool {
		return apierrors.IsNotFound(c.Get(ctx, request("a").NamespacedName, cm))
	}, 30*time.Second, 10*time.Millisecond)
}
