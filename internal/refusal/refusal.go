package refusal

import (
	"fmt"
	"unicode/utf8"

	"github.com/crdkit/crdkit/field"
)

// Reasons that more than one package gives or reads. A [field.Status] has the others as texts.
const (
	ReasonNotFound              = "NotFound"
	ReasonConflict              = "Conflict"
	ReasonAlreadyExists         = "AlreadyExists"
	ReasonRequestEntityTooLarge = "RequestEntityTooLarge"
	ReasonInternalError         = "InternalError"
	ReasonTimeout               = "Timeout"
)

// MaxBody is the maximum length of the body of a write, in bytes (DEC-016).
const MaxBody = 3 << 20

// BadRequest is 400 with that message.
func BadRequest(message string) *field.Status {
	return &field.Status{Code: 400, Reason: "BadRequest", Message: message}
}

// OtherNamespace refuses an object that has another namespace than its request (STR-008).
func OtherNamespace() *field.Status {
	return BadRequest("the namespace of the provided object does not match the namespace sent on the request")
}

// OtherName refuses an object that has no name, or another one than the URL of its request (STR-008). Otherwise it
// returns nil.
func OtherName(name, url string) *field.Status {
	switch {
	case name == "":
		return BadRequest(fmt.Sprintf("the name of the object (%s based on URL) was undeterminable: name must be provided", url))
	case name != url:
		return BadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", name, url))
	}
	return nil
}

// OtherVersion refuses an object that has another apiVersion than its endpoint (DEC-015).
func OtherVersion(sent, want string) *field.Status {
	return BadRequest(fmt.Sprintf("the API version in the data (%s) does not match the expected API version (%s)", sent, want))
}

// Unrecognized refuses a body whose kind is not known, for a request that expects a kind (DEC-014).
func Unrecognized(kind string, body []byte, err error) *field.Status {
	return BadRequest(fmt.Sprintf("the object provided is unrecognized (must be of type %s): %v (%s)", kind, err, summary(body)))
}

// Unhandled refuses a body whose kind and version are known, for a request that expects a kind (DEC-014).
func Unhandled(kind, version, expected string, err error) *field.Status {
	return BadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", kind, version, expected, err))
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

// NoVersion is 404: a resource has no such version, so the path does not exist. A server answers with the text alone.
//
// Clauses: KCT-040.
func NoVersion() *field.Status {
	return &field.Status{Code: 404, Reason: ReasonNotFound, Message: "404 page not found"}
}

// NoScaleKind refuses a body that cannot be decoded as a Scale (SCL-006).
func NoScaleKind() *field.Status {
	return BadRequest(fmt.Sprintf("no kind is registered for the type v1.Scale in scheme %q", scheme))
}

// Plain is 500 with that message: for errors for which a server has no better answer, and no reason (STR-001).
func Plain(message string) *field.Status {
	return &field.Status{Code: 500, Message: message}
}

// Internal is 500 for an error that is the server's fault.
func Internal(err error) *field.Status {
	return &field.Status{
		Code: 500, Reason: ReasonInternalError, Message: "Internal error occurred: " + err.Error(), Causes: []field.StatusCause{{Message: err.Error()}},
	}
}

// TooLarge is 413; what names the exceeded limit.
//
// Clauses: DEC-016.
func TooLarge(what string) *field.Status {
	return &field.Status{Code: 413, Reason: ReasonRequestEntityTooLarge, Message: "Request entity too large: " + what}
}

// LongBody is the 413 for a body of more than [MaxBody] bytes.
//
// Clauses: DEC-016.
func LongBody() *field.Status { return TooLarge(fmt.Sprintf("limit is %d", MaxBody)) }

// MediaType is the 415 for a body in a format that is not among the accepted ones, which the message lists.
//
// Clauses: DEC-017, PAT-001.
func MediaType(accepted string) *field.Status {
	return &field.Status{
		Code: 415, Reason: "UnsupportedMediaType",
		Message: "the body of the request was in an unknown format - accepted media types include: " + accepted,
	}
}

// scheme is how errors name the types that a server knows.
const scheme = "pkg/runtime/scheme.go:111"

// NotRegistered is what a server says of a kind that it does not know.
func NotRegistered(kind, apiVersion string) string {
	return fmt.Sprintf("no kind %q is registered for version %q in scheme %q", kind, apiVersion, scheme)
}

// InvalidInStore is what a server says if a condition of a write, about the object with a key of its store, is not true.
func InvalidInStore(key, why string) string {
	return "StorageError: invalid object, Code: 4, Key: " + key + ", ResourceVersion: 0, AdditionalErrorMsg: " + why
}

// MetaGroup is the group of options, and of the forms of objects that clients can ask for.
const MetaGroup = "meta.k8s.io"

// Options is 422: invalid options of a request. The kind is CreateOptions, UpdateOptions, PatchOptions, DeleteOptions or
// ListOptions.
func Options(kind string, errs field.List) *field.Status { return errs.Status(MetaGroup, kind, "") }
