package resource

import (
	"fmt"
	"unicode/utf8"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/refusal"
)

// The refusals that are no list of errors, with the server's texts.

// notFound refuses an object or a subresource of it that is not there (STR-007, PAT-001).
func (v *Version) notFound(old map[string]any) *field.Status {
	name, _ := metadata(old)["name"].(string)
	return v.resource.GroupResource().NotFound(orElse(v.options.Name, name))
}

// noVersion is the answer of a version that is not there.
func noVersion() Result { return Result{Failure: refusal.NoVersion()} }

// conflict refuses an update of another state of the object than the one that is stored (STR-007).
func (v *Version) conflict(meta map[string]any, reason string) *field.Status {
	name, _ := meta["name"].(string)
	return v.resource.GroupResource().Conflict(name, reason)
}

// unrecognized refuses a body of which not even the kind is known (DEC-014).
func (v *Version) unrecognized(body []byte, err error) *field.Status {
	return refusal.BadRequest(fmt.Sprintf("the object provided is unrecognized (must be of type %s): %v (%s)", v.resource.kind, err, summary(body)))
}

// unhandled refuses a body of that kind and version (DEC-014).
func (v *Version) unhandled(kind, version string, err error) *field.Status {
	return refusal.BadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", kind, version, v.resource.kind, err))
}

// summary shows the first bytes of a body, in hex if they do not look like JSON.
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
		text = string([]rune(text)) // U+FFFD for each byte that is no part of a character, as in JSON
	}
	return text
}

// invalid returns what is wrong with the options themselves (DEC-012).
func (o RequestOptions) invalid() field.List {
	switch o.FieldValidation {
	case "", FieldValidationWarn, FieldValidationIgnore, FieldValidationStrict:
		return nil
	}
	return field.List{field.NotSupported(field.NewPath("fieldValidation"), o.FieldValidation,
		"", FieldValidationIgnore, FieldValidationStrict, FieldValidationWarn)}
}
