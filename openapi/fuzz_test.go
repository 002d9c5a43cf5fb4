package openapi

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/schema"
)

// Every definition that can be parsed has documents. They are valid JSON, deterministic, and the kind equals that of a
// slow, simple writer.
func FuzzDocuments(f *testing.F) {
	cases := given.Files(f, "testdata/*.txtar")
	const start = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec:\n  group: g.io\n  names: {plural: ks, kind: K}\n" +
		"  scope: Namespaced\n  versions:\n  - name: v1\n    served: true\n    subresources: {status: {}, scale: {}}\n    schema:\n      openAPIV3Schema:\n"
	for _, path := range cases {
		_, part, _ := strings.Cut(string(given.File(f, path)), ".yaml --\n")
		part, _, _ = strings.Cut(part, "-- ")
		f.Add([]byte(start + "        " + strings.ReplaceAll(strings.TrimSpace(part), "\n", "\n        ")))
	}
	f.Add([]byte(`{"apiVersion":"apiextensions.k8s.io/v1beta1","kind":"CustomResourceDefinition","spec":{"version":"v1","validation":{"openAPIV3Schema":{"type":"object"}}}}`))
	f.Add([]byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"names":{"kind":"\u2028<"},"versions":[{"name":"<"},{"name":"<","served":true}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := crd.Parse(data)
		if err != nil {
			return
		}
		before := given.JSON(t, d)
		for i := range d.Spec.Versions {
			version := d.Spec.Versions[i].Name
			doc := v3(t, d, version)
			checkDocument(t, doc, v3(t, d, version))
			n := namesOf(d, version)
			if n.definition == n.listDefinition || strings.HasPrefix(n.definition, "io.k8s.") {
				continue
			}
			s, err := d.Lookup().Schema(version)
			if err != nil || s == nil || schema.Violations(nil, s) != nil {
				continue
			}
			checkKind(t, s, at(t, doc, "components", "schemas", n.definition))
		}
		checkDocument(t, v2(t, d), v2(t, d))
		all, err := V3All(d)
		if err == nil {
			require.True(t, json.Valid(Index(all).AppendJSON(nil)))
		}
		require.Equal(t, string(before), string(given.JSON(t, d)))
	})
}

func checkDocument(t *testing.T, doc, again *Document) {
	text := doc.AppendJSON(nil)
	require.True(t, json.Valid(text), "%s", text)
	require.Equal(t, text, again.AppendJSON(nil))
}

// checkKind compares the published kind with its schema: at every node, all declared keywords are as package schema
// writes them, except those that publishing replaces.
func checkKind(t *testing.T, s *schema.JSONSchemaProps, got any) {
	g := got.(map[string]any)
	if _, bare := g["properties"]; !bare {
		return // an unknown type
	}
	text := given.JSON(t, s)
	var want any
	require.NoError(t, json.Unmarshal(text, &want))
	sameNode(t, want.(map[string]any), g, true)
}

func sameNode(t *testing.T, want, got map[string]any, resource bool) {
	intOrString := want["x-kubernetes-int-or-string"] == true
	resource = resource || want["x-kubernetes-embedded-resource"] == true
	for key, value := range want {
		switch key {
		case "properties":
			for name, child := range value.(map[string]any) {
				if !resource || !plan.ResourceField(name) {
					require.Contains(t, got["properties"], name)
					sameNode(t, child.(map[string]any), got["properties"].(map[string]any)[name].(map[string]any), false)
				}
			}
		case "items":
			if value != nil {
				sameNode(t, value.(map[string]any), got["items"].(map[string]any), false)
			}
		case "additionalProperties":
			if child, ok := value.(map[string]any); ok {
				sameNode(t, child, got[key].(map[string]any), false)
			} else {
				require.Equal(t, value, got[key])
			}
		case "required":
			require.Equal(t, value, got[key].([]any)[:len(value.([]any))])
		case "allOf", "anyOf", "oneOf", "not":
			if !intOrString {
				require.Contains(t, got, key)
			}
		case "$ref", "example": // an empty reference is ignored; an empty example is not published
		case "x-kubernetes-validations":
			require.Len(t, got[key], len(value.([]any)))
		default:
			require.Equal(t, value, got[key], key)
		}
	}
	if intOrString {
		require.True(t, got["anyOf"] != nil || got["allOf"] != nil)
	}
}
