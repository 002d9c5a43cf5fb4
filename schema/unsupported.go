package schema

import (
	"fmt"
	"slices"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
)

// A fault is something that a structural schema cannot express.
type fault struct {
	text    string     // of an error
	keyword string     // empty if the schema is nested too deeply
	above   []Location // of the schema with the keyword, and those around it; the innermost first
}

// place returns the path of the schema with the keyword.
func (f *fault) place() string {
	var at *field.Path
	for _, loc := range slices.Backward(f.above) {
		at = loc.Path(at)
	}
	if at == nil {
		return ""
	}
	return at.String()
}

// unsupported returns the first thing in p or in the schemas below it that a structural schema cannot express, or nil.
func unsupported(p *JSONSchemaProps) *fault {
	if unsupportedBelow(p, 0, false) == nil {
		return nil
	}
	return unsupportedBelow(p, 0, true)
}

// unsupportedBelow is [unsupported] for p at a depth. The order of the search is that of STC-003, with the properties
// by name, or in any order, which is faster.
func unsupportedBelow(p *JSONSchemaProps, depth int, byName bool) (found *fault) {
	if p == nil {
		return nil
	}
	if depth > jsonval.MaxDepth {
		return &fault{text: fmt.Sprintf("must not be nested deeper than %d levels", jsonval.MaxDepth)}
	}
	if keyword := unsupportedFirst(p); keyword != "" {
		named := keyword
		if keyword == "$schema" {
			named = "schema" // as a server names it
		}
		return &fault{text: "OpenAPIV3Schema '" + named + "' is not supported", keyword: keyword}
	}
	// within reports whether there is nothing in the schema at a location.
	within := func(loc Location, q *JSONSchemaProps) bool {
		if found = unsupportedBelow(q, depth+1, byName); found != nil {
			found.above = append(found.above, loc)
		}
		return found == nil
	}
	all := func(keyword string, branches []*JSONSchemaProps) bool {
		for i, branch := range branches {
			if !within(indexed(keyword, i), branch) {
				return false
			}
		}
		return true
	}
	if !within(Location{Keyword: "not"}, p.Not) || !all("allOf", p.AllOf) || !all("anyOf", p.AnyOf) || !all("oneOf", p.OneOf) {
		return found
	}
	if found = unsupportedLast(p); found != nil {
		return found
	}
	if !within(Location{Keyword: "items"}, itemsOf(p)) ||
		!eachOf(p.Properties, byName, func(name string, q *JSONSchemaProps) bool { return within(named("properties", name), q) }) {
		return found
	}
	if p.AdditionalProperties != nil {
		within(Location{Keyword: "additionalProperties"}, p.AdditionalProperties.Schema)
	}
	return found
}

// unsupportedFirst returns the keyword that is unsupported in p itself and is reported before the
// combinators. `$ref: ""` and empty maps are supported.
func unsupportedFirst(p *JSONSchemaProps) string {
	switch {
	case p.ID != "":
		return "id"
	case p.Schema != "":
		return "$schema"
	case p.Ref != nil && *p.Ref != "":
		return "$ref"
	case len(p.PatternProperties) > 0:
		return "patternProperties"
	case len(p.Dependencies) > 0:
		return "dependencies"
	case p.AdditionalItems != nil:
		return "additionalItems"
	case len(p.Definitions) > 0:
		return "definitions"
	}
	return ""
}

// unsupportedLast returns what is unsupported in p itself and is reported after the combinators, or nil.
func unsupportedLast(p *JSONSchemaProps) *fault {
	switch {
	case p.XPreserveUnknownFields != nil && !*p.XPreserveUnknownFields:
		const keyword = "x-kubernetes-preserve-unknown-fields"
		return &fault{text: "internal error: '" + keyword + "' must be true or undefined", keyword: keyword}
	case p.Items != nil && len(p.Items.Schemas) > 0:
		return &fault{text: "OpenAPIV3Schema 'items' must be a schema, but is an array", keyword: "items"}
	}
	return nil
}
