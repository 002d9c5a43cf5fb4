package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/kubernetes/pkg/registry/rbac/validation"
	kubernetes "k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac"

	"github.com/crdkit/crdkit/server/internal/rbac"
)

// Package rbac decides as the authorizer of Kubernetes about random requests with random roles and bindings, and refuses
// the same rules with the same text.
func TestRBAC(t *testing.T) {
	r := rand.New(rand.NewPCG(*seed, 1))
	some := func(of ...string) []string {
		var out []string
		for _, s := range of {
			if r.IntN(len(of)+1) < 2 {
				out = append(out, s)
			}
		}
		return out
	}
	one := func(of ...string) string { return of[r.IntN(len(of))] }
	verbs, groups := []string{"get", "list", "update", "*"}, []string{"", "apps", "*"}
	resources, names := []string{"pods", "pods/log", "*/log", "*/scale", "nodes", "*"}, []string{"a", "b"}
	urls := []string{"/a", "/a/*", "/b*", "*", "/**"}
	aRule := func() rbacv1.PolicyRule {
		if r.IntN(4) == 0 {
			return rbacv1.PolicyRule{Verbs: some(verbs...), NonResourceURLs: some(urls...)}
		}
		rule := rbacv1.PolicyRule{Verbs: some(verbs...), APIGroups: some(groups...), Resources: some(resources...)}
		if r.IntN(3) == 0 {
			rule.ResourceNames = some(names...)
		}
		return rule
	}
	someRules := func() (out []rbacv1.PolicyRule) {
		for range r.IntN(3) {
			out = append(out, aRule())
		}
		return out
	}
	subjects := func() (out []rbacv1.Subject) {
		for range 1 + r.IntN(2) {
			s := rbacv1.Subject{Kind: one("User", "Group", "ServiceAccount"), Name: one("x", "y", "z")}
			if s.Kind == "ServiceAccount" && r.IntN(2) == 0 {
				s.Namespace = one("shop", "other")
			}
			out = append(out, s)
		}
		return out
	}
	allowed, granted := 0, 0
	for range *objects * 20 {
		p := rbac.NewPolicy()
		put := func(obj any, resource, namespace, name string) {
			text, err := json.Marshal(obj)
			require.NoError(t, err)
			p.Put(resource, namespace, name, text)
		}
		var roles []*rbacv1.Role
		var clusterRoles []*rbacv1.ClusterRole
		var bindings []*rbacv1.RoleBinding
		var clusterBindings []*rbacv1.ClusterRoleBinding
		for i := range 2 {
			meta := metav1.ObjectMeta{Name: fmt.Sprint("r", i), Namespace: "shop"}
			roles = append(roles, &rbacv1.Role{ObjectMeta: meta, Rules: someRules()})
			put(roles[i], "roles", "shop", meta.Name)
			clusterRoles = append(clusterRoles, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: meta.Name}, Rules: someRules()})
			put(clusterRoles[i], "clusterroles", "", meta.Name)
			meta.Name = fmt.Sprint("b", i)
			bindings = append(bindings, &rbacv1.RoleBinding{
				ObjectMeta: meta, Subjects: subjects(), RoleRef: rbacv1.RoleRef{Kind: one("Role", "ClusterRole"), Name: fmt.Sprint("r", i)},
			})
			put(bindings[i], "rolebindings", "shop", meta.Name)
			clusterBindings = append(clusterBindings, &rbacv1.ClusterRoleBinding{
				ObjectMeta: metav1.ObjectMeta{Name: meta.Name}, Subjects: subjects(), RoleRef: rbacv1.RoleRef{Kind: "ClusterRole", Name: fmt.Sprint("r", i)},
			})
			put(clusterBindings[i], "clusterrolebindings", "", meta.Name)
		}
		p.Publish()
		resolver, static := validation.NewTestRuleResolver(roles, bindings, clusterRoles, clusterBindings)
		theirs := kubernetes.New(static, static, static, static)
		who := user.DefaultInfo{Name: one("x", "y", "system:serviceaccount:shop:x"), Groups: some("x", "z")}
		ours := rbac.User{Name: who.Name, Groups: who.Groups}
		q := rbac.Request{Verb: one("get", "list", "delete"), Group: one("", "apps"), Namespace: one("", "shop", "other"), Name: one("", "a", "c")}
		q.Resource, q.Subresource, _ = strings.Cut(one("pods", "pods/log", "pods/scale", "nodes", "nodes/log"), "/")
		if r.IntN(4) == 0 {
			q = rbac.Request{Verb: q.Verb, Path: one("/a", "/a/b", "/b", "/bc", "/")}
		}
		decision, why, err := theirs.Authorize(t.Context(), authorizer.AttributesRecord{
			User: &who, Verb: q.Verb, APIGroup: q.Group, Resource: q.Resource, Subresource: q.Subresource, Namespace: q.Namespace, Name: q.Name,
			Path: q.Path, ResourceRequest: q.Resource != "",
		})
		require.NoError(t, err)
		is, reason := p.Allows(ours, &q)
		require.Equal(t, decision == authorizer.DecisionAllow, is, "%+v %+v", ours, q)
		require.Equal(t, why, reason)

		wanted := someRules()
		ctx := request.WithNamespace(request.WithUser(context.Background(), &who), q.Namespace)
		refused := validation.ConfirmNoEscalation(ctx, resolver, wanted)
		own := make([]rbac.Rule, len(wanted))
		for i, w := range wanted {
			own[i] = rbac.Rule{Verbs: w.Verbs, APIGroups: w.APIGroups, Resources: w.Resources, ResourceNames: w.ResourceNames, NonResourceURLs: w.NonResourceURLs}
		}
		if err := p.MayGrant(ours, "roles", q.Namespace, own); refused == nil {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, refused.Error())
		}
		if is {
			allowed++
		}
		if refused == nil && len(wanted) > 0 {
			granted++
		}
	}
	require.Greater(t, allowed, *objects, "the random requests find rules")
	require.Greater(t, granted, *objects, "the random rules are held")
}
