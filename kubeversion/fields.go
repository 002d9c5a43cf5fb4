package kubeversion

import (
	"strconv"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/since"
	"github.com/crdkit/crdkit/schema"
)

// A reader makes of a definition what a server of a minor version reads in it.
type reader struct {
	minor            since.Minor
	unknown, dropped []string
}

// has reports whether the server keeps a field of what is at a place. known is what the field came with, kept the fact that it is kept by
// default.
func (r *reader) has(known, kept since.Fact, at place, name string) bool {
	path := at.path + "." + name
	switch {
	case !known.In(r.minor) && !at.lenient:
		r.unknown = append(r.unknown, path)
	case !known.In(r.minor), !kept.In(r.minor):
		r.dropped = append(r.dropped, path)
	default:
		return true
	}
	return false
}

// definition returns d without what the server does not keep. What does not change is shared.
func (r *reader) definition(d *crd.CustomResourceDefinition) *crd.CustomResourceDefinition {
	out := *d
	spec := &out.Spec
	spec.Validation = r.validation(spec.Validation, "spec.validation")
	spec.SelectableFields = r.selectable(spec.SelectableFields, "spec")
	spec.Versions = nil
	for i, v := range d.Spec.Versions {
		at := "spec.versions[" + strconv.Itoa(i) + "]"
		v.Schema = r.validation(v.Schema, at+".schema")
		v.SelectableFields = r.selectable(v.SelectableFields, at)
		spec.Versions = append(spec.Versions, v)
	}
	return &out
}

func (r *reader) selectable(fields []crd.SelectableField, at string) []crd.SelectableField {
	if fields == nil || r.has(since.SelectableFields, since.SelectableFieldsKept, place{path: at}, "selectableFields") {
		return fields
	}
	return nil
}

func (r *reader) validation(v *crd.Validation, at string) *crd.Validation {
	if v == nil || v.OpenAPIV3Schema == nil {
		return v
	}
	return &crd.Validation{OpenAPIV3Schema: rewrite(v.OpenAPIV3Schema, place{path: at + ".openAPIV3Schema"}, r.node)}
}

// node returns p without those parts of its rules that the server does not keep.
func (r *reader) node(p *schema.JSONSchemaProps, at place) *schema.JSONSchemaProps {
	var rules []schema.ValidationRule
	for i := range p.XValidations {
		rule := p.XValidations[i]
		at := at.below("x-kubernetes-validations").item(i)
		if rule.MessageExpression != "" && !r.has(since.MessageExpression, since.Always, at, "messageExpression") {
			rule.MessageExpression = ""
		}
		if rule.Reason != nil && !r.has(since.ReasonAndFieldPath, since.Always, at, "reason") {
			rule.Reason = nil
		}
		if rule.FieldPath != "" && !r.has(since.ReasonAndFieldPath, since.Always, at, "fieldPath") {
			rule.FieldPath = ""
		}
		if rule.OptionalOldSelf != nil && !r.has(since.OptionalOldSelf, since.OptionalOldSelfKept, at, "optionalOldSelf") {
			rule.OptionalOldSelf = nil
		}
		rules = append(rules, rule)
	}
	if rules == nil {
		return p
	}
	q := *p
	q.XValidations = rules
	return &q
}
