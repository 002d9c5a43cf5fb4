package resource_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/unstructured"
)

// A create of a valid, complete object allocates nothing. Neither does an update that changes nothing, with the same
// object or an equal one.
func TestNoAllocs(t *testing.T) {
	v := compile(t, gadgets).Version("v1")
	ctx := context.Background()
	for _, c := range []struct{ name, object string }{
		{"a new one", "{metadata: {name: a, namespace: ns, generation: 1, labels: {a: b}}, spec: {replicas: 2, size: small, tags: [a, b], free: {x: [1]}, template: {apiVersion: v1, kind: Pod, metadata: {name: p}}}}"},
		{"little", "{metadata: {name: a, namespace: ns, generation: 1}, spec: {replicas: 2}}"},
		{"much", `{metadata: {name: a, namespace: ns, generation: 3, resourceVersion: "7", uid: u, creationTimestamp: "2020-01-01T00:00:00Z", labels: {a: b},
			annotations: {a: b}, finalizers: [x.io/f], ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: u}]},
			spec: {replicas: 2, size: small, tags: [a, b], free: {x: [1]}, template: {apiVersion: v1, kind: Pod, metadata: {name: p}}},
			status: {replicas: 2, selector: a=b}}`},
		{"a finalizer without a domain, which was there", "{metadata: {name: a, namespace: ns, generation: 1, finalizers: [f]}, spec: {replicas: 2}}"},
		{"being deleted", `{metadata: {name: a, namespace: ns, generation: 2, finalizers: [x.io/f], deletionTimestamp: "2020-01-01T00:00:00Z", deletionGracePeriodSeconds: 0}, spec: {replicas: 2}}`},
		{"managed fields", `{metadata: {name: a, namespace: ns, generation: 1, managedFields: [` +
			`{manager: m, operation: Apply, apiVersion: example.com/v1, fieldsType: FieldsV1, fieldsV1: {"f:spec": {".": {}}}}, ` +
			`{manager: m, operation: Update, apiVersion: example.com/v1, fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:replicas": {}}}, time: "2020-01-01T00:00:00Z"}, ` +
			`{manager: m, operation: Update, apiVersion: example.com/v1, fieldsType: FieldsV1, fieldsV1: {"f:status": {}}, subresource: status, time: "2020-01-01T00:00:00Z"}]}, ` +
			`spec: {replicas: 2}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			obj := gadget(t, c.object)
			same := unstructured.Clone(obj)
			result := v.Update(ctx, obj, same)
			require.NoError(t, result.Err())
			require.Equal(t, obj, result.Object)
			calls := map[string]func(){
				"an update":               func() { v.Update(ctx, obj, same) },
				"an update by itself":     func() { v.Update(ctx, obj, obj) },
				"an update of the status": func() { v.UpdateStatus(ctx, obj, same) },
				"a read":                  func() { v.Read(obj) },
			}
			if c.name == "a new one" {
				require.NoError(t, v.Create(ctx, obj).Err())
				calls["a create"] = func() { v.Create(ctx, obj) }
			}
			given.RequireNoAllocs(t, calls)
		})
	}
}

// An update that does not change an invalid field allocates nothing.
func TestRatchetedUpdateNoAllocs(t *testing.T) {
	v := things(t, `schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {
		must: {type: string}, size: {type: integer, maximum: 5}, list: {type: array, items: {type: object, properties: {size: {type: integer, maximum: 5}}}},
		map: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name], items: {type: object, required: [name], properties: {
			name: {type: string}, size: {type: integer, maximum: 5}}}}}}}}}`).Version("v1")
	for _, object := range []string{
		"{spec: {size: 9}}", "{spec: {must: [5]}}", "{spec: {size: 9, list: [{size: 9}, {size: 1}]}}", "{spec: {map: [{name: a}, {name: b, size: 9}]}}",
	} {
		obj := thing(t, object)
		obj["metadata"].(map[string]any)["generation"] = int64(1)
		same := unstructured.Clone(obj)
		result := v.Update(t.Context(), obj, same)
		require.NoError(t, result.Err(), object)
		require.Equal(t, same, result.Object)
		given.RequireNoAllocs(t, map[string]func(){object: func() { v.Update(t.Context(), obj, same) }})
	}
}
