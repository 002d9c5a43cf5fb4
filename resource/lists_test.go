package resource_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/resource"
)

func TestList(t *testing.T) {
	v := compile(t, gadgets).Version("v1")
	require.JSONEq(t, `{"apiVersion":"example.com/v1","items":[],"kind":"GadgetList","metadata":{"continue":"","resourceVersion":""}}`,
		encode(t, v.List(nil, resource.ListMeta{})), "KCT-020")
	left := int64(2)
	list := v.List([]map[string]any{given.Object(t, tableObject)}, resource.ListMeta{ResourceVersion: "129", Continue: "c", RemainingItemCount: &left})
	require.Equal(t, map[string]any{
		"apiVersion": "example.com/v1", "kind": "GadgetList", "items": []any{given.Object(t, tableObject)},
		"metadata": map[string]any{"resourceVersion": "129", "continue": "c", "remainingItemCount": int64(2)},
	}, list, "KCT-020: values of an object's types")
}

func TestPartialMetadata(t *testing.T) {
	obj := given.Object(t, tableObject)
	require.Equal(t, map[string]any{"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": obj["metadata"]}, resource.PartialMetadata(obj, ""), "TAB-032")
	require.JSONEq(t, `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1beta1","metadata":{}}`, encode(t, resource.PartialMetadata(nil, "meta.k8s.io/v1beta1")), "TAB-032")
	require.JSONEq(t, `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"5"},"items":[
		{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a","resourceVersion":"7","labels":{"app":"x"}}}]}`,
		encode(t, resource.PartialMetadataList([]map[string]any{obj}, resource.ListMeta{ResourceVersion: "5"}, "")), "TAB-032")
	require.JSONEq(t, `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1beta1","metadata":{},"items":[]}`,
		encode(t, resource.PartialMetadataList(nil, resource.ListMeta{}, "meta.k8s.io/v1beta1")), "TAB-032")
}
