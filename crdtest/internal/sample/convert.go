package sample

import (
	"context"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/resource"
)

// renaming converts objects as the strategy None does.
type renaming struct{}

func (renaming) Convert(_ context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error) {
	for _, obj := range objects {
		obj["apiVersion"] = apiVersion
	}
	return objects, nil
}

// Compile compiles a definition. Where it asks a webhook to convert objects, there is none to ask: then nothing of them changes but the
// version.
func Compile(d *crd.CustomResourceDefinition) (*resource.Resource, error) {
	r, err := resource.Compile(d)
	if err == nil && d.Spec.Conversion != nil && d.Spec.Conversion.Strategy == crd.ConversionWebhook {
		r = r.WithConverter(renaming{})
	}
	return r, err
}
