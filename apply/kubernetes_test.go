package apply_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/resource"
)

const tagged = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: tagged.example.com}
spec:
  group: example.com
  names: {kind: Tagged, plural: tagged}
  scope: Cluster
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          tags: {type: array, x-kubernetes-list-type: set, items: {type: string}}
          rates: {type: array, x-kubernetes-list-type: set, items: {type: number}}
          hosts:
            type: array
            x-kubernetes-list-type: map
            x-kubernetes-list-map-keys: [name]
            items: {type: object, required: [name], properties: {name: {type: string}}}
`

// Keys of managedFields are written as a server of the version writes them, whoever wrote those that are read.
func TestPlainKeys(t *testing.T) {
	r, err := resource.Compile(given.Definition(t, tagged))
	require.NoError(t, err)
	const spec = `tags: ["a<b", "c\\u003c", "\"&\u2028\b"], rates: [0.0000001, -0.00000015], hosts: [{name: ">"}]}`
	escaped := map[string]any{
		"f:hosts": map[string]any{`k:{"name":"\u003e"}`: map[string]any{".": map[string]any{}, "f:name": map[string]any{}}},
		"f:rates": map[string]any{"v:1e-07": map[string]any{}, "v:-1.5e-07": map[string]any{}},
		"f:tags":  map[string]any{`v:"a\u003cb"`: map[string]any{}, `v:"c\\u003c"`: map[string]any{}, `v:"\"\u0026\u2028\u0008"`: map[string]any{}},
	}
	plain := map[string]any{
		"f:hosts": map[string]any{`k:{"name":">"}`: map[string]any{".": map[string]any{}, "f:name": map[string]any{}}},
		"f:rates": map[string]any{"v:1e-7": map[string]any{}, "v:-1.5e-7": map[string]any{}},
		"f:tags":  map[string]any{`v:"a<b"`: map[string]any{}, `v:"c\\u003c"`: map[string]any{}, "v:\"\\\"&\u2028\\b\"": map[string]any{}},
	}
	var live map[string]any
	for _, step := range []struct {
		kubernetes string
		want       map[string]any
	}{{"", escaped}, {"1.38", plain}, {"1.38", plain}, {"1.37", escaped}} {
		of, err := r.For(step.kubernetes)
		require.NoError(t, err)
		a, err := apply.Compile(of)
		require.NoError(t, err)
		result := a.Version("v1").Apply(context.Background(), []byte("{apiVersion: example.com/v1, kind: Tagged, metadata: {name: a}, "+spec), live, apply.Options{Manager: "m"})
		require.NoError(t, result.Err())
		live = result.Object
		entries := live["metadata"].(map[string]any)["managedFields"].([]any)
		require.Len(t, entries, 1)
		require.Equal(t, step.want, entries[0].(map[string]any)["fieldsV1"], step.kubernetes)
	}
}
