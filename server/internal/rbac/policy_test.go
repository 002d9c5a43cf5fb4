package rbac

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func binds(ref, subjects string) []byte {
	kind, name, _ := strings.Cut(ref, "/")
	return []byte(`{"roleRef":{"apiGroup":"` + Group + `","kind":"` + kind + `","name":"` + name + `"},"subjects":[` + subjects + `]}`)
}

func rules(text string) []byte { return []byte(`{"rules":[` + text + `]}`) }

func TestAllows(t *testing.T) {
	p := NewPolicy()
	p.Put("clusterroles", "", "reader", rules(`{"verbs":["get","list"],"apiGroups":["","apps"],"resources":["pods","pods/log","*/scale"]},
		{"verbs":["get"],"nonResourceURLs":["/metrics","/logs/*"]}`))
	p.Put("roles", "shop", "owner", rules(`{"verbs":["*"],"apiGroups":["*"],"resources":["*"]}`))
	p.Put("roles", "shop", "one", rules(`{"verbs":["update"],"apiGroups":[""],"resources":["configmaps"],"resourceNames":["a"]}`))
	p.Put("clusterrolebindings", "", "readers", binds("ClusterRole/reader", `{"kind":"Group","name":"staff"},{"kind":"ServiceAccount","name":"bot","namespace":"ci"}`))
	p.Put("rolebindings", "shop", "owners", binds("Role/owner", `{"kind":"User","name":"ann"}`))
	p.Put("rolebindings", "shop", "bots", binds("Role/one", `{"kind":"ServiceAccount","name":"bot"}`))
	p.Put("rolebindings", "shop", "readers", binds("ClusterRole/reader", `{"kind":"User","name":"bob"}`))
	p.Put("rolebindings", "shop", "broken", []byte(`{`))
	p.Put("rolebindings", "shop", "strange", binds("Robot/x", `{"kind":"User","name":"eve"}`))
	p.Put("rolebindings", "shop", "lost", binds("Role/none", `{"kind":"User","name":"eve"},{"kind":"User","name":"eve"}`))
	p.Put("rolebindings", "shop", "lost2", binds("ClusterRole/none", `{"kind":"User","name":"eve"}`))
	p.Publish()
	staff, bot := User{Name: "x", Groups: []string{"staff"}}, User{Name: "system:serviceaccount:shop:bot"}
	for _, row := range []struct {
		user User
		q    Request
		want string // the reason; empty: refused
	}{
		{staff, Request{Verb: "get", Resource: "pods", Namespace: "shop"}, `RBAC: allowed by ClusterRoleBinding "readers" of ClusterRole "reader" to Group "staff"`},
		{staff, Request{Verb: "list", Group: "apps", Resource: "pods"}, `RBAC: allowed by ClusterRoleBinding "readers" of ClusterRole "reader" to Group "staff"`},
		{staff, Request{Verb: "get", Resource: "pods", Subresource: "log"}, `RBAC: allowed by ClusterRoleBinding "readers" of ClusterRole "reader" to Group "staff"`},
		{staff, Request{Verb: "get", Group: "apps", Resource: "deployments", Subresource: "scale"}, `RBAC: allowed by ClusterRoleBinding "readers" of ClusterRole "reader" to Group "staff"`},
		{staff, Request{Verb: "get", Resource: "pods", Subresource: "exec"}, ""},
		{staff, Request{Verb: "get", Resource: "scale"}, ""},
		{staff, Request{Verb: "watch", Resource: "pods"}, ""},
		{staff, Request{Verb: "get", Group: "batch", Resource: "pods"}, ""},
		{staff, Request{Verb: "get", Path: "/metrics"}, `RBAC: allowed by ClusterRoleBinding "readers" of ClusterRole "reader" to Group "staff"`},
		{staff, Request{Verb: "get", Path: "/logs/a/b"}, `RBAC: allowed by ClusterRoleBinding "readers" of ClusterRole "reader" to Group "staff"`},
		{staff, Request{Verb: "get", Path: "/metrics/x"}, ""},
		{User{Name: "system:serviceaccount:ci:bot"}, Request{Verb: "get", Resource: "pods"}, `RBAC: allowed by ClusterRoleBinding "readers" of ClusterRole "reader" to ServiceAccount "bot/ci"`},
		{User{Name: "ann"}, Request{Verb: "delete", Group: "x", Resource: "ys", Namespace: "shop"}, `RBAC: allowed by RoleBinding "owners/shop" of Role "owner" to User "ann"`},
		{User{Name: "ann"}, Request{Verb: "delete", Group: "x", Resource: "ys"}, ""},
		{bot, Request{Verb: "update", Resource: "configmaps", Namespace: "shop", Name: "a"}, `RBAC: allowed by RoleBinding "bots/shop" of Role "one" to ServiceAccount "bot/shop"`},
		{bot, Request{Verb: "update", Resource: "configmaps", Namespace: "shop", Name: "b"}, ""},
		{User{Name: "bob"}, Request{Verb: "get", Resource: "pods", Namespace: "shop"}, `RBAC: allowed by RoleBinding "readers/shop" of ClusterRole "reader" to User "bob"`},
		{User{Name: "bob"}, Request{Verb: "get", Resource: "pods", Namespace: "other"}, ""},
	} {
		t.Run(fmt.Sprint(row.user, row.q), func(t *testing.T) {
			allowed, reason := p.Allows(row.user, &row.q)
			require.Equal(t, row.want != "", allowed)
			require.Equal(t, row.want, reason)
		})
	}
	_, reason := p.Allows(User{Name: "eve"}, &Request{Verb: "get", Resource: "pods", Namespace: "shop"})
	require.Equal(t, `rbac: RBAC: [role.rbac.authorization.k8s.io "none" not found, clusterrole.rbac.authorization.k8s.io "none" not found, `+
		`unsupported role reference kind: "Robot"]`, reason)
	require.EqualError(t, p.MayGrant(User{Name: "eve"}, "rolebindings", "shop", []Rule{{Verbs: []string{"get"}, APIGroups: []string{""}, Resources: []string{"pods"}}}),
		`user "eve" (groups=[]) is attempting to grant RBAC permissions not currently held:`+"\n"+`{APIGroups:[""], Resources:["pods"], Verbs:["get"]}; `+
			`resolution errors: [[rolebindings.rbac.authorization.k8s.io "none" not found, `+
			`unsupported role reference kind: "Robot"]]`)

	p.Put("rolebindings", "shop", "owners", nil)
	allowed, _ := p.Allows(User{Name: "ann"}, &Request{Verb: "get", Resource: "pods", Namespace: "shop"})
	require.True(t, allowed, "before it is published")
	p.Publish()
	allowed, _ = p.Allows(User{Name: "ann"}, &Request{Verb: "get", Resource: "pods", Namespace: "shop"})
	require.False(t, allowed)
	p.Put("clusterroles", "", "reader", nil)
	p.Publish()
	_, reason = p.Allows(staff, &Request{Verb: "get", Resource: "pods"})
	require.Equal(t, `rbac: RBAC: clusterrole.rbac.authorization.k8s.io "reader" not found`, reason)
	allowed, reason = p.Allows(User{Groups: []string{Superusers}}, &Request{Verb: "get", Resource: "pods"})
	require.True(t, allowed)
	require.Empty(t, reason)
}

// A Role without a namespace is no ClusterRole.
func TestRulesOfARoleInTheCluster(t *testing.T) {
	p := NewPolicy()
	p.Put("clusterroles", "", "admin", rules(`{"verbs":["*"],"apiGroups":["*"],"resources":["*"]}`))
	p.Publish()
	_, err := p.Rules(Ref{Kind: "Role", Name: "admin"}, "")
	require.EqualError(t, err, `role.rbac.authorization.k8s.io "admin" not found`)
	found, err := p.Rules(Ref{Kind: "ClusterRole", Name: "admin"}, "shop")
	require.NoError(t, err)
	require.Len(t, found, 1)
}

// Bindings stay sorted, whatever is added, replaced and forgotten together.
func TestPublish(t *testing.T) {
	p := NewPolicy()
	names := func() (out []string) {
		for _, b := range p.in("shop") {
			out = append(out, b.name)
		}
		return out
	}
	for _, step := range []struct {
		put, forget string
		want        string
	}{{"b d", "", "b d"}, {"a c e", "d", "a b c e"}, {"b", "a x", "b c e"}, {"", "b c e", ""}, {"z", "", "z"}} {
		for name := range strings.FieldsSeq(step.put) {
			p.Put("rolebindings", "shop", name, binds("Role/x", ""))
		}
		for name := range strings.FieldsSeq(step.forget) {
			p.Put("rolebindings", "shop", name, nil)
		}
		p.Publish()
		require.Equal(t, strings.Fields(step.want), append([]string{}, names()...))
	}
	p.Put("rolebindings", "shop", "y", binds("Role/x", ""))
	p.Put("rolebindings", "shop", "z", nil)
	require.Equal(t, []string{"z"}, names(), "before it is published")
	p.Publish()
	require.Equal(t, []string{"y"}, names())
}

// A role that is bound many times counts once, and so does one that is missing.
func TestManyBindings(t *testing.T) {
	p := NewPolicy()
	p.Put("roles", "shop", "one", rules(`{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}`))
	for i := range 5000 {
		p.Put("rolebindings", "shop", fmt.Sprint("a", i), binds("Role/one", `{"kind":"User","name":"ann"}`))
		p.Put("rolebindings", "shop", fmt.Sprint("b", i), binds(fmt.Sprint("Role/none", i), `{"kind":"User","name":"ann"}`))
	}
	p.Publish()
	held, errs := p.Held(User{Name: "ann"}, "shop")
	require.Len(t, held, 1)
	require.Len(t, errs, maxErrors)
}

// What is compared and printed has limits.
func TestMissingIsBounded(t *testing.T) {
	many := make([]string, 101)
	for i := range many {
		many[i] = fmt.Sprint(i)
	}
	product := []Rule{{Verbs: many, APIGroups: many, Resources: []string{"a"}}}
	_, err := Missing(nil, product)
	require.ErrorContains(t, err, "too many combinations")
	product[0].APIGroups = many[:90]
	missing, err := Missing(nil, product)
	require.NoError(t, err)
	require.Len(t, missing, 90, "one for each group")
	_, err = Missing(make([]Rule, 3000), product)
	require.ErrorContains(t, err, "too many combinations")
	_, err = Missing([]Rule{{ResourceNames: make([]string, 3000)}}, product)
	require.ErrorContains(t, err, "too many combinations")
	product[0].Resources[0] = strings.Repeat("a", 200)
	_, err = Missing(nil, product)
	require.ErrorContains(t, err, "too much")
	product[0].Resources = nil
	missing, err = Missing(nil, product)
	require.NoError(t, err)
	require.Empty(t, missing)
}

// The initial roles and bindings are as they are stored: JSON with sorted keys, under their keys.
func TestBootstrap(t *testing.T) {
	n := 0
	for key, value := range Bootstrap("2026-01-02T03:04:05Z", func() string { n++; return fmt.Sprint("uid-", n) }) {
		var obj map[string]any
		require.NoError(t, json.Unmarshal(value, &obj))
		again, err := json.Marshal(obj)
		require.NoError(t, err)
		require.Equal(t, string(again), string(value))
		meta := obj["metadata"].(map[string]any)
		want := strings.ToLower(obj["kind"].(string)) + "s/"
		if namespace, ok := meta["namespace"].(string); ok {
			want += namespace + "/"
		}
		require.Equal(t, []any{key, "2026-01-02T03:04:05Z", fmt.Sprint("uid-", n)}, []any{want + meta["name"].(string), meta["creationTimestamp"], meta["uid"]})
	}
	require.Equal(t, 141, n)
}
