package crdcheck

import (
	"slices"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/schemadoc"
	"github.com/crdkit/crdkit/internal/since"
	"github.com/crdkit/crdkit/schema"
)

// enforced returns d without the formats that servers of a minor version do not enforce. Unchanged parts are shared. It
// returns a definition that no document can have as it is.
func enforced(d *crd.CustomResourceDefinition, minor since.Minor) *crd.CustomResourceDefinition {
	if since.NumberFormats.In(minor) && since.ShortNameFormats.In(minor) || d == nil || unusable(d) != nil {
		return d
	}
	out := *d
	out.Spec.Validation = enforcedValidation(d.Spec.Validation, minor)
	out.Spec.Versions = slices.Clone(d.Spec.Versions)
	for i := range out.Spec.Versions {
		v := &out.Spec.Versions[i]
		v.Schema = enforcedValidation(v.Schema, minor)
	}
	return &out
}

func enforcedValidation(v *crd.Validation, minor since.Minor) *crd.Validation {
	if v == nil || v.OpenAPIV3Schema == nil {
		return v
	}
	p := enforcedSchema(v.OpenAPIV3Schema, minor)
	if p == v.OpenAPIV3Schema {
		return v
	}
	return &crd.Validation{OpenAPIV3Schema: p}
}

func enforcedSchema(p *schema.JSONSchemaProps, minor since.Minor) *schema.JSONSchemaProps {
	p = schemadoc.MapChildren(p, func(_ schema.Location, q *schema.JSONSchemaProps) *schema.JSONSchemaProps {
		return enforcedSchema(q, minor)
	})
	if format.EnforcedSince(p.Type, p.Format).In(minor) {
		return p
	}
	c := schemadoc.Copy{Schema: p}
	c.Own().Format = ""
	return c.Schema
}
