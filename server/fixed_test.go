package server

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
)

// A server of fixed definitions serves their objects, and no definitions.
func TestFixedDefinitions(t *testing.T) {
	d, err := crd.Parse([]byte(kiteDefinition))
	require.NoError(t, err)
	_, c := start(t, Options{Definitions: []*crd.CustomResourceDefinition{d}})
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
	require.Len(t, must(t, c, 200, "GET", allKites, "")["items"], 1)

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
		{"twice", []*crd.CustomResourceDefinition{parse(), parse()}, "kites.wind.example.com"},
		{"a kind of another", []*crd.CustomResourceDefinition{parse(), parse(`kites`, `gliders`)}, `definition gliders.wind.example.com: "KiteList" is already in use`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := New(t.Context(), Options{Definitions: c.of})
			require.ErrorContains(t, err, c.want)
		})
	}
	_, c := start(t, Options{Definitions: []*crd.CustomResourceDefinition{}})
	require.Equal(t, 404, send(t, c, "GET", kites, "").StatusCode)
}
