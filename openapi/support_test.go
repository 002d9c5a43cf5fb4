package openapi

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/test/given"
)

// define returns the definition of a YAML text that has only a spec.
func define(t testing.TB, spec string) *crd.CustomResourceDefinition {
	t.Helper()
	text := "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: shirts.shop.example.com}\nspec:\n"
	for line := range bytes.Lines([]byte(spec)) {
		text += "  " + string(line)
	}
	return given.Definition(t, text)
}

// shirts returns a definition of one version with a schema in YAML's flow style, or without one if it is empty.
func shirts(t testing.TB, schema string) *crd.CustomResourceDefinition {
	t.Helper()
	if schema != "" {
		schema = ", schema: {openAPIV3Schema: " + schema + "}"
	}
	return define(t, "group: shop.example.com\nscope: Namespaced\nnames: {plural: shirts, kind: Shirt}\n"+
		"versions:\n- {name: v1, served: true, storage: true"+schema+"}\n")
}

func v3(t testing.TB, d *crd.CustomResourceDefinition, version string) *Document {
	t.Helper()
	doc, err := V3(d, version)
	require.NoError(t, err)
	return doc
}

func v2(t testing.TB, defs ...*crd.CustomResourceDefinition) *Document {
	t.Helper()
	doc, err := V2(defs...)
	require.NoError(t, err)
	return doc
}

// raw returns the value at a path in a document, as it is written there.
func raw(t testing.TB, doc *Document, path ...string) string {
	t.Helper()
	at := json.RawMessage(doc.AppendJSON(nil))
	require.True(t, json.Valid(at))
	for _, key := range path {
		m := map[string]json.RawMessage{}
		require.NoError(t, json.Unmarshal(at, &m), key)
		require.Contains(t, m, key)
		at = m[key]
	}
	return string(at)
}

// at is like raw, but decodes the value.
func at(t testing.TB, doc *Document, path ...string) (v any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(raw(t, doc, path...)), &v))
	return v
}

// keys returns the keys of the object at a path, in the order of the document.
func keys(t testing.TB, doc *Document, path ...string) (names []string) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader([]byte(raw(t, doc, path...))))
	_, err := dec.Token()
	require.NoError(t, err)
	for dec.More() {
		key, err := dec.Token()
		require.NoError(t, err)
		names = append(names, key.(string))
		var skipped json.RawMessage
		require.NoError(t, dec.Decode(&skipped))
	}
	return names
}

func sortedKeys(v any) []string { return slices.Sorted(maps.Keys(v.(map[string]any))) }

func indented(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, json.Indent(&b, []byte(text), "", "  "))
	return b.String() + "\n"
}

// requireFile compares got with a file of testdata, which -update rewrites.
func requireFile(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if given.Update() {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	require.Equal(t, string(given.File(t, path)), got)
}

// withoutDescriptions returns the value without the descriptions of schemas and parameters.
func withoutDescriptions(v any) any {
	switch x := v.(type) {
	case map[string]any:
		if _, ok := x["description"].(string); ok {
			delete(x, "description")
		}
		for k := range x {
			x[k] = withoutDescriptions(x[k])
		}
	case []any:
		for i := range x {
			x[i] = withoutDescriptions(x[i])
		}
	}
	return v
}
