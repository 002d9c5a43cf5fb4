package clientlibs

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/metrics/filters"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/crdkit/crdkit/crdtest"
)

// Options as the main function of a scaffolded operator has them. They need no server, but all that a manager is made
// of is linked.
var _ = func() ctrl.Options {
	return ctrl.Options{Metrics: metricsserver.Options{FilterProvider: filters.WithAuthenticationAndAuthorization}}
}

func load(t *testing.T) *crdtest.Set {
	manifest, err := json.Marshal(definition())
	if err != nil {
		t.Fatal(err)
	}
	return crdtest.Parse(t, string(manifest))
}

// Definition and objects are Go values of this version's API types: what they write as JSON is what is validated.
func TestTypes(t *testing.T) {
	crds := load(t)
	crds.Accepted(t)

	hourly, black := newGadget(3), newGadget(7)
	hourly.Spec.Every = &metav1.Duration{Duration: time.Hour}
	black.Spec.Color = "black"
	crds.Run(t, []crdtest.Case{
		{Name: "defaults", Object: hourly, Want: `spec: {color: red, size: 3, every: 1h0m0s}`},
		{Name: "too large", Object: newGadget(11), Errs: []crdtest.Match{crdtest.Invalid("spec.size")}},
		{Name: "a rule", Object: black, Errs: []crdtest.Match{crdtest.RuleFails("spec", "self.size < 5")}},
		{Name: "update", Old: newGadget(3), Object: newGadget(4), Want: `spec: {color: red, size: 4}`},
	})
}

// A server asks webhooks, then validates: a webhook whose patch breaks the schema is found here. The same goes for the
// operator's own writes, which the fake client of controller-runtime takes as they are.
func TestWebhook(t *testing.T) {
	crds := load(t)
	hook := gadgetWebhook{}
	defaulter := admission.WithCustomDefaulter(newScheme(), &Gadget{}, hook)
	validator := admission.WithCustomValidator(newScheme(), &Gadget{}, hook)

	patched := func(g *Gadget) string {
		raw, err := json.Marshal(g)
		if err != nil {
			t.Fatal(err)
		}
		request := admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
			UID:       "1",
			Operation: admissionv1.Create,
			Object:    runtime.RawExtension{Raw: raw},
		}}
		if response := validator.Handle(context.Background(), request); !response.Allowed {
			t.Fatalf("refused: %v", response.Result)
		}
		response := defaulter.Handle(context.Background(), request)
		if !response.Allowed || len(response.Patch) == 0 {
			t.Fatalf("no patch: %v", response.Result)
		}
		return string(response.Patch)
	}
	crds.Run(t, []crdtest.Case{
		{Name: "breaks a rule", Base: newGadget(8), Patch: patched(newGadget(8)), Errs: []crdtest.Match{crdtest.RuleFails("spec", "self.size < 5")}},
	})
}

func TestClient(t *testing.T) {
	crds := load(t)
	c := fake.NewClientBuilder().WithScheme(newScheme()).Build()
	if err := c.Create(context.Background(), newGadget(11)); err != nil {
		t.Fatal(err)
	}
	var stored Gadget
	if err := c.Get(context.Background(), client.ObjectKey{Namespace: "default", Name: "one"}, &stored); err != nil {
		t.Fatal(err)
	}
	stored.SetGroupVersionKind(groupVersion.WithKind("Gadget"))
	crds.Run(t, []crdtest.Case{
		{Name: "too large for a server", Object: &stored, Errs: []crdtest.Match{crdtest.Invalid("spec.size")}},
	})
}
