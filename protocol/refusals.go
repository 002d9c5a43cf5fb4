package protocol

import (
	"fmt"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/refusal"
)

// A GroupResource names a resource in refusals.
type GroupResource struct {
	Group    string // empty for the core group
	Resource string // the plural
}

// String returns the resource and its group: crontabs.stable.example.com.
func (r GroupResource) String() string {
	if r.Group == "" {
		return r.Resource
	}
	return r.Resource + "." + r.Group
}

func (r GroupResource) status(code int, reason, name, message string) *field.Status {
	return &field.Status{Code: code, Reason: reason, Message: message, Group: r.Group, Kind: r.Resource, Name: name}
}

// NotFound is 404: there is no object with that name, or it has no such subresource. For an unknown path, group,
// version or resource a server does not answer with a Status, but with the text `404 page not found`.
func (r GroupResource) NotFound(name string) *field.Status {
	return r.status(404, refusal.ReasonNotFound, name, fmt.Sprintf("%s %q not found", r, name))
}

// AlreadyExists is 409: an object cannot be created because its name is taken.
func (r GroupResource) AlreadyExists(name string) *field.Status {
	return r.status(409, refusal.ReasonAlreadyExists, name, fmt.Sprintf("%s %q already exists", r, name))
}

// NameNotGenerated is 409: all names that the server generated from a generateName were taken; name was the last one.
// The client may retry after a second.
func (r GroupResource) NameNotGenerated(name string) *field.Status {
	s := r.AlreadyExists(name)
	s.Message += ", the server was not able to generate a unique name for the object"
	s.RetryAfterSeconds = 1
	return s
}

// Conflict is 409: the request conflicts with the stored object. why is the reason.
func (r GroupResource) Conflict(name, why string) *field.Status {
	return r.status(409, refusal.ReasonConflict, name, fmt.Sprintf("Operation cannot be fulfilled on %s %q: %s", r, name, why))
}

// Modified is the Conflict of an update whose resourceVersion is not that of the stored object, or of an update during
// which the object was changed.
func (r GroupResource) Modified(name string) *field.Status {
	return r.Conflict(name, "the object has been modified; please apply your changes to the latest version and try again")
}

// Forbidden is 403: this client, or any client, is not allowed to do this. why is the reason. The name is empty for a
// whole collection.
func (r GroupResource) Forbidden(name, why string) *field.Status {
	message := fmt.Sprintf("%s %q is forbidden: %s", r, name, why)
	if name == "" {
		message = fmt.Sprintf("%s is forbidden: %s", r, why)
	}
	return r.status(403, "Forbidden", name, message)
}

// Terminating is the Forbidden of a create, including one by a patch, while the definition is being deleted.
func (r GroupResource) Terminating(name string) *field.Status {
	return r.Forbidden(name, "create not allowed while custom resource definition is terminating")
}

// MethodNotAllowed is 405. The verb is one of those of an [APIResource].
func (r GroupResource) MethodNotAllowed(verb string) *field.Status {
	return r.status(405, "MethodNotAllowed", "", fmt.Sprintf("%s is not supported on resources of kind %q", verb, r))
}

// NotAcceptable is 406: the client accepts none of the media types that the server has. [NegotiateObject] and
// [NegotiateDiscovery] check this.
func NotAcceptable(has ...string) *field.Status {
	return notAcceptable("only the following media types are accepted: " + strings.Join(has, ", "))
}

func notAcceptable(message string) *field.Status {
	return &field.Status{Code: 406, Reason: "NotAcceptable", Message: message}
}

// TooNew is 504: a list or a watch asks for a resource version that the server did not reach in time.
func TooNew(resourceVersion, current uint64) *field.Status {
	return &field.Status{
		Code: 504, Reason: refusal.ReasonTimeout,
		Message:           fmt.Sprintf("Timeout: Too large resource version: %d, current: %d", resourceVersion, current),
		Causes:            []field.StatusCause{{Reason: "ResourceVersionTooLarge", Message: "Too large resource version"}},
		RetryAfterSeconds: 1,
	}
}

// MaxBody is the maximum length of the body of a write in bytes: 3 MiB.
const MaxBody = refusal.MaxBody

// Internal is 500 for an error that is the server's fault. The error must not be nil.
func Internal(err error) *field.Status { return refusal.Internal(err) }

// DryRun parses the values of a request's option dryRun. Any value except All is an error, for [OptionsStatus].
func DryRun(values []string) (dryRun bool, errs field.List) {
	for _, v := range values {
		if v != "All" {
			list := make([]any, len(values))
			for i := range values {
				list[i] = values[i]
			}
			return false, field.List{field.NotSupported(field.NewPath("dryRun"), list, "All")}
		}
	}
	return len(values) > 0, nil
}

// OptionsStatus is 422: invalid options of a request. The kind is CreateOptions, UpdateOptions, PatchOptions,
// DeleteOptions or ListOptions.
func OptionsStatus(kind string, errs field.List) *field.Status {
	return errs.Status(metaGroup, kind, "")
}
