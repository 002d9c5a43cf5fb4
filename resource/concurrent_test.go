package resource_test

import (
	"context"
	"testing"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

// A Resource answers all kinds of requests concurrently, for objects that the goroutines share. Rules are compiled when
// the first request needs them.
func TestConcurrentRequests(t *testing.T) {
	r := things(t,
		`subresources: {status: {}, scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size}}, schema: {openAPIV3Schema: {type: object, properties: {
			spec: {type: object, properties: {size: {type: integer, x-kubernetes-validations: [{rule: self < 100}]}, colour: {type: string, default: red},
				pods: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name], items: {type: object, required: [name], properties: {name: {type: string}, size: {type: integer, maximum: 5}}}}}},
			status: {type: object, properties: {size: {type: integer, x-kubernetes-validations: [{rule: self >= oldSelf}]}}}}}}`,
		`schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer, x-kubernetes-validations: [{rule: self < 100}]}}}}}}`,
	)
	r = r.WithConverter(conversion.ConverterFunc(func(_ context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error) {
		for _, obj := range objects {
			obj["apiVersion"] = apiVersion
		}
		return objects, nil
	}))
	v1, v2 := r.Version("v1"), r.Version("v2")
	stored := thing(t, "{metadata: {name: a, generation: 1, finalizers: [x.io/f]}, spec: {size: 3, gone: 1, pods: [{name: a, size: 9}, {name: b}]}, status: {size: 1}}")
	obj := thing(t, "{spec: {size: 4, zz: 1, pods: [{name: b}, {name: a, size: 9}]}, status: {size: 2}}")
	through := thing(t, "{apiVersion: example.com/v2, spec: {size: 4}}")
	ctx := context.Background()
	requests := map[string]func() resource.Result{
		"update":               func() resource.Result { return v1.Update(ctx, obj, stored) },
		"update of the status": func() resource.Result { return v1.UpdateStatus(ctx, obj, stored) },
		"merge patch":          func() resource.Result { return v1.Patch(ctx, mergePatch, []byte(`{"spec":{"size":5}}`), stored) },
		"JSON patch": func() resource.Result {
			return v1.Patch(ctx, jsonPatch, []byte(`[{"op":"add","path":"/spec/size","value":5}]`), stored)
		},
		"patch of the scale": func() resource.Result {
			return v1.PatchScale(ctx, mergePatch, []byte(`{"spec":{"replicas":5}}`), stored)
		},
		"read":              func() resource.Result { return v1.Read(stored) },
		"read of another":   func() resource.Result { return v2.Read(stored) },
		"update of another": func() resource.Result { return v2.Update(ctx, through, stored) },
		"deletion":          func() resource.Result { return v1.Delete(ctx, stored, resource.DeleteOptions{}) },
		"creation":          func() resource.Result { return v1.Create(ctx, thing(t, "{spec: {size: 4}}")) },
	}
	before := []map[string]any{unstructured.Clone(stored), unstructured.Clone(obj)}
	given.Concurrently(10, func() {
		for name, request := range requests {
			if result := request(); result.Err() != nil {
				t.Error(name, result.Err())
			} else if result.Patch(); result.Object == nil {
				t.Error(name)
			}
		}
	})
	for i, obj := range []map[string]any{stored, obj} {
		if encode(t, before[i]) != encode(t, obj) {
			t.Error("an object was modified")
		}
	}
}
