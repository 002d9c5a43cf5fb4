package server

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/server/internal/rbac"
)

// The headers of a request on behalf of another user.
const (
	impersonateUser  = "Impersonate-User"
	impersonateUID   = "Impersonate-Uid"
	impersonateGroup = "Impersonate-Group"
	impersonateExtra = "Impersonate-Extra-" // and a key
)

const (
	anonymous      = "system:anonymous"
	anonymousGroup = "system:unauthenticated"

	authenticationGroup   = "authentication.k8s.io"
	authenticationVersion = "v1"
)

// An impersonated is a part of a user that a request asks to act as: the user itself, a group, a UID, or a value of an
// extra field. It has the fields of a server's ObjectReference, whose text is in a refusal.
type impersonated struct {
	Kind, Namespace, Name, UID, APIVersion, ResourceVersion, FieldPath string
}

// impersonate returns the user that a request is on behalf of: by default user, who sends it. It refuses a request whose
// sender may not impersonate a part of the other user. Each part is one question to the authorizers, with the
// verb impersonate.
func (s *Server) impersonate(r *http.Request, user User) (User, *field.Status) {
	parts := impersonatedBy(r.Header)
	if len(parts) == 0 {
		return user, nil
	}
	if r.Header.Get(impersonateUser) == "" {
		return user, refusal.BadRequest(fmt.Sprintf("requested %v without impersonating a user", parts))
	}
	var other User
	for _, p := range parts {
		info := RequestInfo{Verb: "impersonate", Namespace: p.Namespace, Name: p.Name, Path: r.URL.Path}
		switch p.Kind {
		case "ServiceAccount":
			info.Resource = "serviceaccounts"
			other = serviceAccount(p.Namespace, p.Name)
			if len(r.Header[impersonateGroup]) > 0 {
				other.Groups = nil // the request has all of them
			}
		case "User":
			info.Resource, other.Name = "users", p.Name
		case "Group":
			info.Resource, other.Groups = "groups", append(other.Groups, p.Name)
		case "UserExtra":
			info.Group, info.Version, info.Resource, info.Subresource = authenticationGroup, authenticationVersion, "userextras", p.FieldPath
			if other.Extra == nil {
				other.Extra = map[string][]string{}
			}
			other.Extra[p.FieldPath] = append(other.Extra[p.FieldPath], p.Name)
		case "UID":
			info.Group, info.Version, info.Resource, other.UID = authenticationGroup, authenticationVersion, "uids", p.Name
		}
		if refused := s.allow(r.Context(), user, info); refused != nil {
			return user, refused
		}
	}
	switch {
	case other.Name == anonymous:
		if !slices.Contains(other.Groups, anonymousGroup) {
			other.Groups = append(other.Groups, anonymousGroup)
		}
	case !slices.Contains(other.Groups, authenticatedGroup) && !slices.Contains(other.Groups, anonymousGroup):
		other.Groups = append(other.Groups, authenticatedGroup)
	}
	return other, nil
}

// impersonatedBy returns the parts of a user in the headers, the user first. Extra fields are sorted by their headers; a
// server has them in random order.
func impersonatedBy(header http.Header) (parts []impersonated) {
	if user := header.Get(impersonateUser); user != "" {
		part := impersonated{Kind: "User", Name: user}
		if namespace, name, ok := serviceAccountOf(user); ok {
			part = impersonated{Kind: "ServiceAccount", Namespace: namespace, Name: name}
		}
		parts = append(parts, part)
	}
	for _, group := range header[impersonateGroup] {
		parts = append(parts, impersonated{Kind: "Group", Name: group})
	}
	const apiVersion = authenticationGroup + "/" + authenticationVersion
	for _, name := range slices.Sorted(maps.Keys(header)) {
		key, ok := strings.CutPrefix(name, impersonateExtra)
		if !ok {
			continue
		}
		key = strings.ToLower(key)
		if unescaped, err := url.PathUnescape(key); err == nil {
			key = unescaped
		}
		for _, value := range header[name] {
			parts = append(parts, impersonated{Kind: "UserExtra", APIVersion: apiVersion, FieldPath: key, Name: value})
		}
	}
	if uid := header.Get(impersonateUID); uid != "" {
		parts = append(parts, impersonated{Kind: "UID", APIVersion: apiVersion, Name: uid})
	}
	return parts
}

// serviceAccount returns the user of a ServiceAccount, in the groups that it always has.
func serviceAccount(namespace, name string) User {
	return User{Name: rbac.AccountPrefix + namespace + ":" + name, Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace}}
}

// serviceAccountOf returns the ServiceAccount whose user has that name.
func serviceAccountOf(user string) (namespace, name string, ok bool) {
	both, ok := strings.CutPrefix(user, rbac.AccountPrefix)
	if !ok {
		return "", "", false
	}
	namespace, name, ok = strings.Cut(both, ":")
	return namespace, name, ok && len(format.DNS1123Label(namespace)) == 0 && len(format.DNS1123Subdomain(name)) == 0
}
