package resource_test

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

// BenchmarkWrites measures creates and updates of objects of three sizes: complete and valid objects, an update that
// changes one field, an update that leaves an invalid value unchanged, and an object with an error.
func BenchmarkWrites(b *testing.B) {
	ctx := context.Background()
	for _, size := range given.Sizes(b) {
		v := compile(b, `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "things.g.io"}, "spec": {
			"group": "g.io", "scope": "Namespaced", "names": {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"},
			"versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": `+given.ExactJSON(size.Doc)+`}}]}}`).Version("v1")
		obj := unstructured.Clone(size.Object)
		obj["apiVersion"], obj["kind"] = "g.io/v1", "Thing"
		obj["metadata"] = map[string]any{"name": "n", "namespace": "ns", "generation": int64(1), "uid": "u", "labels": map[string]any{"a": "b"}}
		same, changed := unstructured.Clone(obj), unstructured.Clone(obj)
		require.True(b, changeOne(changed["spec"]))
		invalid := unstructured.Clone(obj)
		require.True(b, breakOne(invalid["spec"]))
		invalidToo := unstructured.Clone(invalid)
		for _, row := range []struct {
			name  string
			write func() resource.Result
		}{
			{"create", func() resource.Result { return v.Create(ctx, obj) }},
			{"createInvalid", func() resource.Result { return v.Create(ctx, invalid) }},
			{"updateEqual", func() resource.Result { return v.Update(ctx, obj, same) }},
			{"updateChanged", func() resource.Result { return v.Update(ctx, changed, obj) }},
			{"updateRatcheted", func() resource.Result { return v.Update(ctx, invalid, invalidToo) }},
			{"updateInvalid", func() resource.Result { return v.Update(ctx, invalid, obj) }},
		} {
			given.Bench(b, size.Name+"/"+row.name, func() { row.write() })
		}
	}
}

// changeOne changes the first integer that it finds.
func changeOne(v any) bool { return replaceOne(v, func(i int64) any { return i + 1 }) }

// breakOne replaces the first integer, by name, by a string.
func breakOne(v any) bool { return replaceOne(v, func(int64) any { return "text" }) }

func replaceOne(v any, by func(int64) any) bool {
	m, _ := v.(map[string]any)
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if i, ok := m[k].(int64); ok {
			m[k] = by(i)
			return true
		}
		if replaceOne(m[k], by) {
			return true
		}
	}
	return false
}
