package server

import (
	"net/http"

	"github.com/crdkit/crdkit/server/internal/rbac"
)

// A User is who sends a request.
type User struct {
	Name   string
	UID    string
	Groups []string
	Extra  map[string][]string
}

// authenticatedGroup has all users but anonymous ones.
const authenticatedGroup = "system:authenticated"

// admin is the user of requests that have the token, or need none.
var admin = User{Name: "kubernetes-admin", Groups: []string{rbac.Superusers, authenticatedGroup}}

// certified returns the user of a verified client certificate.
func certified(r *http.Request) (User, bool) {
	if r.TLS == nil || len(r.TLS.VerifiedChains) == 0 || len(r.TLS.VerifiedChains[0]) == 0 {
		return User{}, false
	}
	subject := r.TLS.VerifiedChains[0][0].Subject
	return User{Name: subject.CommonName, Groups: append(subject.Organization[:len(subject.Organization):len(subject.Organization)], authenticatedGroup)}, true
}

// info returns the UserInfo of a user (authentication.k8s.io/v1).
func (u *User) info() map[string]any {
	out := map[string]any{}
	if u.Name != "" {
		out["username"] = u.Name
	}
	if u.UID != "" {
		out["uid"] = u.UID
	}
	if len(u.Groups) > 0 {
		out["groups"] = anys(u.Groups)
	}
	if len(u.Extra) > 0 {
		extra := map[string]any{}
		for k, v := range u.Extra {
			extra[k] = anys(v)
		}
		out["extra"] = extra
	}
	return out
}

func anys(texts []string) []any {
	out := make([]any, len(texts))
	for i, s := range texts {
		out[i] = s
	}
	return out
}
