package server

import (
	"context"
	"fmt"
	"net/http"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/resource"
)

// authorize refuses a request that the user may not send.
func (s *Server) authorize(r *http.Request, user User) *field.Status {
	return s.allow(r.Context(), user, RequestInfoOf(r))
}

// allow refuses what a user may not do.
func (s *Server) allow(ctx context.Context, user User, info RequestInfo) *field.Status {
	allowed, reason := s.permits(ctx, user, info)
	if allowed {
		return nil
	}
	why := forbidden(user, info)
	if reason != "" {
		why += ": " + reason
	}
	if info.Resource == "" {
		return &field.Status{Code: http.StatusForbidden, Reason: "Forbidden", Message: "forbidden: " + why}
	}
	return resource.GroupResource{Group: info.Group, Resource: info.Resource}.Forbidden(info.Name, why)
}

// mayCreate refuses a request that would create the object of a PUT or an apply if the user may not create it.
func (q *request) mayCreate() *field.Status {
	info := RequestInfoOf(q.r)
	info.Verb = "create"
	return q.s.allow(q.r.Context(), q.user, info)
}

// forbidden says what a user may not do.
func forbidden(user User, info RequestInfo) string {
	if info.Resource == "" {
		return fmt.Sprintf("User %q cannot %s path %q", user.Name, info.Verb, info.Path)
	}
	resource := info.Resource
	if info.Subresource != "" {
		resource += "/" + info.Subresource
	}
	text := fmt.Sprintf("User %q cannot %s resource %q in API group %q", user.Name, info.Verb, resource, info.Group)
	if info.Namespace == "" {
		return text + " at the cluster scope"
	}
	return fmt.Sprintf("%s in the namespace %q", text, info.Namespace)
}
