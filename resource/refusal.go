package resource

import (
	"cmp"
	"fmt"
	"unicode/utf8"

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
	return refusal.BadRequest(fmt.Sprintf("the object provided is unrecognized (must be of type %s): %v (%s)", v.resource.kind, err, summary(body)))
}

// unhandled refuses a body whose kind and version are known (DEC-014).
func (v *Version) unhandled(kind, version string, err error) *field.Status {
	return refusal.BadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", kind, version, v.resource.kind, err))
}

// summary returns the first bytes of a body, in hex if they do not look like JSON.
func summary(body []byte) string {
	const shown = 30
	if len(body) == 0 {
		return "<empty>"
	}
	head := body[:min(len(body), shown)]
	text := fmt.Sprintf("%x", head)
	if body[0] == '{' {
		text = string(head)
	}
	if len(body) > shown {
		text += " ..."
	}
	if !utf8.ValidString(text) {
		text = string([]rune(text)) // U+FFFD for each invalid byte, as in JSON
	}
	return text
}

// invalid returns the errors of the options themselves (DEC-012).
func (o RequestOptions) invalid() field.List {
	return objectmeta.CheckFieldValidation(o.FieldValidation)
}
