package kubeversion

import (
	"slices"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/schemadoc"
	"github.com/crdkit/crdkit/internal/since"
	"github.com/crdkit/crdkit/schema"
)

// A reader reads a definition as a server of a minor version does.
type reader struct {
	minor            since.Minor
	unknown, dropped []string
	left             field.Limit // of unknown and dropped together
	omitted          int
}

// has reports whether the server keeps a field of the value at a place. known is the fact that the server knows the
// field, kept the fact that it keeps it by default.
func (r *reader) has(known, kept since.Fact, at *place, name string) bool {
	if known.In(r.minor) && kept.In(r.minor) {
		return true
	}
	if !anyLeft(&r.left) {
		r.omitted++
		return false
	}
	path := at.path.Child(name).String()
	take(&r.left, path)
	if !known.In(r.minor) && !at.lenient {
		r.unknown = append(r.unknown, path)
	} else {
		r.dropped = append(r.dropped, path)
	}
	return false
}

// definition returns d without the fields that the server does not keep, and records them, sorted. Unchanged parts are
// shared.
func (r *reader) definition(d *crd.CustomResourceDefinition) *crd.CustomResourceDefinition {
	out := *d
	spec := &out.Spec
	at := &place{path: field.NewPath("spec")}
	spec.Validation = r.validation(spec.Validation, at.below("validation"))
	spec.SelectableFields = r.selectable(spec.SelectableFields, at)
	spec.Versions = slices.Clone(spec.Versions)
	for i := range spec.Versions {
		v, at := &spec.Versions[i], at.below("versions").item(i)
		v.Schema = r.validation(v.Schema, at.below("schema"))
		v.SelectableFields = r.selectable(v.SelectableFields, at)
	}
	slices.Sort(r.unknown)
	slices.Sort(r.dropped)
	return &out
}

func (r *reader) selectable(fields []crd.SelectableField, at *place) []crd.SelectableField {
	if fields == nil || r.has(since.SelectableFields, since.SelectableFieldsKept, at, "selectableFields") {
		return fields
	}
	return nil
}

func (r *reader) validation(v *crd.Validation, at *place) *crd.Validation {
	if v == nil || v.OpenAPIV3Schema == nil {
		return v
	}
	p := r.schema(v.OpenAPIV3Schema, at.below("openAPIV3Schema"))
	if p == v.OpenAPIV3Schema {
		return v
	}
	return &crd.Validation{OpenAPIV3Schema: p}
}

// node returns p without the parts of its rules that the server does not keep.
func (r *reader) node(p *schema.JSONSchemaProps, at *place) *schema.JSONSchemaProps {
	var rules []schema.ValidationRule
	for i := range p.XValidations {
		rule, at := p.XValidations[i], at.below("x-kubernetes-validations").item(i)
		changed := false
		lose := func(is bool, known, kept since.Fact, name string) bool {
			lost := is && !r.has(known, kept, at, name)
			changed = changed || lost
			return lost
		}
		if lose(rule.MessageExpression != "", since.MessageExpression, since.Always, "messageExpression") {
			rule.MessageExpression = ""
		}
		if lose(rule.Reason != nil, since.ReasonAndFieldPath, since.Always, "reason") {
			rule.Reason = nil
		}
		if lose(rule.FieldPath != "", since.ReasonAndFieldPath, since.Always, "fieldPath") {
			rule.FieldPath = ""
		}
		if lose(rule.OptionalOldSelf != nil, since.OptionalOldSelf, since.OptionalOldSelfKept, "optionalOldSelf") {
			rule.OptionalOldSelf = nil
		}
		if changed {
			if rules == nil {
				rules = slices.Clone(p.XValidations)
			}
			rules[i] = rule
		}
	}
	if rules == nil {
		return p
	}
	c := schemadoc.Copy{Schema: p}
	c.Own().XValidations = rules
	return c.Schema
}
