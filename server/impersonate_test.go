package server

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

const selfReviews = "/apis/authentication.k8s.io/v1/selfsubjectreviews"

// A request on behalf of another user is that user's.
func TestImpersonation(t *testing.T) {
	_, c := start(t, Options{})
	for _, row := range []struct {
		name    string
		headers []string
		want    object
	}{
		{"nobody", nil, object{"username": "kubernetes-admin", "groups": []any{"system:masters", "system:authenticated"}}},
		{"a user", []string{"Impersonate-User", "jane"}, object{"username": "jane", "groups": []any{"system:authenticated"}}},
		{"a user in a group", []string{"Impersonate-User", "jane", "Impersonate-Group", "dev"},
			object{"username": "jane", "groups": []any{"dev", "system:authenticated"}}},
		{"a user with all the rest", []string{"Impersonate-User", "jane", "Impersonate-Uid", "7", "Impersonate-Extra-Scopes", "view", "Impersonate-Extra-Acme.com%2fproject", "p"},
			object{"username": "jane", "uid": "7", "groups": []any{"system:authenticated"}, "extra": object{"scopes": []any{"view"}, "acme.com/project": []any{"p"}}}},
		{"an anonymous user", []string{"Impersonate-User", "system:anonymous"}, object{"username": "system:anonymous", "groups": []any{"system:unauthenticated"}}},
		{"a group of anonymous users", []string{"Impersonate-User", "jane", "Impersonate-Group", "system:unauthenticated"},
			object{"username": "jane", "groups": []any{"system:unauthenticated"}}},
		{"a service account", []string{"Impersonate-User", "system:serviceaccount:shop:robot"}, object{"username": "system:serviceaccount:shop:robot",
			"groups": []any{"system:serviceaccounts", "system:serviceaccounts:shop", "system:authenticated"}}},
		{"a service account in other groups", []string{"Impersonate-User", "system:serviceaccount:shop:robot", "Impersonate-Group", "dev"},
			object{"username": "system:serviceaccount:shop:robot", "groups": []any{"dev", "system:authenticated"}}},
		{"a name like that of a service account", []string{"Impersonate-User", "system:serviceaccount:shop:"},
			object{"username": "system:serviceaccount:shop:", "groups": []any{"system:authenticated"}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			review := must(t, c, 201, "POST", selfReviews, `{}`, row.headers...)
			require.Equal(t, row.want, at(review, "status", "userInfo"))
		})
	}
	refused := must(t, c, 400, "POST", selfReviews, `{}`, "Impersonate-Group", "dev")
	require.Equal(t, "requested [{Group  dev    }] without impersonating a user", refused["message"])
}

// Who may impersonate is asked for each part of the user.
func TestImpersonationIsAuthorized(t *testing.T) {
	var asked []RequestInfo
	_, c := start(t, Options{Authorize: func(_ context.Context, user User, info RequestInfo) (bool, string) {
		if info.Verb != "impersonate" {
			return true, ""
		}
		info.Path = ""
		asked = append(asked, info)
		return info.Name != "root" && info.Name != "all", ""
	}})
	must(t, c, 201, "POST", selfReviews, `{}`, "Impersonate-User", "system:serviceaccount:shop:robot", "Impersonate-Group", "dev", "Impersonate-Uid", "7",
		"Impersonate-Extra-Scopes", "view")
	require.Equal(t, []RequestInfo{
		{Verb: "impersonate", Resource: "serviceaccounts", Namespace: "shop", Name: "robot"},
		{Verb: "impersonate", Resource: "groups", Name: "dev"},
		{Verb: "impersonate", Group: "authentication.k8s.io", Version: "v1", Resource: "userextras", Subresource: "scopes", Name: "view"},
		{Verb: "impersonate", Group: "authentication.k8s.io", Version: "v1", Resource: "uids", Name: "7"},
	}, asked)
	refused := must(t, c, 403, "GET", "/api/v1/namespaces", "", "Impersonate-User", "root")
	require.Equal(t, `users "root" is forbidden: User "kubernetes-admin" cannot impersonate resource "users" in API group "" at the cluster scope`, refused["message"])
	refused = must(t, c, 403, "GET", "/api/v1/namespaces", "", "Impersonate-User", "jane", "Impersonate-Extra-Scopes", "all")
	require.Equal(t, `userextras.authentication.k8s.io "all" is forbidden: User "kubernetes-admin" cannot impersonate resource "userextras/scopes" `+
		`in API group "authentication.k8s.io" at the cluster scope`, refused["message"])
}
