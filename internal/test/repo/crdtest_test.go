package repo_test

import (
	"testing"

	"github.com/crdkit/crdkit/crdtest"
)

// Widget stands for a type of a project, which would have its metadata from Kubernetes.
type Widget struct {
	APIVersion string     `json:"apiVersion,omitempty"`
	Kind       string     `json:"kind,omitempty"`
	Metadata   Metadata   `json:"metadata,omitzero"`
	Spec       WidgetSpec `json:"spec"`
}

type Metadata struct {
	Name      string `json:"name,omitempty"`
	Namespace string `json:"namespace,omitempty"`
}

type WidgetSpec struct {
	Name   string `json:"name"`
	Colour string `json:"colour,omitempty"`
	Size   int32  `json:"size,omitempty"`
}

func TestWidget(t *testing.T) {
	crds := crdtest.Load(t, "config/crd/bases/*.yaml")
	crds.Accepted(t) // structure, defaults, rules and their costs: everything that a server checks

	widget := &Widget{Spec: WidgetSpec{Name: "a", Size: 3}}
	crds.Run(t, []crdtest.Case{
		{Name: "colour has a default", Object: widget, Want: `spec: {colour: red}`},
		{Name: "size has a lower bound", Base: widget, Patch: `spec: {size: 0}`, Errs: []crdtest.Match{crdtest.Invalid("spec.size")}},
		{Name: "and an upper one", Base: widget, Patch: `spec: {size: 11}`, Errs: []crdtest.Match{crdtest.Invalid("spec.size")}},
		{Name: "name is required", Object: `spec: {size: 3}`, Errs: []crdtest.Match{crdtest.Required("spec.name")}},
		{Name: "so is the spec", Object: ``, Errs: []crdtest.Match{crdtest.Required("spec")}},
		{Name: "a misspelled field is dropped", Base: widget, Patch: `spec: {sise: 4}`, Pruned: []string{"spec.sise"}},
		{Name: "name is immutable", Old: widget, Patch: `spec: {name: b}`,
			Errs: []crdtest.Match{crdtest.RuleFails("spec.name", "self == oldSelf")}},
		{Name: "size is not", Old: widget, Patch: `spec: {size: 4}`},
		{Name: "only the status changes there", Old: widget, Subresource: "status", Patch: `{spec: {size: 9}, status: {ready: true}}`,
			Want: `{spec: {size: 3}, status: {ready: true}}`},
	})
	crds.RequireCoverage(t, 1) // each rule and each constraint has a test that violates it
}
