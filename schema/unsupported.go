package schema

import (
	"fmt"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// unsupported returns the error text for the first thing in p or in the schemas below it that a structural schema
// cannot express. It is empty if there is none.
func unsupported(p *JSONSchemaProps) string {
	if unsupportedBelow(p, 0, false) == "" {
		return ""
	}
	return unsupportedBelow(p, 0, true)
}

// unsupportedBelow is [unsupported] for p at a depth. The order of the search is that of STC-003, with the properties
// by name, or in any order, which is faster.
func unsupportedBelow(p *JSONSchemaProps, depth int, byName bool) string {
	if p == nil {
		return ""
	}
	if depth > jsonval.MaxDepth {
		return fmt.Sprintf("must not be nested deeper than %d levels", jsonval.MaxDepth)
	}
	if keyword := unsupportedFirst(p); keyword != "" {
		return "OpenAPIV3Schema '" + keyword + "' is not supported"
	}
	if text := unsupportedBelow(p.Not, depth+1, byName); text != "" {
		return text
	}
	for _, branches := range [...][]*JSONSchemaProps{p.AllOf, p.AnyOf, p.OneOf} {
		for _, branch := range branches {
			if text := unsupportedBelow(branch, depth+1, byName); text != "" {
				return text
			}
		}
	}
	if text := unsupportedLast(p); text != "" {
		return text
	}
	if text := unsupportedBelow(itemsOf(p), depth+1, byName); text != "" {
		return text
	}
	var text string
	if !eachOf(p.Properties, byName, func(_ string, q *JSONSchemaProps) bool {
		text = unsupportedBelow(q, depth+1, byName)
		return text == ""
	}) {
		return text
	}
	if p.AdditionalProperties != nil {
		return unsupportedBelow(p.AdditionalProperties.Schema, depth+1, byName)
	}
	return ""
}

// unsupportedFirst returns the keyword, as errors name it, that is unsupported in p itself and is reported before the
// combinators. `$ref: ""` and empty maps are supported.
func unsupportedFirst(p *JSONSchemaProps) string {
	switch {
	case p.ID != "":
		return "id"
	case p.Schema != "":
		return "schema"
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

// unsupportedLast returns the error text for what is unsupported in p itself and is reported after the combinators.
func unsupportedLast(p *JSONSchemaProps) string {
	switch {
	case p.XPreserveUnknownFields != nil && !*p.XPreserveUnknownFields:
		return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
	case p.Items != nil && len(p.Items.Schemas) > 0:
		return "OpenAPIV3Schema 'items' must be a schema, but is an array"
	}
	return ""
}
