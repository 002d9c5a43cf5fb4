package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/server/internal/catalog"
	"github.com/crdkit/crdkit/server/internal/follow"
	"github.com/crdkit/crdkit/server/internal/rbac"
	"github.com/crdkit/crdkit/server/storage"
	"github.com/crdkit/crdkit/unstructured"
)

// This file has role-based access control, if the options ask for it.

// storedRoles are the roles and bindings in a store.
type storedRoles struct {
	*rbac.Policy
	follower follow.Follower
}

const rolesPrefix = "/" + rbac.Group + "/"

// newStoredRoles reads the stored roles and bindings.
func newStoredRoles(ctx context.Context, store storage.Store, log *slog.Logger) (*storedRoles, error) {
	s := &storedRoles{Policy: rbac.NewPolicy()}
	s.follower = follow.Follower{
		Store: store, Log: log, Prefix: rolesPrefix, What: "roles and bindings", Put: s.put, Publish: func(int64) { s.Publish() },
	}
	return s, s.follower.Load(ctx)
}

func (s *storedRoles) put(key string, value []byte, _ int64) {
	resource, name, _ := strings.Cut(strings.TrimPrefix(key, rolesPrefix), "/")
	namespace := ""
	if !strings.HasPrefix(resource, "cluster") {
		namespace, name, _ = strings.Cut(name, "/")
	}
	s.Put(resource, namespace, name, value)
}

// makePolicy creates the initial roles and bindings that do not exist.
func (s *Server) makePolicy(ctx context.Context) error {
	if s.options.CustomOnly {
		return errors.New("server: RBAC needs the built-in kinds")
	}
	for key, value := range rbac.Bootstrap(s.timestamp(), catalog.UID) {
		if _, err := s.store.Create(ctx, rolesPrefix+key, value); err != nil && !errors.Is(err, storage.ErrExists) {
			return err
		}
	}
	return nil
}

// permits reports whether a user may send a request, and why.
func (s *Server) permits(ctx context.Context, user User, info RequestInfo) (allowed bool, reason string) {
	if s.options.Authorize != nil {
		if allowed, reason = s.options.Authorize(ctx, user, info); allowed {
			return true, reason
		}
	}
	if s.roles == nil {
		return s.options.Authorize == nil, reason
	}
	allowed, why := s.roles.Allows(subjectOf(user), &rbac.Request{
		Verb: info.Verb, Group: info.Group, Resource: info.Resource, Subresource: info.Subresource, Namespace: info.Namespace, Name: info.Name, Path: info.Path,
	})
	if allowed || reason == "" {
		return allowed, why
	}
	return false, strings.TrimSuffix(reason+"\n"+why, "\n")
}

func subjectOf(user User) rbac.User { return rbac.User{Name: user.Name, Groups: user.Groups} }

// grantChecks has the kinds of which a user may only write what the user is allowed to do, by type.
var grantChecks = map[string]func(q *request, obj, old map[string]any) *field.Status{
	"rbac.v1.Role": (*request).mayGrantRules, "rbac.v1.ClusterRole": (*request).mayGrantRules,
	"rbac.v1.RoleBinding": (*request).mayBind, "rbac.v1.ClusterRoleBinding": (*request).mayBind,
}

// mayGrant refuses a role or a binding that would give more rights than the user has. Finalizers and owners may change.
func (q *request) mayGrant(obj, old map[string]any) *field.Status {
	check := grantChecks[q.kind.Type]
	if q.s.roles == nil || check == nil || slices.Contains(q.user.Groups, rbac.Superusers) || old != nil && sameButForCollection(q.encoded(obj), q.encoded(old)) {
		return nil
	}
	return check(q, obj, old)
}

// sameButForCollection reports whether objects differ only in what a garbage collector changes.
func sameButForCollection(obj, old map[string]any) bool {
	rest := func(obj map[string]any) map[string]any {
		return withIn(obj, func(meta map[string]any) {
			for _, name := range []string{"ownerReferences", "finalizers", "managedFields", "resourceVersion", "generation"} {
				delete(meta, name)
			}
		}, "metadata")
	}
	return jsonval.Equal(rest(obj), rest(old))
}

// mayDo reports whether the user has a right with a verb on a role, besides those that its rules allow.
func (q *request) mayDo(verb, resource, name string) bool {
	allowed, _ := q.s.permits(q.r.Context(), q.user, RequestInfo{
		Verb: verb, Group: rbac.Group, Version: "*", Resource: resource, Namespace: q.namespace, Name: name,
	})
	return allowed
}

// mayGrantRules refuses a role with rules that the user has not.
func (q *request) mayGrantRules(obj, old map[string]any) *field.Status {
	if q.mayDo("escalate", q.kind.Names.Plural, q.name) {
		return nil
	}
	if refused := q.mayGrantAll(obj, obj["rules"]); refused != nil {
		return refused
	}
	if aggregates(obj) || aggregates(old) {
		if q.s.roles.MayGrant(subjectOf(q.user), q.kind.Names.Plural, q.namespace, rbac.Everything) != nil {
			return q.kind.Resource().Forbidden(text(metadata(obj), "name"), "must have cluster-admin privileges to use the aggregationRule")
		}
	}
	return nil
}

// aggregates reports whether a ClusterRole gets the rules of others.
func aggregates(obj map[string]any) bool {
	return len(listAt(mapAt(obj, "aggregationRule"), "clusterRoleSelectors")) > 0
}

// mayGrantAll refuses an object that gives the rights of rules if the user has not all of them.
func (q *request) mayGrantAll(obj map[string]any, rules any) *field.Status {
	var role struct {
		Rules []rbac.Rule `json:"rules"`
	}
	if err := unstructured.ToStruct(map[string]any{"rules": rules}, &role); err != nil {
		return failed(err)
	}
	if err := q.s.roles.MayGrant(subjectOf(q.user), q.kind.Names.Plural, q.namespace, role.Rules); err != nil {
		return q.kind.Resource().Forbidden(text(metadata(obj), "name"), err.Error())
	}
	return nil
}

// mayBind refuses a binding to a role that allows more than the user may do.
func (q *request) mayBind(obj, _ map[string]any) *field.Status {
	ref := mapAt(obj, "roleRef")
	of, name := text(ref, "kind"), text(ref, "name")
	resource := map[string]string{"Role": "roles", "ClusterRole": "clusterroles"}[of]
	if resource == "" {
		return refusal.Plain(fmt.Sprintf("unsupported role reference kind: %q", of))
	}
	if q.mayDo("bind", resource, name) {
		return nil
	}
	// The policy may not have yet what another server has written.
	kind, namespace := q.catalog.Kind(rbac.Group, "v1", resource), q.namespace
	if !kind.Namespaced {
		namespace = ""
	}
	if kind.Namespaced && namespace == "" || len(format.PathSegment(name)) > 0 {
		return q.kind.Resource().NotFound(name) // it is no key; the check of the binding follows for those who may bind
	}
	item, err := q.s.store.Get(q.r.Context(), kind.Key(namespace, name))
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return q.kind.Resource().NotFound(name) // so a server says
	case err != nil:
		return failed(err)
	}
	role, err := unstructured.DecodeJSON(item.Value)
	if err != nil {
		return failed(err)
	}
	return q.mayGrantAll(obj, role["rules"])
}
