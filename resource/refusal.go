package resource

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/crdkit/crdkit/field"
)

// The refusals that are no list of errors, with the server's texts.

func badRequest(message string) *field.Status {
	return &field.Status{Code: 400, Reason: field.ReasonBadRequest, Message: message}
}

// plainError: an error that the server had no better answer for has no reason (STR-001).
func plainError(message string) *field.Status {
	return &field.Status{Code: 500, Message: message}
}

func internalError(err error) *field.Status {
	return &field.Status{Code: 500, Reason: field.ReasonInternalError, Message: "Internal error occurred: " + err.Error()}
}

// tooLarge: DEC-016.
func tooLarge() *field.Status {
	return &field.Status{
		Code: 413, Reason: "RequestEntityTooLarge",
		Message: fmt.Sprintf("Request entity too large: limit is %d", maxBody),
	}
}

// unsupportedMediaType: DEC-017.
func unsupportedMediaType() *field.Status {
	return &field.Status{
		Code: 415, Reason: field.ReasonUnsupportedMediaType,
		Message: "the body of the request was in an unknown format - accepted media types include: " +
			"application/json, application/yaml, application/vnd.kubernetes.protobuf",
	}
}

// unrecognized refuses a body of which not even the kind is known (DEC-014).
func (v *Version) unrecognized(body []byte, err error) *field.Status {
	return badRequest(fmt.Sprintf("the object provided is unrecognized (must be of type %s): %v (%s)", v.resource.kind, err, summary(body)))
}

// unhandled refuses a body of that kind and version (DEC-014).
func (v *Version) unhandled(kind, version string, err error) *field.Status {
	return badRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", kind, version, v.resource.kind, err))
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
		text = strings.ToValidUTF8(text, "\uFFFD")
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
