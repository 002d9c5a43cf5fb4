package resource

import (
	"fmt"

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

// MethodNotAllowed is 405. The verb is one of those in a discovery document.
func (r GroupResource) MethodNotAllowed(verb string) *field.Status {
	return r.status(405, "MethodNotAllowed", "", fmt.Sprintf("%s is not supported on resources of kind %q", verb, r))
}
