package cli

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/position"
	"github.com/crdkit/crdkit/unstructured"
)

// A schemaSpot is a schema in a definition: where it is, and what it says.
type schemaSpot struct {
	at     []field.Segment
	schema map[string]any
}

// child returns the schema that one of its keywords has.
func (s schemaSpot) child(keywords ...string) (schemaSpot, bool) {
	at, schema := slices.Clip(s.at), s.schema
	for _, k := range keywords {
		below, ok := schema[k].(map[string]any)
		if !ok {
			return s, false
		}
		at, schema = append(at, field.Segment{Key: k}), below
	}
	return schemaSpot{at, schema}, true
}

// schemaPlace returns where a version's schema says something of the values at a path, which is as in a [compat.Finding]: the key of a keyword,
// or the item of it that is a text or a rule, if it has that. For the keywords required and properties the path is that of a field, and the place
// is in the schema around it. Without the keyword it is the key of the schema, or of the nearest around it.
func (d *definition) schemaPlace(version, path, keyword, item string) position.Position {
	root, ok := d.schemaOf(version)
	if !ok {
		return d.versionPlace(version)
	}
	chain, rest := schemaChain([]schemaSpot{root}, path)
	last := len(chain) - 1
	switch {
	case keyword == "required" || keyword == "properties":
		item = strings.TrimPrefix(rest, ".")
		if rest == "" && last > 0 {
			end := chain[last].at
			item = end[len(end)-1].Key
			last--
		}
	case rest != "" && item == "":
		return d.keyPlace(chain[last].at)
	}
	for i := last; i >= 0; i-- {
		items, _ := chain[i].schema[keyword].([]any)
		for k, v := range items {
			rule, _ := v.(map[string]any)
			if at := append(slices.Clip(chain[i].at), field.Segment{Key: keyword}, field.Segment{Index: k, IsIndex: true}); v == item || rule["rule"] == item {
				return d.locate().Nearest(d.whole(at))
			}
		}
	}
	at := append(slices.Clip(chain[last].at), field.Segment{Key: keyword})
	if p, ok := d.locate().Key(d.whole(at)); ok {
		return p
	}
	return d.keyPlace(chain[last].at)
}

// keyPlace returns the place of a key, or of the nearest around it.
func (d *definition) keyPlace(at []field.Segment) position.Position {
	return d.locate().Nearest(d.whole(at))
}

// schemaChain goes down from the last of some schemas to that of the values at a path. It returns all on the way, as far as there are any, and
// what is left of the path. Since names may have dots in them, it tries the longer ones first.
func schemaChain(chain []schemaSpot, path string) ([]schemaSpot, string) {
	if path == "" {
		return chain, ""
	}
	here := chain[len(chain)-1]
	best, left := chain, path
	try := func(below schemaSpot, rest string) bool {
		c, l := schemaChain(append(slices.Clip(chain), below), rest)
		if len(l) < len(left) {
			best, left = c, l
		}
		return left == ""
	}
	if rest, ok := strings.CutPrefix(path, "[*]"); ok {
		for _, k := range []string{"items", "additionalProperties"} {
			if below, ok := here.child(k); ok && try(below, rest) {
				break
			}
		}
		return best, left
	}
	name := strings.TrimPrefix(path, ".")
	props, _ := here.schema["properties"].(map[string]any)
	for _, k := range slices.SortedFunc(maps.Keys(props), func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) }) {
		rest, ok := strings.CutPrefix(name, k)
		if !ok || k == "" || rest != "" && rest[0] != '.' && rest[0] != '[' {
			continue
		}
		if below, ok := here.child("properties", k); ok && try(below, rest) {
			break
		}
	}
	return best, left
}

// object returns the definition's document as an object.
func (d *definition) object() map[string]any {
	if d.decoded == nil {
		d.decoded, _ = unstructured.DecodeJSON(d.json()) // Invariant: it has been parsed
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

// schemaOf returns the schema of a version: its own, or, in v1beta1, that of all.
func (d *definition) schemaOf(version string) (schemaSpot, bool) {
	spec, _ := schemaSpot{schema: d.object()}.child("spec")
	if i := d.versionIndex(version); i >= 0 {
		versions, _ := spec.schema["versions"].([]any)
		own, _ := versions[i].(map[string]any)
		s := schemaSpot{append(slices.Clip(spec.at), field.Segment{Key: "versions"}, field.Segment{Index: i, IsIndex: true}), own}
		if s, ok := s.child("schema", "openAPIV3Schema"); ok {
			return s, true
		}
	}
	return spec.child("validation", "openAPIV3Schema")
}

// versionPlace returns the place of a version's name, or of the versions.
func (d *definition) versionPlace(name string) position.Position {
	at := []field.Segment{{Key: "spec"}, {Key: "versions"}}
	if i := d.versionIndex(name); i >= 0 {
		at = append(at, field.Segment{Index: i, IsIndex: true}, field.Segment{Key: "name"})
	}
	return d.keyPlace(at)
}
