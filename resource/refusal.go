package resource

import (
	"cmp"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/refusal"
)

// This file has the refusals that are not lists of errors, with the server's texts.

// notFound refuses a request for an object or a subresource that does not exist (STR-007, PAT-001).
func (v *Version) notFound(old map[string]any) *field.Status {
	return v.resource.GroupResource().NotFound(cmp.Or(v.options.Name, textOf(metadata(old), "name")))
}

// conflict refuses an update of an object whose stored state differs from the expected one (STR-007).
func (v *Version) conflict(meta map[string]any, reason string) *field.Status {
	return v.resource.GroupResource().Conflict(textOf(meta, "name"), reason)
}

// unrecognized refuses a body whose kind is not known (DEC-014).
func (v *Version) unrecognized(body []byte, err error) *field.Status {
	return refusal.Unrecognized(v.resource.kind, body, err)
}

// unhandled refuses a body whose kind and version are known (DEC-014).
func (v *Version) unhandled(kind, version string, err error) *field.Status {
	return refusal.Unhandled(kind, version, v.resource.kind, err)
}

// invalid returns the errors of the options themselves (DEC-012).
func (o RequestOptions) invalid() field.List {
	return objectmeta.CheckFieldValidation(o.FieldValidation)
}
