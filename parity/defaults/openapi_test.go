package main

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/openapi"
	"github.com/crdkit/crdkit/server"
	"github.com/crdkit/crdkit/server/storage"
)

// The OpenAPI documents of version 3 have the fields of each built-in kind, with the types and the kinds of lists, that
// those of Kubernetes have, which come with its module.
func TestOpenAPI(t *testing.T) {
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes").Output()
	require.NoError(t, err)
	s, err := server.New(t.Context(), server.Options{Store: storage.NewMemory(storage.MemoryOptions{})})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	kinds, err := readKinds()
	require.NoError(t, err)
	compared := 0
	for _, k := range kinds {
		key := openapi.Key(k.Group, k.Version)
		file := filepath.Join(strings.TrimSpace(string(dir)), "api/openapi-spec/v3", strings.ReplaceAll(key, "/", "__")+"_openapi.json")
		theirs, err := os.ReadFile(file)
		if os.IsNotExist(err) {
			continue // a group of another server, or one that is no longer served
		}
		require.NoError(t, err)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/openapi/v3/"+key, nil))
		require.Equal(t, 200, w.Code, "%s: %s", key, w.Body)
		got, want := readSchemas(t, w.Body.Bytes()).fields(k.Group, k.Version, k.Kind), readSchemas(t, theirs).fields(k.Group, k.Version, k.Kind)
		if want == nil {
			continue // no objects of this kind are stored
		}
		compared++
		require.Equal(t, want, got, k.Type)
	}
	require.Greater(t, compared, 50)
}

// schemas are the schemas of an OpenAPI document, by name.
type schemas map[string]map[string]any

func readSchemas(t *testing.T, document []byte) schemas {
	t.Helper()
	var d struct{ Components struct{ Schemas schemas } }
	require.NoError(t, json.Unmarshal(document, &d))
	return d.Components.Schemas
}

// fields returns what is said about each field of a kind, by its path without metadata. It is nil if there is no such
// kind.
func (s schemas) fields(group, version, kind string) map[string]string {
	for _, schema := range s {
		names, _ := schema["x-kubernetes-group-version-kind"].([]any)
		for _, n := range names {
			n := n.(map[string]any)
			if n["group"] == group && n["version"] == version && n["kind"] == kind {
				out := map[string]string{}
				s.add(out, "", schema)
				return out
			}
		}
	}
	return nil
}

func (s schemas) add(out map[string]string, path string, schema map[string]any) {
	if path == ".metadata" {
		return
	}
	list, keys := schema["x-kubernetes-list-type"], schema["x-kubernetes-list-map-keys"]
	for schema["$ref"] != nil || schema["allOf"] != nil {
		if all, is := schema["allOf"].([]any); is {
			schema = all[0].(map[string]any)
		}
		if ref, is := schema["$ref"].(string); is {
			schema = s[ref[strings.LastIndexByte(ref, '/')+1:]]
		}
	}
	of := schema["type"]
	switch {
	case schema["x-kubernetes-int-or-string"] == true, schema["oneOf"] != nil:
		of = "integer or string"
	case of == nil || schema["x-kubernetes-preserve-unknown-fields"] == true:
		of = "object"
	}
	out[path] = fmt.Sprint(of)
	if format := schema["format"]; format == "byte" || format == "date-time" {
		out[path] += fmt.Sprint(" ", format)
	}
	if list == "set" || list == "map" {
		out[path] += fmt.Sprint(" ", list, " ", keys)
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, p := range properties {
		s.add(out, path+"."+name, p.(map[string]any))
	}
	if items, is := schema["items"].(map[string]any); is {
		s.add(out, path+"[]", items)
	}
	if values, is := schema["additionalProperties"].(map[string]any); is {
		s.add(out, path+"{}", values)
	}
}
