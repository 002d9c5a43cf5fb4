package cli

import (
	"maps"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/tool/yamltext"
	"github.com/crdkit/crdkit/unstructured"
)

// A locatedSchema is a schema with its path in a definition.
type locatedSchema struct {
	path   []field.Segment
	schema map[string]any
}

// child returns the object below some keys. It reports false if there is none.
func (s locatedSchema) child(keys ...string) (locatedSchema, bool) {
	path, schema := slices.Clip(s.path), s.schema
	for _, k := range keys {
		value, ok := schema[k].(map[string]any)
		if !ok {
			return s, false
		}
		path, schema = append(path, field.Segment{Key: k}), value
	}
	return locatedSchema{path, schema}, true
}

// schemaPosition returns the position of a keyword in the schema of a version, for the values at a path as in a
// [compat.Finding]. If item is not empty, it is the position of the item of the keyword with that text, or of the rule
// with that expression. The keywords required and properties are those of the parent, about the field at the path.
// Without the keyword it is the position of the schema, or of the nearest schema above it.
func (d *definition) schemaPosition(version, path, keyword, item string) yamltext.Position {
	root, ok := d.schemaOf(version)
	if !ok {
		return d.versionPosition(version)
	}
	chain, rest := schemaChain([]locatedSchema{root}, path)
	last := len(chain) - 1
	switch {
	case keyword == "required" || keyword == "properties":
		item = strings.TrimPrefix(rest, ".")
		if rest == "" && last > 0 {
			end := chain[last].path
			item = end[len(end)-1].Key
			last--
		}
	case rest != "" && item == "":
		return d.Nearest(chain[last].path)
	}
	for i := last; i >= 0; i-- { // a rule may be that of a parent
		items, _ := chain[i].schema[keyword].([]any)
		for k, v := range items {
			if rule, _ := v.(map[string]any); v == item || rule["rule"] == item {
				return d.Nearest(append(slices.Clip(chain[i].path), field.Segment{Key: keyword}, field.Segment{Index: k, IsIndex: true}))
			}
		}
	}
	return d.Nearest(append(slices.Clip(chain[last].path), field.Segment{Key: keyword}))
}

// schemaChain extends a chain of schemas, from its last one down to the schema of the values at a path. It returns the
// chain, and the rest of the path for which there is no schema. Names may contain dots, so it tries longer names first.
func schemaChain(chain []locatedSchema, path string) ([]locatedSchema, string) {
	if path == "" {
		return chain, ""
	}
	here := chain[len(chain)-1]
	longest, shortestRest := chain, path
	try := func(child locatedSchema, rest string) {
		c, r := schemaChain(append(slices.Clip(chain), child), rest)
		if len(r) < len(shortestRest) {
			longest, shortestRest = c, r
		}
	}
	if rest, ok := strings.CutPrefix(path, "[*]"); ok {
		for _, k := range []string{"items", "additionalProperties"} {
			if child, ok := here.child(k); ok {
				try(child, rest)
			}
		}
		return longest, shortestRest
	}
	path = strings.TrimPrefix(path, ".")
	props, _ := here.schema["properties"].(map[string]any)
	for _, k := range slices.SortedFunc(maps.Keys(props), func(a, b string) int { return len(b) - len(a) }) {
		rest, ok := strings.CutPrefix(path, k)
		if !ok || k == "" || rest != "" && rest[0] != '.' && rest[0] != '[' {
			continue
		}
		if child, ok := here.child("properties", k); ok {
			try(child, rest)
		}
	}
	return longest, shortestRest
}

// object returns the definition's document as an object.
func (d *definition) object() map[string]any {
	if d.decoded == nil {
		d.decoded, _ = unstructured.DecodeJSON(d.json()) // Invariant: it has been parsed as a definition
	}
	return d.decoded
}

// versionIndex returns the index of a version in the document, or -1.
func (d *definition) versionIndex(name string) int {
	spec, _ := d.object()["spec"].(map[string]any)
	versions, _ := spec["versions"].([]any)
	return slices.IndexFunc(versions, func(v any) bool {
		version, _ := v.(map[string]any)
		return version["name"] == name
	})
}

// schemaOf returns the schema of a version: its own or, in v1beta1, that of all versions.
func (d *definition) schemaOf(version string) (locatedSchema, bool) {
	spec, _ := locatedSchema{schema: d.object()}.child("spec")
	if i := d.versionIndex(version); i >= 0 {
		versions, _ := spec.schema["versions"].([]any)
		own, _ := versions[i].(map[string]any)
		s := locatedSchema{append(slices.Clip(spec.path), field.Segment{Key: "versions"}, field.Segment{Index: i, IsIndex: true}), own}
		if s, ok := s.child("schema", "openAPIV3Schema"); ok {
			return s, true
		}
	}
	return spec.child("validation", "openAPIV3Schema")
}

// versionPosition returns the position of a version's name, or of the versions.
func (d *definition) versionPosition(name string) yamltext.Position {
	path := []field.Segment{{Key: "spec"}, {Key: "versions"}}
	if i := d.versionIndex(name); i >= 0 {
		path = append(path, field.Segment{Index: i, IsIndex: true}, field.Segment{Key: "name"})
	}
	return d.Nearest(path)
}
