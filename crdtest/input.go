package crdtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"strings"

	"github.com/crdkit/crdkit/internal/patch"
	"github.com/crdkit/crdkit/unstructured"
)

// object returns a test's object: YAML or JSON in a string, a []byte or a json.RawMessage, or any Go value that encodes
// as a JSON object, with the numbers of a server (DEC-004). An empty text is an empty object.
//
// Clauses: ECT-005.
func object(v any) (map[string]any, error) {
	text, ok := textOf(v)
	switch {
	case v == nil:
		return nil, errors.New("there is no object")
	case !ok:
		return unstructured.FromStruct(v)
	case !hasContent(text):
		return map[string]any{}, nil
	}
	obj, findings, err := unstructured.DecodeStrict(text)
	if err == nil && len(findings) > 0 {
		err = errors.New(strings.Join(findings, ", "))
	}
	return obj, err
}

// textOf returns the text of an object in text form. It reports false for other values.
func textOf(v any) ([]byte, bool) {
	switch x := v.(type) {
	case string:
		return []byte(x), true
	case []byte:
		return x, true
	case json.RawMessage:
		return x, true
	}
	return nil, false
}

// hasContent reports whether a YAML text has more than white space, comments and document separators.
func hasContent(text []byte) bool {
	for line := range bytes.Lines(bytes.TrimPrefix(text, []byte("\ufeff"))) {
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("---")))
		if len(line) > 0 && line[0] != '#' {
			return true
		}
	}
	return false
}

// patched returns obj with a patch in YAML or JSON: a list is a JSON patch (RFC 6902), anything else a merge patch.
//
// Clauses: ECT-008.
func patched(obj map[string]any, text string) (map[string]any, error) {
	body, err := unstructured.YAMLToJSON([]byte(text))
	if err != nil {
		return nil, err
	}
	kind := patch.TypeMerge
	if len(body) > 0 && body[0] == '[' {
		kind = patch.TypeJSON
	}
	out, err := patch.Patched(obj, kind, body)
	if err != nil {
		return nil, err
	}
	return unstructured.DecodeJSON(out)
}

// typeOf returns the group, version and kind of an object, if present.
func typeOf(obj map[string]any) (group, version, kind string) {
	kind, _ = obj["kind"].(string)
	text, _ := obj["apiVersion"].(string)
	group, version, ok := strings.Cut(text, "/")
	if !ok {
		return "", text, kind
	}
	return group, version, kind
}

// filled returns obj with the type of d and a version, and with a name and a namespace, if they are missing.
//
// Clauses: ECT-006.
func filled(obj map[string]any, d *definition, version, name, namespace string) map[string]any {
	out := make(map[string]any, len(obj)+3)
	maps.Copy(out, obj)
	if blank(out["apiVersion"]) {
		out["apiVersion"] = d.Spec.Group + "/" + version
	}
	if blank(out["kind"]) {
		out["kind"] = d.Spec.Names.Kind
	}
	return named(out, name, namespace, d.Spec.Scope == "Namespaced")
}

// named sets a missing name and namespace in obj, which it may modify.
func named(obj map[string]any, name, namespace string, namespaced bool) map[string]any {
	old, ok := obj["metadata"].(map[string]any)
	if !ok && obj["metadata"] != nil {
		return obj // the server reports it
	}
	meta := make(map[string]any, len(old)+2)
	maps.Copy(meta, old)
	if blank(meta["name"]) && blank(meta["generateName"]) {
		meta["name"] = name
	}
	if namespaced && blank(meta["namespace"]) {
		meta["namespace"] = namespace
	}
	obj["metadata"] = meta
	return obj
}

func blank(v any) bool { return v == nil || v == "" }

// identity returns the name and the namespace of an object, or their defaults in tests.
func identity(obj map[string]any) (name, namespace string) {
	meta, _ := obj["metadata"].(map[string]any)
	name, _ = meta["name"].(string)
	namespace, _ = meta["namespace"].(string)
	return cmp.Or(name, "test"), cmp.Or(namespace, "default")
}
