package crdcheck

import (
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/ruleset"
	"github.com/crdkit/crdkit/schema"
)

// maxSelectableFields is the maximum number of different fields in a version (LIM-001).
const maxSelectableFields = 8

// checkVersionSelectableFields checks the fields of one version, at that path: CVL-054.
func (c *checker) checkVersionSelectableFields(v *crd.Version, at *field.Path, s *compiledSchema) {
	switch {
	case len(v.SelectableFields) == 0:
	case s == nil:
		c.add(field.Invalid(at.Child("selectableFields"), "", "may only be set when `version.schema.openAPIV3Schema` is not included"))
	default:
		c.checkSelectableFields(v.SelectableFields, at, s, v.Name)
	}
}

// checkTopSelectableFields checks the fields of all versions. CVL-055: if the versions of a v1 definition have the same
// selectable fields but different schemas, the error is that there is no schema.
func (c *checker) checkTopSelectableFields(path *field.Path) {
	switch {
	case len(c.spec.SelectableFields) == 0:
	case c.spec.Validation == nil:
		c.add(field.Invalid(path.Child("selectableFields"), "", "may only be set when validations.schema is included"))
	default:
		c.checkSelectableFields(c.spec.SelectableFields, path, c.top, "")
	}
}

// checkSelectableFields: CVL-054, CVL-056, CVL-057. Without a schema, or with one that it cannot compile, a server
// crashes; here no path is valid then (PAN-001, PAN-002).
func (c *checker) checkSelectableFields(fields []crd.SelectableField, at *field.Path, s *compiledSchema, version string) {
	var p *schema.JSONSchemaProps
	if s != nil {
		if e := s.unsupportedError(); e != nil {
			c.add(moved(e, at.Child("schema").Child("openAPIV3Schema")))
		} else {
			p = s.props
		}
	}
	at = at.Child("selectableFields")
	seen := make(map[string]bool, len(fields))
	for i := range fields {
		path, at := fields[i].JSONPath, at.Index(i).Child("jsonPath")
		if path == "" {
			c.add(field.Required(at, ""))
			continue
		}
		place, target, err := ruleset.ResolvePathIn(p, path, false)
		if err != nil {
			c.add(field.Invalid(at, path, "is an invalid path: "+err.Error()))
			continue
		}
		if place.Segments()[0].Key == "metadata" {
			c.add(field.Invalid(at, path, "must not point to fields in metadata"))
		}
		if target == nil || target.Type != "string" && target.Type != "boolean" && target.Type != "integer" {
			c.add(field.Invalid(at, path, "must point to a field of type string, boolean or integer. "+
				"Enum string fields and strings with formats are allowed."))
		}
		text := place.String()
		if seen[text] {
			c.add(field.Duplicate(at, path))
		}
		seen[text] = true
	}
	if len(seen) > maxSelectableFields && !c.on.tooManyFields[version] {
		c.add(field.TooMany(at, int64(len(seen)), maxSelectableFields))
	}
}
