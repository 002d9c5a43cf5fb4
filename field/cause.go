package field

import (
	"strings"

	"github.com/crdkit/crdkit/internal/origin"
)

//lint:ignore U1000 Error embeds it, unexported, so that it is not part of the API
type cause = origin.Origin

// A Cause is the part of a definition that an error comes from.
type Cause struct {
	// Keyword is the keyword of a schema: "maxLength", "x-kubernetes-validations", "x-kubernetes-list-type". A value of
	// a wrong type is an error of "type", or of "x-kubernetes-int-or-string" if that is in its place; a null where none
	// is allowed is one of "nullable". An error in the metadata of an embedded resource is one of
	// "x-kubernetes-embedded-resource".
	//
	// For an error in a definition it is the wrong keyword of a schema, or, in other parts of the definition, the path
	// of the field without indexes: "spec.names.plural".
	Keyword string
	// Schema is the path of the schema that has the keyword, from the schema of a version:
	// properties[spec].properties[name], properties[ports].items, anyOf[1]. It is empty for the whole schema, and for
	// other parts of a definition. If a function was given a single node, it begins at that.
	Schema string
	// Rule is the index of the rule, and -1 for other keywords, and for an error of all rules together.
	Rule int
}

// Cause returns what in a definition e comes from: a keyword that the value violates, or for an error in a definition
// the wrong keyword. It is the zero Cause for errors of decoding, of an object's own metadata, or of a request, for
// limits of this module, and for errors that were not created by this module.
//
// A bad default in a definition has the keyword that the default violates; the path of the error leads to the default.
func (e *Error) Cause() Cause {
	if e == nil {
		return Cause{}
	}
	if keyword, schema, rule, ok := origin.Stated(e); ok {
		return Cause{keyword, schema, rule}
	}
	steps := e.Path.Segments()
	if above, ok := origin.InSchema(e); ok && above < len(steps) {
		return causeInSchema(steps[above:])
	}
	if origin.InDefinition(e) {
		return causeInDefinition(steps)
	}
	return Cause{}
}

// causeInDefinition returns the cause of an error whose path leads through a definition.
func causeInDefinition(steps []Segment) Cause {
	var keys []string
	for _, s := range steps {
		if !s.IsIndex {
			keys = append(keys, s.Key)
		}
	}
	path := strings.Join(keys, ".")
	below := path + "."
	switch {
	case strings.HasPrefix(below, ".") || strings.HasPrefix(below, "metadata."):
		return Cause{}
	case strings.HasPrefix(below, "spec.validation.openAPIV3Schema.") && len(steps) > 3:
		return causeInSchema(steps[3:])
	case strings.HasPrefix(below, "spec.versions.schema.openAPIV3Schema.") && len(steps) > 5:
		return causeInSchema(steps[5:])
	}
	return Cause{Keyword: path, Rule: origin.NoRule}
}

// causeInSchema returns the cause of an error whose path leads through a schema, and is not empty: the keyword after the
// last schema on the way. If the path ends at a schema, it is the keyword that holds that schema.
func causeInSchema(steps []Segment) Cause {
	c := Cause{Rule: origin.NoRule}
	begin := 0
	for {
		n := toNextSchema(steps[begin:])
		if n == 0 || begin+n == len(steps) {
			c.Keyword = steps[begin].Key
			if rest := steps[begin+1:]; c.Keyword == origin.Validations && len(rest) > 0 && rest[0].IsIndex {
				c.Rule = rest[0].Index
			}
			break
		}
		begin += n
	}
	c.Schema = schemaPath(steps[:begin])
	return c
}

// toNextSchema returns the number of segments that lead from a schema to the next one, or 0 if the first is a keyword
// without a schema.
func toNextSchema(steps []Segment) int {
	hasIndex := len(steps) > 1 && steps[1].IsIndex
	switch steps[0].Key {
	case "properties", "patternProperties", "definitions", "dependencies":
		if len(steps) > 1 && !hasIndex {
			return 2
		}
	case "allOf", "anyOf", "oneOf":
		if hasIndex {
			return 2
		}
	case "items":
		if hasIndex {
			return 2
		}
		return 1
	case "not", "additionalProperties", "additionalItems":
		return 1
	}
	return 0
}

// schemaPath returns the path of a schema.
func schemaPath(steps []Segment) string {
	if len(steps) == 0 {
		return ""
	}
	var p *Path
	for i := 0; i < len(steps); {
		n := toNextSchema(steps[i:])
		p = p.Child(steps[i].Key)
		switch {
		case n == 2 && steps[i+1].IsIndex:
			p = p.Index(steps[i+1].Index)
		case n == 2:
			p = p.Key(steps[i+1].Key)
		}
		i += n
	}
	return p.String()
}
