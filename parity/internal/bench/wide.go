package bench

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Wide returns two subjects with a generated schema of a thousand fields in 40 sections: an object that has nearly all
// fields and a list with 200 entries, and an object that has five fields.
func Wide() ([]*Subject, error) {
	sections, full := map[string]any{}, map[string]any{}
	for i := range 40 {
		fields, values := map[string]any{}, map[string]any{}
		for j := range 25 {
			name := fmt.Sprintf("field%02d", j)
			switch j % 5 {
			case 0:
				fields[name], values[name] = map[string]any{"type": "string", "maxLength": 63, "pattern": "^[a-z]+[0-9]*$"}, "value1"
			case 1:
				fields[name], values[name] = map[string]any{"type": "integer", "format": "int32", "minimum": 0, "maximum": 1000}, 17
			case 2:
				fields[name] = map[string]any{"type": "boolean", "default": true}
			case 3:
				fields[name], values[name] = map[string]any{"type": "string", "enum": []any{"A", "B", "C", "D"}}, "C"
			case 4:
				fields[name], values[name] = map[string]any{"type": "array", "items": map[string]any{"type": "number"}}, []any{1, 2.5}
			}
		}
		name := fmt.Sprintf("section%02d", i)
		sections[name], full[name] = map[string]any{"type": "object", "required": []any{"field00"}, "properties": fields}, values
	}
	sections["entries"] = map[string]any{
		"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []any{"name"},
		"items": map[string]any{
			"type": "object", "required": []any{"name"},
			"properties": map[string]any{
				"name": map[string]any{"type": "string", "minLength": 1}, "weight": map[string]any{"type": "integer", "default": 1},
				"labels": map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "string"}},
			},
		},
	}
	entries := make([]any, 200)
	for i := range entries {
		entries[i] = map[string]any{"name": fmt.Sprintf("entry%03d", i), "labels": map[string]any{"a": "x", "b": "y"}}
	}
	full["entries"] = entries
	sparse := map[string]any{
		"section07": map[string]any{"field00": "a", "field01": 3}, "section31": map[string]any{"field00": "b"}, "entries": entries[:2],
	}
	definition := Definition("Wide", map[string]any{"type": "object", "properties": sections})
	var all []*Subject
	for _, o := range []struct {
		name string
		spec map[string]any
	}{{"wide-dense", full}, {"wide-sparse", sparse}} {
		s, err := FromMaps(o.name, definition, Object("Wide", o.spec))
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// Definition returns a definition of a kind whose spec has the schema.
func Definition(kind string, spec map[string]any) map[string]any {
	plural := strings.ToLower(kind) + "s"
	return map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": plural + ".example.org"},
		"spec": map[string]any{
			"group": "example.org", "scope": "Namespaced", "names": map[string]any{"plural": plural, "kind": kind},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "properties": map[string]any{"spec": spec}}},
			}},
		},
	}
}

// Object returns an object of a kind.
func Object(kind string, spec map[string]any) map[string]any {
	return map[string]any{"apiVersion": "example.org/v1", "kind": kind, "metadata": map[string]any{"name": "w", "namespace": "n"}, "spec": spec}
}

// FromMaps is New for documents that are maps.
func FromMaps(name string, definition, object map[string]any) (*Subject, error) {
	var texts [2][]byte
	for i, document := range []map[string]any{definition, object} {
		var err error
		if texts[i], err = json.Marshal(document); err != nil {
			return nil, err
		}
	}
	return New(name, texts[0], texts[1])
}
