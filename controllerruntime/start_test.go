package controllerruntime_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/crdkit/crdkit/controllerruntime"
)

// An environment of envtest starts with its definitions and webhooks, which a webhook server of controller-runtime
// answers.
func TestStart(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "widgets.yaml"), []byte(widgets), 0o600))
	service := func(path string) admissionregistrationv1.WebhookClientConfig {
		return admissionregistrationv1.WebhookClientConfig{Service: &admissionregistrationv1.ServiceReference{Namespace: "system", Name: "hooks", Path: &path}}
	}
	rules := []admissionregistrationv1.RuleWithOperations{{
		Operations: []admissionregistrationv1.OperationType{"CREATE"},
		Rule:       admissionregistrationv1.Rule{APIGroups: []string{gvk.Group}, APIVersions: []string{"v1"}, Resources: []string{"widgets"}},
	}}
	none := admissionregistrationv1.SideEffectClassNone
	env := &envtest.Environment{
		Scheme: newScheme(), CRDDirectoryPaths: []string{dir}, ErrorIfCRDPathMissing: true,
		WebhookInstallOptions: envtest.WebhookInstallOptions{
			MutatingWebhooks: []*admissionregistrationv1.MutatingWebhookConfiguration{{
				ObjectMeta: metav1.ObjectMeta{Name: "m"},
				Webhooks: []admissionregistrationv1.MutatingWebhook{{
					Name: "m.example.com", ClientConfig: service("/mutate"), Rules: rules, AdmissionReviewVersions: []string{"v1"},
					SideEffects: &none,
				}},
			}},
			ValidatingWebhooks: []*admissionregistrationv1.ValidatingWebhookConfiguration{{
				ObjectMeta: metav1.ObjectMeta{Name: "v"},
				Webhooks: []admissionregistrationv1.ValidatingWebhook{{
					Name: "v.example.com", ClientConfig: service("/validate"), Rules: rules, AdmissionReviewVersions: []string{"v1"},
					SideEffects: &none,
				}},
			}},
		},
	}
	cfg := controllerruntime.Start(t, env)
	require.Same(t, cfg, env.Config)
	require.Len(t, env.CRDs, 1)

	o := &env.WebhookInstallOptions
	hooks := webhook.NewServer(webhook.Options{Host: o.LocalServingHost, Port: o.LocalServingPort, CertDir: o.LocalServingCertDir})
	hooks.Register("/mutate", &webhook.Admission{Handler: admission.HandlerFunc(func(_ context.Context, r admission.Request) admission.Response {
		obj := new(unstructured.Unstructured)
		require.NoError(t, obj.UnmarshalJSON(r.Object.Raw))
		require.NoError(t, unstructured.SetNestedField(obj.Object, "blue", "spec", "color"))
		patched, err := obj.MarshalJSON()
		require.NoError(t, err)
		return admission.PatchResponseFromRaw(r.Object.Raw, patched)
	})})
	hooks.Register("/validate", &webhook.Admission{Handler: admission.HandlerFunc(func(_ context.Context, r admission.Request) admission.Response {
		if r.Name == "refused" {
			return admission.Denied("not this one")
		}
		return admission.Allowed("").WithWarnings("careful")
	})})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- hooks.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	require.Eventually(t, func() bool { return hooks.StartedChecker()(&http.Request{}) == nil }, 10*time.Second, 10*time.Millisecond)

	c, err := client.New(cfg, client.Options{Scheme: env.Scheme})
	require.NoError(t, err)
	made := widget("a", 1)
	require.NoError(t, c.Create(ctx, made))
	color, _, _ := unstructured.NestedString(made.Object, "spec", "color")
	require.Equal(t, "blue", color)
	err = c.Create(ctx, widget("refused", 1))
	require.EqualError(t, err, fmt.Sprintf("admission webhook %q denied the request: not this one", "v.example.com"))
}
