package openapi

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/test/given"
)

// staticDocument is the document of a server's other resources, with a member that this package does not know.
const staticDocument = `{
  "swagger": "2.0", "info": {"title": "Shop", "version": "1"},
  "paths": {"/version": {"get": {"responses": {"200": {"description": "OK"}}}}},
  "definitions": {"io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": {"type": "object", "description": "another one"}},
  "securityDefinitions": {"BearerToken": {"type": "apiKey"}}
}`

func mergeV2(t *testing.T, static string, d *Document) *Document {
	t.Helper()
	m, err := MergeV2([]byte(static), d)
	require.NoError(t, err)
	require.True(t, json.Valid(m.AppendJSON(nil)))
	return m
}

// PV2-012, PV2-013: the members of static stay. Different definitions of the same name are renamed, with the references
// to them.
func TestMergeV2(t *testing.T) {
	d := v2(t, shirts(t, "{type: object}"))
	before := string(d.AppendJSON(nil))
	m := mergeV2(t, staticDocument, d)
	require.Equal(t, before, string(d.AppendJSON(nil)))
	require.Equal(t, []string{"swagger", "info", "paths", "definitions", "securityDefinitions", "parameters"}, keys(t, m))
	require.Equal(t, `{"title":"Shop","version":"1"}`, raw(t, m, "info"))
	require.Equal(t, `{"BearerToken":{"type":"apiKey"}}`, raw(t, m, "securityDefinitions"))
	require.Equal(t, append(keys(t, d, "paths"), "/version"), keys(t, m, "paths"))
	require.Equal(t, `{"type":"object","description":"another one"}`, raw(t, m, "definitions", metaV1+"ObjectMeta"))
	require.Equal(t, raw(t, d, "definitions", metaV1+"ObjectMeta"), raw(t, m, "definitions", metaV1+"ObjectMeta_v2"))
	require.Equal(t, "#/definitions/"+metaV1+"ObjectMeta_v2", at(t, m, "definitions", "com.example.shop.v1.Shirt", "properties", "metadata", "$ref"))

	// Merging the same document into the result changes nothing, since it already has all its paths.
	require.Equal(t, m.Hash(), mergeV2(t, string(m.AppendJSON(nil)), d).Hash())
	// Another document uses the renamed definition.
	n := mergeV2(t, string(m.AppendJSON(nil)), v2(t, trousers(t)))
	require.Equal(t, "#/definitions/"+metaV1+"ObjectMeta_v2", at(t, n, "definitions", "com.example.shop.v1.Trousers", "properties", "metadata", "$ref"))
	require.NotContains(t, keys(t, n, "definitions"), metaV1+"ObjectMeta_v3")
	// A result can be merged like any document.
	require.Equal(t, keys(t, n, "definitions"), keys(t, mergeV2(t, `{"swagger":"2.0","paths":null}`, n), "definitions"))
}

func TestMergeV2Conflicts(t *testing.T) {
	d := v2(t, shirts(t, "{type: object}"))
	const object = "/apis/shop.example.com/v1/namespaces/{namespace}/shirts/{name}"
	t.Run("PV2-013 an existing path stays, without definitions that only the new one needs", func(t *testing.T) {
		paths := map[string]any{}
		for _, path := range keys(t, d, "paths") {
			if path != object {
				paths[path] = map[string]any{}
			}
		}
		m := mergeV2(t, string(given.JSON(t, map[string]any{"swagger": "2.0", "paths": paths})), d)
		require.Equal(t, "{}", raw(t, m, "paths", "/apis/shop.example.com/v1/shirts"))
		require.Equal(t, raw(t, d, "paths", object), raw(t, m, "paths", object))
		require.Contains(t, keys(t, m, "definitions"), "com.example.shop.v1.Shirt")
		require.Contains(t, keys(t, m, "definitions"), metaV1+"DeleteOptions", "a shared parameter refers to it")
		require.NotContains(t, keys(t, m, "definitions"), "com.example.shop.v1.ShirtList")
	})
	t.Run("PV2-013 no path is left", func(t *testing.T) {
		paths := map[string]any{}
		for _, path := range keys(t, d, "paths") {
			paths[path] = map[string]any{}
		}
		text := given.JSON(t, map[string]any{"swagger": "2.0", "paths": paths})
		require.Empty(t, keys(t, mergeV2(t, string(text), d), "definitions"))
	})
	t.Run("PV2-013 parameters", func(t *testing.T) {
		m := mergeV2(t, `{"swagger":"2.0","parameters":{"pretty-tJGM1-ng":{"name":"pretty"},"pretty-tJGM1-ng_v2":{}}}`, d)
		require.Equal(t, `{"name":"pretty"}`, raw(t, m, "parameters", "pretty-tJGM1-ng"))
		require.Equal(t, raw(t, d, "parameters", "pretty-tJGM1-ng"), raw(t, m, "parameters", "pretty-tJGM1-ng_v3"))
		require.Contains(t, raw(t, m, "paths", object), `"#/parameters/pretty-tJGM1-ng_v3"`)
		require.NotContains(t, raw(t, m, "paths", object), `"#/parameters/pretty-tJGM1-ng"`)
	})
	t.Run("PV2-013 equal definitions have all kinds", func(t *testing.T) {
		var options map[string]any
		require.NoError(t, json.Unmarshal([]byte(raw(t, d, "definitions", metaV1+"DeleteOptions")), &options))
		options["x-kubernetes-group-version-kind"] = []any{map[string]any{"group": "shop", "version": "v1", "kind": "DeleteOptions"},
			map[string]any{"group": "", "version": "v1", "kind": "DeleteOptions"}}
		text := given.JSON(t, map[string]any{"swagger": "2.0", "definitions": map[string]any{metaV1 + "DeleteOptions": options}})
		kinds := at(t, mergeV2(t, string(text), d), "definitions", metaV1+"DeleteOptions", "x-kubernetes-group-version-kind").([]any)
		require.Len(t, kinds, 56)
		groups := make([]string, len(kinds))
		for i, k := range kinds {
			groups[i] = k.(map[string]any)["group"].(string)
		}
		require.True(t, slices.IsSorted(groups))
		require.Contains(t, groups, "shop")
	})
	t.Run("PV2-014 kinds that cannot be merged", func(t *testing.T) {
		text := strings.Replace(raw(t, d, "definitions", metaV1+"Status"), `[{"group":"","kind":"Status","version":"v1"}]`, `"all"`, 1)
		m := mergeV2(t, `{"swagger":"2.0","definitions":{"`+metaV1+`Status":`+text+`}}`, d)
		require.Equal(t, text, raw(t, m, "definitions", metaV1+"Status"))
	})
}

func TestMergeV2Errors(t *testing.T) {
	d := v2(t, shirts(t, ""))
	for _, c := range []struct{ static, want string }{
		{``, "openapi: static document: unexpected end of JSON input"},
		{`[]`, "openapi: static document: is not an object"},
		{`null`, "openapi: static document: is not an object"},
		{`{}`, "openapi: static document: swagger is not 2.0"},
		{`{"swagger":"2.0","paths":[]}`, "openapi: static document: paths: is not an object"},
	} {
		_, err := MergeV2([]byte(c.static), d)
		require.EqualError(t, err, c.want)
	}
	for _, doc := range []*Document{nil, v3(t, shirts(t, ""), "v1"), Index(nil)} {
		_, err := MergeV2([]byte(`{"swagger":"2.0"}`), doc)
		require.Error(t, err)
	}
	_, err := V2(&crd.CustomResourceDefinition{})
	require.NoError(t, err)
}
