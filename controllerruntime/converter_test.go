package controllerruntime_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/conversion"
	webhook "sigs.k8s.io/controller-runtime/pkg/webhook/conversion"

	"github.com/crdkit/crdkit/controllerruntime"
	crdconversion "github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/crdtest"
	"github.com/crdkit/crdkit/registry"
	"github.com/crdkit/crdkit/server"
)

// A boat has the versions v1, v2 (the hub) and v3, which call the same field name, title and label.
type boat struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

type (
	boatV1 struct {
		boat `json:",inline"`
		Spec struct {
			Name string `json:"name,omitempty"`
			Size int64  `json:"size,omitempty"`
		} `json:"spec"`
	}
	boatV2 struct {
		boat `json:",inline"`
		Spec struct {
			Title string `json:"title,omitempty"`
			Size  int64  `json:"size,omitempty"`
		} `json:"spec"`
	}
	boatV3 struct {
		boat `json:",inline"`
		Spec struct {
			Label string `json:"label,omitempty"`
			Size  int64  `json:"size,omitempty"`
		} `json:"spec"`
	}
	// A boatV4 belongs to no hub.
	boatV4 struct{ boat }
)

func (b *boatV1) DeepCopyObject() runtime.Object { c := *b; return &c }
func (b *boatV2) DeepCopyObject() runtime.Object { c := *b; return &c }
func (b *boatV3) DeepCopyObject() runtime.Object { c := *b; return &c }
func (b *boatV4) DeepCopyObject() runtime.Object { c := *b; return &c }

func (*boatV2) Hub() {}

func (b *boatV1) ConvertTo(to conversion.Hub) error {
	hub := to.(*boatV2)
	hub.ObjectMeta, hub.Spec.Title, hub.Spec.Size = b.ObjectMeta, b.Spec.Name, b.Spec.Size
	return nil
}

func (b *boatV1) ConvertFrom(from conversion.Hub) error {
	hub := from.(*boatV2)
	b.ObjectMeta, b.Spec.Name, b.Spec.Size = hub.ObjectMeta, hub.Spec.Title, hub.Spec.Size
	return nil
}

func (b *boatV3) ConvertTo(to conversion.Hub) error {
	hub := to.(*boatV2)
	if b.Spec.Label == "no" {
		return errors.New("no label")
	}
	hub.ObjectMeta, hub.Spec.Title, hub.Spec.Size = b.ObjectMeta, b.Spec.Label, b.Spec.Size
	return nil
}

func (b *boatV3) ConvertFrom(from conversion.Hub) error {
	hub := from.(*boatV2)
	b.ObjectMeta, b.Spec.Label, b.Spec.Size = hub.ObjectMeta, hub.Spec.Title, hub.Spec.Size
	return nil
}

var boats = schema.GroupVersion{Group: "demo.example.com", Version: "v1"}

func boatScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	for version, obj := range map[string]runtime.Object{"v1": &boatV1{}, "v2": &boatV2{}, "v3": &boatV3{}, "v4": &boatV4{}} {
		s.AddKnownTypeWithName(schema.GroupVersionKind{Group: boats.Group, Version: version, Kind: "Boat"}, obj)
	}
	return s
}

func boatRegistry(t *testing.T) *registry.Registry {
	version := func(name, field string) string {
		return `
  - name: ` + name + `
    served: true
    storage: ` + map[bool]string{true: "true", false: "false"}[name == "v2"] + `
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {` + field + `: {type: string, minLength: 1}, size: {type: integer, format: int64, minimum: 1}}}`
	}
	reg, err := registry.Parse([]byte(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boats.demo.example.com}
spec:
  group: demo.example.com
  scope: Namespaced
  names: {kind: Boat, plural: boats}
  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {service: {name: a, namespace: b}}}}
  versions:` + version("v1", "name") + version("v2", "title") + version("v3", "label")))
	require.NoError(t, err)
	return reg
}

func with(t *testing.T, reg *registry.Registry, conv crdconversion.Converter) *crdtest.Set {
	reg, err := reg.WithConverter("boats.demo.example.com", conv)
	require.NoError(t, err)
	return crdtest.New(reg)
}

// Hubs and spokes lose nothing, directly and through controller-runtime's own webhook.
func TestConverter(t *testing.T) {
	reg := boatRegistry(t)
	set := with(t, reg, controllerruntime.Converter(boatScheme()))
	set.RoundTrips(t, "Boat")
	c := crdtest.Case{Object: "{apiVersion: demo.example.com/v3, kind: Boat, metadata: {name: a}, spec: {label: x, size: 9007199254740993}}"}
	c.Stored = "{apiVersion: demo.example.com/v2, kind: Boat, metadata: {name: a}, spec: {title: x, size: 9007199254740993}}"
	c.Read = map[string]any{"v1": "{apiVersion: demo.example.com/v1, kind: Boat, metadata: {name: a}, spec: {name: x, size: 9007199254740993}}"}
	set.Run(t, []crdtest.Case{c})

	var h http.Handler = webhook.NewWebhookHandler(boatScheme(), webhook.NewRegistry())
	conv, err := server.HandlerConverter(reg.Definitions()[0].CRD, h)
	require.NoError(t, err)
	with(t, reg, conv).RoundTrips(t, "Boat")
}

func TestConverterErrors(t *testing.T) {
	conv := controllerruntime.Converter(boatScheme())
	for _, c := range []struct{ name, from, to, spec, want string }{
		{"an error of a type", "v3", "v1", "no", "no label"},
		{"no conversion", "v4", "v1", "", "must be a Hub"},
		{"an unknown version", "v9", "v1", "", "no kind"},
		{"an unknown target", "v1", "v9", "", "no kind"},
		{"another group", "v1", "a/b/c", "", "unexpected GroupVersion"},
	} {
		t.Run(c.name, func(t *testing.T) {
			to := c.to
			if !strings.Contains(to, "/") {
				to = boats.Group + "/" + to
			}
			_, err := conv.Convert(t.Context(), []map[string]any{{
				"apiVersion": boats.Group + "/" + c.from, "kind": "Boat", "spec": map[string]any{"label": c.spec},
			}}, to)
			require.ErrorContains(t, err, c.want)
		})
	}
}
