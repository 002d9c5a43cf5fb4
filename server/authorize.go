package server

import (
	"fmt"
	"net/http"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/protocol"
)

// authorize refuses a request that the user may not send.
func (s *Server) authorize(r *http.Request, user User) *field.Status {
	if s.options.Authorize == nil {
		return nil
	}
	info := RequestInfoOf(r)
	allowed, reason := s.options.Authorize(r.Context(), user, info)
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
	return protocol.GroupResource{Group: info.Group, Resource: info.Resource}.Forbidden(info.Name, why)
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
