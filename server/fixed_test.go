package server

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/server/storage"
)

// A server of fixed definitions serves their objects, and no definitions.
func TestFixedDefinitions(t *testing.T) {
	d, err := crd.Parse([]byte(kiteDefinition))
	require.NoError(t, err)
	// As it may come out of a cluster: with names of its own that were accepted, and being deleted.
	d.Metadata["deletionTimestamp"], d.Metadata["finalizers"] = "2026-01-01T00:00:00Z", []any{crd.CleanupFinalizer}
	d.Status.AcceptedNames = d.Spec.Names
	d.Status.Conditions = []crd.Condition{{Type: crd.Terminating, Status: "True"}}
	before := string(given.JSON(t, d.Value()))
	defer func() { require.Equal(t, before, string(given.JSON(t, d.Value()))) }()

	store := storage.NewMemory(storage.MemoryOptions{})
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	stored := strings.NewReplacer("kites", "gliders", "Kite", "Glider").Replace(kiteDefinition)
	_, err = store.Create(t.Context(), "/apiextensions.k8s.io/customresourcedefinitions/gliders.wind.example.com", []byte(stored))
	require.NoError(t, err)
	_, c := start(t, Options{Store: store, Definitions: []*crd.CustomResourceDefinition{d}})
	require.Equal(t, 404, send(t, c, "GET", strings.Replace(kites, "kites", "gliders", 1), "").StatusCode, "a stored one is ignored")
	must(t, c, 201, "POST", kites, kite("a", "red"))
	require.Equal(t, "Invalid", must(t, c, 422, "POST", kites, strings.Replace(kite("b", "red"), `"red"`, `5`, 1))["reason"])
	must(t, c, 200, "PATCH", kites+"/a", `{"spec":{"colour":"blue"}}`, "Content-Type", "application/merge-patch+json")
	require.Equal(t, []string{"a"}, namesOf(must(t, c, 200, "GET", kites, "")))
	must(t, c, 201, "POST", "/api/v1/namespaces", `{"metadata":{"name":"other"}}`)
	must(t, c, 201, "POST", strings.Replace(kites, "default", "other", 1), kite("a", "red"))
	must(t, c, 200, "DELETE", "/api/v1/namespaces/other", "")
	require.Eventually(t, func() bool { // and what is in it
		return send(t, c, "GET", "/api/v1/namespaces/other", "").StatusCode == 404
	}, 10*time.Second, 10*time.Millisecond)
	require.Len(t, must(t, c, 200, "GET", allKites, "")["items"], 1, "the sweeper deletes no objects of the definition")

	for _, path := range []string{definitions, definitions + "/kites.wind.example.com", "/apis/apiextensions.k8s.io/v1", "/openapi/v3/apis/apiextensions.k8s.io/v1"} {
		require.Equal(t, 404, send(t, c, "GET", path, "").StatusCode, path)
	}
	require.Equal(t, 404, send(t, c, "POST", definitions, kiteDefinition).StatusCode)
	var groups []any
	for _, g := range must(t, c, 200, "GET", "/apis", "")["groups"].([]any) {
		groups = append(groups, at(g, "name"))
	}
	require.Contains(t, groups, "wind.example.com")
	require.NotContains(t, groups, crd.Group)
	require.Contains(t, must(t, c, 200, "GET", "/openapi/v3", "")["paths"], "apis/wind.example.com/v1")
}

// New reports what is wrong with fixed definitions.
func TestFixedDefinitionsThatAreWrong(t *testing.T) {
	parse := func(replace ...string) *crd.CustomResourceDefinition {
		d, err := crd.Parse([]byte(strings.NewReplacer(replace...).Replace(kiteDefinition)))
		require.NoError(t, err)
		return d
	}
	for _, c := range []struct {
		name string
		of   []*crd.CustomResourceDefinition
		want string
	}{
		{"nil", []*crd.CustomResourceDefinition{nil}, "definition 0 is nil"},
		{"invalid", []*crd.CustomResourceDefinition{parse(`"Kite"`, `""`)}, "definition kites.wind.example.com: [spec.names.singular: Required value, spec.names.kind: Required value"},
		{"twice", []*crd.CustomResourceDefinition{parse(), parse()}, "two definitions kites.wind.example.com"},
		{"a kind of another", []*crd.CustomResourceDefinition{parse(), parse(`kites`, `gliders`)}, `definition gliders.wind.example.com: "KiteList" is already in use`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := New(t.Context(), Options{Definitions: c.of})
			require.ErrorContains(t, err, c.want)
		})
	}
	accepted := func(kind, plural string) *crd.CustomResourceDefinition {
		d := parse("kites", plural, "Kite", kind)
		d.Status.AcceptedNames, d.Status.Conditions = d.Spec.Names, []crd.Condition{{Type: crd.NamesAccepted, Status: "True"}}
		return d
	}
	_, err := New(t.Context(), Options{Definitions: []*crd.CustomResourceDefinition{accepted("Kite", "kites"), accepted("Kite", "gliders")}})
	require.ErrorContains(t, err, `"KiteList" is already in use`, "whatever their status says")

	// Servers before 1.38 do not have the function.
	ruled := parse(`"colour":{"type":"string"}`, `"colour":{"type":"string"},"l":{"type":"array","maxItems":2,"items":{"type":"string","maxLength":2},`+
		`"x-kubernetes-validations":[{"rule":"self.includes('a')"}]}`)
	for version, refused := range map[string]bool{"1.36": true, "": true, "1.38": false} {
		s, err := New(t.Context(), Options{Definitions: []*crd.CustomResourceDefinition{ruled}, Kubernetes: version})
		require.Equal(t, refused, err != nil, "%s: %v", version, err)
		if err == nil {
			require.NoError(t, s.Close())
		}
	}

	// Groups of Kubernetes need an approval.
	ofKubernetes := parse("wind.example.com", "wind.k8s.io")
	_, err = New(t.Context(), Options{Definitions: []*crd.CustomResourceDefinition{ofKubernetes}})
	require.ErrorContains(t, err, "api-approved.kubernetes.io")
	ofKubernetes.Metadata["annotations"] = map[string]any{"api-approved.kubernetes.io": "https://github.com/kubernetes/kubernetes/pull/1"}
	s, err := New(t.Context(), Options{Definitions: []*crd.CustomResourceDefinition{ofKubernetes}})
	require.NoError(t, err)
	require.NoError(t, s.Close())

	_, c := start(t, Options{Definitions: []*crd.CustomResourceDefinition{}, CustomOnly: true})
	require.Equal(t, 404, send(t, c, "GET", kites, "").StatusCode)
	require.Empty(t, must(t, c, 200, "GET", "/apis", "")["groups"])
}
