package catalog

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/openapi"
	"github.com/crdkit/crdkit/server/storage"
)

// allKinds returns a catalog of the built-in kinds.
func allKinds(t *testing.T) *Catalog {
	t.Helper()
	own, err := serverKinds()
	require.NoError(t, err)
	kubernetes, err := kubernetesKinds()
	require.NoError(t, err)
	return newCatalog(1, nil, slices.Concat(kubernetes, own))
}

// Kinds are sorted by group, resource and version, and can be found by name.
func TestCatalogKinds(t *testing.T) {
	c := allKinds(t)
	kinds := c.Kinds()
	require.True(t, slices.IsSortedFunc(kinds, func(a, b *Kind) int {
		return cmp.Or(strings.Compare(a.Group, b.Group), strings.Compare(a.Names.Plural, b.Names.Plural), strings.Compare(a.VersionName, b.VersionName))
	}))
	for _, k := range kinds {
		require.Same(t, k, c.Kind(k.Group, k.VersionName, k.Names.Plural))
		require.Same(t, k, c.KindOf(k.Group, k.VersionName, k.Names.Kind))
		require.Equal(t, k.Names, c.Resource(k.Group, k.Names.Plural).Names)
	}
	require.Nil(t, c.Kind("", "v1", "none"))
	require.Nil(t, c.KindOf("", "v1", "none"))
	require.Nil(t, c.Resource("", "none"))
	require.Nil(t, c.Definition("none"))
	scaled := c.Kind("apps", "v1", "deployments")
	require.True(t, scaled.Status && scaled.Scale && scaled.Generation)
	scale, err := scaled.Definition.Lookup().Subresources("v1")
	require.NoError(t, err)
	require.Equal(t, &crd.SubresourceScale{SpecReplicasPath: ".spec.replicas", StatusReplicasPath: ".status.replicas"}, scale.Scale)
}

// Discovery has each group once, without the core group.
func TestCatalogDiscovery(t *testing.T) {
	c := allKinds(t)
	var groups []string
	for _, g := range c.Discovery().Groups().Groups {
		groups = append(groups, g.Name)
	}
	require.Contains(t, groups, "apps")
	require.Contains(t, groups, crd.Group)
	require.NotContains(t, groups, "")
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(groups))), len(groups))
	require.NotEmpty(t, c.Core().Resources)
	require.Equal(t, "v1", c.Core().GroupVersion)
}

// The OpenAPI documents of version 3 have all kinds, besides custom ones in the same group. A custom kind in the place
// of a built-in one is left out.
func TestOpenAPI(t *testing.T) {
	kinds := func(c *Catalog, key string) []string {
		var d struct {
			Components struct {
				Schemas map[string]struct {
					Kinds []struct{ Kind string } `json:"x-kubernetes-group-version-kind"`
				}
			}
		}
		require.NoError(t, json.Unmarshal(c.OpenAPIV3()[key].AppendJSON(nil), &d))
		var out []string
		for _, s := range d.Components.Schemas {
			if len(s.Kinds) == 1 {
				out = append(out, s.Kinds[0].Kind)
			}
		}
		return out
	}
	c := allKinds(t)
	require.Subset(t, kinds(c, "api/v1"), []string{"Namespace", "Pod", "PodList", "Secret"})
	require.Subset(t, kinds(c, "apis/apps/v1"), []string{"Deployment", "DeploymentList"})
	for _, k := range c.Kinds() {
		require.Contains(t, kinds(c, openapi.Key(k.Group, k.VersionName)), k.Names.Kind)
	}
	for kind, also := range map[string]bool{"Kite": true, "Deployment": false} {
		text := strings.NewReplacer("CONVERSION", "", "wind.example.com", "apps", `"Kite"`, `"`+kind+`"`, "Cluster", "Namespaced").Replace(kites)
		d, err := crd.Parse([]byte(text))
		require.NoError(t, err)
		with := newCatalog(1, []*crd.CustomResourceDefinition{d}, slices.Concat(c.Kinds(), kindsOf(d, nil, false)))
		want := len(kinds(c, "apis/apps/v1"))
		if also {
			want += 2
		}
		require.Len(t, kinds(with, "apis/apps/v1"), want, kind)
	}
	k, _ := keeperWith(t, "")
	require.Equal(t, []string{"Namespace", "NamespaceList"}, slices.Sorted(slices.Values(slices.DeleteFunc(kinds(k.Catalog(), "api/v1"), func(kind string) bool {
		return !strings.HasPrefix(kind, "Namespace")
	}))))
	require.NotContains(t, k.Catalog().OpenAPIV3(), "apis/apps/v1")
}

// Only definitions and namespaces have descriptions.
func TestDescribed(t *testing.T) {
	for _, k := range allKinds(t).Kinds() {
		name := k.Names.Plural + "." + k.Group
		require.Equal(t, name == Definitions+"."+crd.Group || name == Namespaces+".", k.Described(), name)
	}
	require.False(t, (&Kind{Names: crd.Names{Plural: Definitions}, Group: "example.org"}).Described())
	require.False(t, (&Kind{Names: crd.Names{Plural: Namespaces}, Group: "example.org"}).Described())
}

// Types are converted to schemas. The fields of an embedded type become fields of the outer type.
func TestTypes(t *testing.T) {
	types := Types{
		"Outer": {Fields: []Field{{Type: "Inner"}, {Name: "own", Type: "{}[]int"}, {Name: "set", Type: "[]string", List: "set"},
			{Name: "map", Type: "[]Inner", List: "map", Keys: []string{"a"}}}},
		"Inner":  {Fields: []Field{{Name: "a", Type: "string", Default: "x"}}},
		"Atomic": {Atomic: true},
	}
	require.Equal(t, "a", types.Field("Outer", "a").Name)
	require.Equal(t, "own", types.Field("Outer", "own").Name)
	require.Nil(t, types.Field("Outer", "none"))
	require.Nil(t, types.Field("None", "a"))
	text, withDefault := document{"type": "string"}, document{"type": "string", "default": "x"}
	inner := document{"type": "object", "properties": document{"a": withDefault}}
	for of, want := range map[string]document{
		"bool": {"type": "boolean"}, "int": {"type": "integer"}, "float": {"type": "number"}, "bytes": text, "time": text,
		"quantity": {"x-kubernetes-int-or-string": true}, "intOrString": {"x-kubernetes-int-or-string": true},
		"raw":    {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
		"Inner":  inner,
		"Atomic": {"type": "object", "properties": document{}, "x-kubernetes-map-type": "atomic"},
		"Outer": {"type": "object", "properties": document{
			"a": withDefault, "own": document{"type": "object", "additionalProperties": document{"type": "array", "items": document{"type": "integer"}}},
			"set": document{"type": "array", "items": text, "x-kubernetes-list-type": "set"},
			"map": document{"type": "array", "items": inner, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []string{"a"}},
		}},
	} {
		require.Equal(t, want, types.schema(of, false), of)
	}
}

const kites = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"kites.wind.example.com"},
	"spec":{"group":"wind.example.com","scope":"Cluster","names":{"plural":"kites","kind":"Kite"},"versions":[{"name":"v1","served":true,"storage":true,
	"schema":{"openAPIV3Schema":{"type":"object"}}}]CONVERSION},"status":{"conditions":[{"type":"Established","status":"True"}]}}`

// keeperWith returns a keeper of a store with a definition that has a conversion, and its log.
func keeperWith(t *testing.T, conversion string) (*Keeper, *strings.Builder) {
	t.Helper()
	store := storage.NewMemory(storage.MemoryOptions{})
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	var log strings.Builder
	k, err := NewKeeper(t.Context(), store, Options{Log: slog.New(slog.NewTextHandler(&log, nil)), CustomOnly: true})
	require.NoError(t, err)
	_, err = store.Create(t.Context(), definitionsPrefix+"kites.wind.example.com", []byte(strings.Replace(kites, "CONVERSION", conversion, 1)))
	require.NoError(t, err)
	require.NoError(t, k.follower.Load(t.Context()))
	return k, &log
}

// Webhooks with a URL are called. Others cannot be called, but their kinds are served.
func TestKeeperConversion(t *testing.T) {
	for _, conversion := range []string{
		"", `,"conversion":{"strategy":"None"}`, `,"conversion":{"strategy":"Webhook"}`, `,"conversion":{"strategy":"Webhook","webhook":{}}`,
		`,"conversion":{"strategy":"Webhook","webhook":{"clientConfig":{"service":{"name":"a","namespace":"b"}}}}`,
		`,"conversion":{"strategy":"Webhook","webhook":{"clientConfig":{"url":"https://example.org"},"conversionReviewVersions":["v1"]}}`,
	} {
		k, log := keeperWith(t, conversion)
		require.NotNil(t, k.Catalog().Kind("wind.example.com", "v1", "kites"), "%s: %s", conversion, log)
	}
}

// A definition that cannot be decoded or compiled is logged and not served.
func TestKeeperErrors(t *testing.T) {
	k, log := keeperWith(t, "")
	require.NotNil(t, k.Catalog().Kind("wind.example.com", "v1", "kites"), log)
	k.put(definitionsPrefix+"kites.wind.example.com", []byte(strings.Replace(strings.Replace(kites, "CONVERSION", "", 1), `"type":"object"`, `"type":"wrong"`, 1)), 9)
	require.Contains(t, log.String(), `msg="a definition that cannot be compiled is not served" name=kites.wind.example.com error=`)
	k.put("a-key", []byte("{"), 9)
	require.Contains(t, log.String(), `msg="a definition that cannot be read is left out" key=a-key error=`)
	k.publish(9)
	require.Nil(t, k.Catalog().Kind("wind.example.com", "v1", "kites"))
	require.NotNil(t, k.Catalog().Definition("kites.wind.example.com"), "it is stored all the same")
}

// A definition that has become unreadable stays as it was before, whether its change is seen or all definitions are
// read again.
func TestKeeperUnreadableChange(t *testing.T) {
	k, log := keeperWith(t, "")
	compiled, closed := k.Catalog().Kind("wind.example.com", "v1", "kites").Compiled(), 0
	compiled.closeWebhook = func() { closed++ }
	item, err := k.follower.Store.Get(t.Context(), definitionsPrefix+"kites.wind.example.com")
	require.NoError(t, err)
	same := func() {
		t.Helper()
		require.Contains(t, log.String(), "a changed definition cannot be read: the one before is kept")
		require.NotContains(t, log.String(), "left out")
		require.Same(t, compiled, k.Catalog().Kind("wind.example.com", "v1", "kites").Compiled())
		require.NotNil(t, k.Catalog().Definition("kites.wind.example.com"))
		require.Zero(t, closed)
		log.Reset()
	}
	k.put(item.Key, []byte("{"), 9)
	k.publish(9)
	same()
	_, err = k.follower.Store.Update(t.Context(), item.Key, []byte(`{"metadata":{},"spec":1}`), item.Revision)
	require.NoError(t, err)
	require.NoError(t, k.follower.Load(t.Context()))
	same()
}

// Of kinds whose names conflict in OpenAPI, the document has the first: in each version by itself.
func TestOpenAPIConflict(t *testing.T) {
	const v1, v2 = `"name":"v1","served":true,"storage":true`, `"name":"v2","served":true,"storage":false`
	schema := `,"schema":{"openAPIV3Schema":{"type":"object"}}`
	define := func(plural, kind, versions string) *crd.CustomResourceDefinition {
		d, err := crd.Parse([]byte(strings.NewReplacer("kites", plural, "Kite", kind, "{"+v1+schema+"}", versions,
			"CONVERSION", "").Replace(strings.ReplaceAll(strings.ReplaceAll(kites, "\n", ""), "\t", ""))))
		require.NoError(t, err)
		return d
	}
	a := define("kites", "Kite", "{"+v1+schema+"}")
	b := define("kits", "Kite", "{"+v1+schema+"},{"+v2+schema+"}")
	var kinds []*Kind
	for _, d := range []*crd.CustomResourceDefinition{a, b} {
		kinds = append(kinds, kindsOf(d, nil, false)...)
	}
	docs := newCatalog(1, []*crd.CustomResourceDefinition{a, b}, kinds).OpenAPIV3()
	text := func(version string) string { return string(docs["apis/wind.example.com/"+version].AppendJSON(nil)) }
	require.Contains(t, text("v1"), "/kites")
	require.NotContains(t, text("v1"), "/kits")
	require.Contains(t, text("v2"), "/kits")
}

// The connections to a webhook are closed when its definition is changed or deleted, and when the keeper ends.
func TestKeeperClosesWebhooks(t *testing.T) {
	closed := 0
	with := func() *Keeper {
		k, _ := keeperWith(t, "")
		closed = 0
		for _, s := range k.stored {
			s.compiled.closeWebhook = func() { closed++ }
		}
		return k
	}
	k := with()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	k.Run(ended)
	require.Equal(t, 1, closed)

	k = with()
	item, err := k.follower.Store.Get(t.Context(), definitionsPrefix+"kites.wind.example.com")
	require.NoError(t, err)
	k.put(item.Key, item.Value, item.Revision)
	require.Zero(t, closed, "the spec has not changed")
	k.put(item.Key, []byte(strings.Replace(string(item.Value), `"served":true`, `"served":false`, 1)), 9)
	require.Equal(t, 1, closed)

	k = with()
	_, err = k.follower.Store.Delete(t.Context(), item.Key, item.Revision)
	require.NoError(t, err)
	require.NoError(t, k.follower.Load(t.Context()))
	require.Equal(t, 1, closed)
	require.Nil(t, k.Catalog().Definition("kites.wind.example.com"))
}

// Requests to a webhook time out after 30 seconds, and have the timeout as a query parameter.
func TestWebhookTimeout(t *testing.T) {
	require.Equal(t, "30s", webhookTimeout.String())
	var query string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query = r.URL.RawQuery
		w.Write([]byte("{}"))
	}))
	defer server.Close()
	w := newWebhook(server.URL, nil)
	defer w.client.CloseIdleConnections()
	require.Equal(t, webhookTimeout, w.client.Timeout)
	_, err := w.post(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, "timeout=30s", query)
}
