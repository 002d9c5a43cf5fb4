package server

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/server/storage"
)

const (
	rolesPath       = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles"
	bindingsPath    = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings"
	clusterBindings = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"
)

// asJane are the headers of a request on behalf of a user without rights.
var asJane = []string{"Impersonate-User", "jane"}

func role(name, rules string) string {
	return `{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"name":"` + name + `"},"rules":[` + rules + `]}`
}

func roleBinding(name, kind, role, subject string) string {
	return `{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding","metadata":{"name":"` + name + `"},
		"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"` + kind + `","name":"` + role + `"},"subjects":[` + subject + `]}`
}

func clustered(obj string) string {
	return strings.NewReplacer(`"kind":"Role"`, `"kind":"ClusterRole"`, `"kind":"RoleBinding"`, `"kind":"ClusterRoleBinding"`).Replace(obj)
}

const jane = `{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"jane"}`

// Stored roles and bindings decide who may do what, from the write on.
func TestRBAC(t *testing.T) {
	_, c := start(t, Options{RBAC: true})
	refused := must(t, c, 403, "GET", configMaps, "", asJane...)
	require.Equal(t, `configmaps is forbidden: User "jane" cannot list resource "configmaps" in API group "" in the namespace "default"`, refused["message"])
	refused = must(t, c, 403, "GET", "/metrics", "", asJane...)
	require.Equal(t, `forbidden: User "jane" cannot get path "/metrics"`, refused["message"])
	must(t, c, 200, "GET", "/apis", "", asJane...) // by system:discovery
	must(t, c, 200, "GET", "/version", "", "Impersonate-User", "system:anonymous")

	must(t, c, 201, "POST", rolesPath, role("reader", `{"verbs":["get","list"],"apiGroups":[""],"resources":["configmaps"]}`))
	must(t, c, 403, "GET", configMaps, "", asJane...)
	must(t, c, 201, "POST", bindingsPath, roleBinding("readers", "Role", "reader", jane))
	must(t, c, 200, "GET", configMaps, "", asJane...)
	must(t, c, 403, "GET", "/api/v1/configmaps", "", asJane...)
	must(t, c, 403, "DELETE", configMaps+"/x", "", asJane...)
	must(t, c, 403, "PUT", configMaps+"/x", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"}}`, asJane...)

	review := must(t, c, 201, "POST", accessReviews+"subjectaccessreviews", `{"spec":{"user":"jane","resourceAttributes":{"verb":"get","resource":"configmaps","namespace":"default","name":"x"}}}`)
	require.Equal(t, object{"allowed": true, "reason": `RBAC: allowed by RoleBinding "readers/default" of Role "reader" to User "jane"`}, review["status"])
	rules := must(t, c, 201, "POST", accessReviews+"selfsubjectrulesreviews", `{"spec":{"namespace":"default"}}`, asJane...)
	require.Contains(t, at(rules, "status", "resourceRules"), object{"verbs": []any{"get", "list"}, "apiGroups": []any{""}, "resources": []any{"configmaps"}})
	require.Equal(t, false, at(rules, "status", "incomplete"))

	must(t, c, 200, "DELETE", rolesPath+"/reader", "")
	refused = must(t, c, 403, "GET", configMaps, "", asJane...)
	require.Equal(t, `configmaps is forbidden: User "jane" cannot list resource "configmaps" in API group "" in the namespace "default": `+
		`rbac: RBAC: role.rbac.authorization.k8s.io "reader" not found`, refused["message"])
	must(t, c, 200, "DELETE", bindingsPath+"/readers", "")
	refused = must(t, c, 403, "GET", configMaps, "", asJane...)
	require.NotContains(t, refused["message"], "RBAC")
}

// Nobody can give rights that they have not, except with the verbs escalate and bind.
func TestRBACEscalation(t *testing.T) {
	_, c := start(t, Options{RBAC: true})
	const manage = `{"verbs":["*"],"apiGroups":["rbac.authorization.k8s.io"],"resources":["roles","rolebindings","clusterroles"]},` +
		`{"verbs":["get"],"apiGroups":[""],"resources":["configmaps"],"resourceNames":["a"]}`
	const manageWithout = `{"verbs":["create","update","patch","get","delete"],"apiGroups":["rbac.authorization.k8s.io"],"resources":["roles","rolebindings","clusterroles"]},` +
		`{"verbs":["get"],"apiGroups":[""],"resources":["configmaps"],"resourceNames":["a"]}`
	must(t, c, 201, "POST", clusterRoles, clustered(role("manager", manageWithout)))
	must(t, c, 201, "POST", clusterBindings, clustered(roleBinding("managers", "ClusterRole", "manager", jane)))
	const names = `user "jane" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:` + "\n"

	for _, row := range []struct{ name, rules, missing string }{
		{"held", `{"verbs":["get"],"apiGroups":[""],"resources":["configmaps"],"resourceNames":["a"]}`, ""},
		{"another verb", `{"verbs":["get","list","watch"],"apiGroups":[""],"resources":["configmaps"],"resourceNames":["a"]}`,
			`{APIGroups:[""], Resources:["configmaps"], ResourceNames:["a"], Verbs:["list" "watch"]}`},
		{"all objects", `{"verbs":["get"],"apiGroups":[""],"resources":["configmaps"]}`, `{APIGroups:[""], Resources:["configmaps"], Verbs:["get"]}`},
		{"several", `{"verbs":["get"],"apiGroups":["apps","batch"],"resources":["x","x/status"]}`,
			`{APIGroups:["apps"], Resources:["x"], Verbs:["get"]}` + "\n" + `{APIGroups:["apps"], Resources:["x/status"], Verbs:["get"]}` + "\n" +
				`{APIGroups:["batch"], Resources:["x"], Verbs:["get"]}` + "\n" + `{APIGroups:["batch"], Resources:["x/status"], Verbs:["get"]}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			code := http.StatusCreated
			if row.missing != "" {
				code = http.StatusForbidden
			}
			answer := must(t, c, code, "POST", rolesPath, role("own", row.rules), asJane...)
			if row.missing != "" {
				require.Equal(t, `roles.rbac.authorization.k8s.io "own" is forbidden: `+names+row.missing, answer["message"])
				return
			}
			must(t, c, 200, "DELETE", rolesPath+"/own", "", asJane...)
		})
	}

	refused := must(t, c, 403, "POST", bindingsPath, roleBinding("b", "ClusterRole", "cluster-admin", jane), asJane...)
	require.Equal(t, `rolebindings.rbac.authorization.k8s.io "b" is forbidden: `+names+
		`{APIGroups:["*"], Resources:["*"], Verbs:["*"]}`+"\n"+`{NonResourceURLs:["*"], Verbs:["*"]}`, refused["message"])
	refused = must(t, c, 404, "POST", bindingsPath, roleBinding("b", "ClusterRole", "none", jane), asJane...)
	require.Equal(t, `rolebindings.rbac.authorization.k8s.io "none" not found`, refused["message"])
	must(t, c, 404, "POST", bindingsPath, roleBinding("b", "ClusterRole", "a/b", jane), asJane...)
	refused = must(t, c, 403, "POST", clusterRoles, strings.Replace(clustered(role("sum", "")), `"rules"`, `"aggregationRule":{"clusterRoleSelectors":[{}]},"rules"`, 1), asJane...)
	require.Equal(t, `clusterroles.rbac.authorization.k8s.io "sum" is forbidden: must have cluster-admin privileges to use the aggregationRule`, refused["message"])

	// Metadata that a garbage collector changes may change, other metadata may not.
	must(t, c, 201, "POST", rolesPath, role("others", `{"verbs":["*"],"apiGroups":["*"],"resources":["*"]}`))
	must(t, c, 200, "PATCH", rolesPath+"/others", `{"metadata":{"finalizers":["a.b/c"]}}`, append(asJane, "Content-Type", "application/merge-patch+json")...)
	must(t, c, 403, "PATCH", rolesPath+"/others", `{"metadata":{"labels":{"a":"b"}}}`, append(asJane, "Content-Type", "application/merge-patch+json")...)

	must(t, c, 201, "POST", clusterRoles, clustered(role("master", manage)))
	must(t, c, 201, "POST", clusterBindings, clustered(roleBinding("masters", "ClusterRole", "master", jane)))
	must(t, c, 201, "POST", bindingsPath, roleBinding("b", "ClusterRole", "cluster-admin", jane), asJane...)
	must(t, c, 201, "POST", rolesPath, role("all", `{"verbs":["*"],"apiGroups":["*"],"resources":["*"]}`), asJane...)
	must(t, c, 200, "GET", configMaps, "", asJane...)
}

// Roles and bindings are checked with a server's texts.
func TestRolesAreChecked(t *testing.T) {
	_, c := start(t, Options{})
	const supported = `Unsupported value: "x": supported values: "rbac.authorization.k8s.io"`
	for _, row := range []struct{ path, body, want string }{
		{rolesPath, role("a", `{"apiGroups":[""],"resources":["a"]}`), `Role.rbac.authorization.k8s.io "a" is invalid: rules[0].verbs: Required value`},
		{rolesPath, role("a", `{"verbs":[]},{"verbs":["get"],"nonResourceURLs":["/a"]}`), `Role.rbac.authorization.k8s.io "a" is invalid: ` +
			`[rules[0].apiGroups: Required value: resource rules must supply at least one api group, ` +
			`rules[0].resources: Required value: resource rules must supply at least one resource, ` +
			`rules[1].nonResourceURLs: Invalid value: ["/a"]: namespaced rules cannot apply to non-resource URLs, rules[0].verbs: Required value]`},
		{clusterRoles, clustered(role("a", `{"verbs":["get"],"nonResourceURLs":["/a"],"resources":["b"]}`)), `ClusterRole.rbac.authorization.k8s.io "a" is invalid: ` +
			`rules[0].nonResourceURLs: Invalid value: ["/a"]: rules cannot apply to both regular resources and non-resource URLs`},
		{clusterRoles, `{"metadata":{"name":"a"},"aggregationRule":{}}`, `ClusterRole.rbac.authorization.k8s.io "a" is invalid: ` +
			`aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil`},
		{clusterRoles, `{"metadata":{"name":"a"},"aggregationRule":{"clusterRoleSelectors":[{},{"matchExpressions":[{"key":"a","operator":"Foo"}]}]}}`,
			`ClusterRole.rbac.authorization.k8s.io "a" is invalid: [aggregationRule.clusterRoleSelectors[1].matchExpressions[0].operator: ` +
				`Invalid value: "Foo": not a valid selector operator, aggregationRule.clusterRoleSelectors[1]: Invalid value: null: invalid label selector.]`},
		{bindingsPath, roleBinding("a", "ClusterRole", "x/y", jane), `RoleBinding.rbac.authorization.k8s.io "a" is invalid: roleRef.name: Invalid value: "x/y": may not contain '/'`},
		{bindingsPath, roleBinding("a", "ClusterRole", "", `{"kind":"User"}`), `RoleBinding.rbac.authorization.k8s.io "a" is invalid: ` +
			`[subjects[0].name: Required value, roleRef.name: Required value]`},
		{bindingsPath, strings.Replace(roleBinding("a", "Robot", "r", `{"kind":"User","name":"a","apiGroup":"x"},{"kind":"ServiceAccount","name":"a","apiGroup":"x"},{"kind":"Robot","name":"a"}`),
			`"apiGroup":"rbac.authorization.k8s.io"`, `"apiGroup":"x"`, 1), `RoleBinding.rbac.authorization.k8s.io "a" is invalid: [roleRef.apiGroup: ` + supported +
			`, roleRef.kind: Unsupported value: "Robot": supported values: "Role", "ClusterRole", subjects[0].apiGroup: ` + supported +
			`, subjects[1].apiGroup: Unsupported value: "x": supported values: "", subjects[2].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"]`},
		{clusterBindings, strings.Replace(clustered(roleBinding("a", "x", "r", `{"kind":"ServiceAccount","name":"jane"}`)), `"kind":"x"`, `"kind":"Role"`, 1), `ClusterRoleBinding.rbac.authorization.k8s.io "a" is invalid: ` +
			`[roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole", subjects[0].namespace: Required value]`},
	} {
		t.Run(row.body, func(t *testing.T) {
			require.Equal(t, row.want, must(t, c, 422, "POST", row.path, row.body)["message"])
		})
	}
}

// Rules with too many combinations are refused, unless the user may do everything with roles.
func TestRBACRulesAreBounded(t *testing.T) {
	_, c := start(t, Options{RBAC: true})
	must(t, c, 201, "POST", clusterRoles, clustered(role("manager", `{"verbs":["create"],"apiGroups":["rbac.authorization.k8s.io"],"resources":["roles"]}`)))
	must(t, c, 201, "POST", clusterBindings, clustered(roleBinding("managers", "ClusterRole", "manager", jane)))
	many := `[` + strings.Repeat(`"a",`, 9999) + `"a"]`
	rules := `{"verbs":` + many + `,"apiGroups":` + many + `,"resources":` + many + `,"resourceNames":` + many + `}`
	refused := must(t, c, 403, "POST", rolesPath, role("many", rules), asJane...)
	require.Equal(t, `roles.rbac.authorization.k8s.io "many" is forbidden: `+
		`the rules have too many combinations of their elements to be compared with what the user may do`, refused["message"])
	must(t, c, 201, "POST", rolesPath, role("many", rules))
}

// The roles are those in the store, also after a restart and if another server writes them.
func TestRBACFollowsTheStore(t *testing.T) {
	store := storage.NewMemory(storage.MemoryOptions{})
	defer store.Close()
	_, c := start(t, Options{RBAC: true, Store: store})
	must(t, c, 201, "POST", rolesPath, role("reader", `{"verbs":["list"],"apiGroups":[""],"resources":["configmaps"]}`))
	must(t, c, 200, "DELETE", clusterBindings+"/system:discovery", "")
	_, second := start(t, Options{RBAC: true, Store: store, Definitions: []*crd.CustomResourceDefinition{}})
	must(t, second, 200, "GET", clusterBindings+"/system:discovery", "")
	must(t, c, 201, "POST", bindingsPath, roleBinding("readers", "Role", "reader", jane))
	require.Eventually(t, func() bool {
		r, err := http.NewRequest("GET", "http://server"+configMaps, nil)
		require.NoError(t, err)
		r.Header.Set("Impersonate-User", "jane")
		answer, err := second.Do(r)
		require.NoError(t, err)
		defer answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	}, 5e9, 1e6)
}

// A definition of a built-in resource, in another version or in the same one, gives nobody rights: its objects are not
// those of the built-in kind, which it does not replace.
func TestDefinitionsDoNotReplaceBuiltInKinds(t *testing.T) {
	_, c := start(t, Options{RBAC: true})
	must(t, c, 201, "POST", clusterRoles, clustered(role("definer", `{"verbs":["create"],"apiGroups":["apiextensions.k8s.io"],"resources":["customresourcedefinitions"]},
		{"verbs":["create","get"],"apiGroups":["rbac.authorization.k8s.io"],"resources":["clusterrolebindings"]}`)))
	must(t, c, 201, "POST", clusterBindings, clustered(roleBinding("definers", "ClusterRole", "definer", jane)))
	root := clustered(roleBinding("root", "ClusterRole", "cluster-admin", jane))
	must(t, c, 403, "POST", clusterBindings, root, asJane...)
	version := func(name, storage string) string {
		return `{"name":"` + name + `","served":true,"storage":` + storage + `,"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}`
	}
	must(t, c, 201, "POST", definitions, `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{
		"name":"clusterrolebindings.rbac.authorization.k8s.io","annotations":{"api-approved.kubernetes.io":"unapproved, a test"}},
		"spec":{"group":"rbac.authorization.k8s.io","scope":"Cluster","names":{"plural":"clusterrolebindings","kind":"ClusterRoleBinding"},
		"versions":[`+version("v1", "true")+`,`+version("v1alpha1", "false")+`]}}`, asJane...)
	alpha := strings.Replace(clusterBindings, "/v1/", "/v1alpha1/", 1)
	must(t, c, 201, "POST", alpha, strings.Replace(root, "authorization.k8s.io/v1", "authorization.k8s.io/v1alpha1", 1), append(asJane, "Content-Type", jsonType)...)
	must(t, c, 403, "POST", clusterBindings, root, asJane...)
	must(t, c, 403, "GET", secrets, "", asJane...)
	must(t, c, 404, "GET", clusterBindings+"/root", "")
	must(t, c, 422, "POST", clusterBindings, `{"metadata":{"name":"z"},"foo":1}`)

	must(t, c, 200, "DELETE", definitions+"/clusterrolebindings.rbac.authorization.k8s.io", "")
	require.Eventually(t, func() bool {
		r, err := c.Get("http://server" + alpha)
		require.NoError(t, err)
		defer r.Body.Close()
		return r.StatusCode == http.StatusNotFound
	}, 5e9, 1e6)
	must(t, c, 200, "GET", clusterBindings+"/cluster-admin", "")
}

// Over HTTP, a client without a token or a certificate is anonymous, also if the options have no token.
func TestAnonymous(t *testing.T) {
	for _, token := range []string{"", "secret"} {
		s, c := start(t, Options{RBAC: true, Token: token})
		must(t, c, 200, "GET", secrets, "")
		over := httptest.NewServer(s)
		defer over.Close()
		for header, want := range map[string]int{"": 403, "Basic YTpi": 403, "Bearer x": 401, "bearer secret": 200, "Bearer secret": 200} {
			r, err := http.NewRequest("GET", over.URL+secrets, nil)
			require.NoError(t, err)
			if header != "" {
				r.Header.Set("Authorization", header)
			}
			answer, err := over.Client().Do(r)
			require.NoError(t, err)
			answer.Body.Close()
			if token == "" && want == 200 {
				want = 401
			}
			require.Equal(t, want, answer.StatusCode, "%q with token %q", header, token)
		}
	}
}

// A right on objects with names includes lists and watches that a field selector limits to one of them.
func TestRBACOfNames(t *testing.T) {
	_, c := start(t, Options{RBAC: true})
	must(t, c, 201, "POST", rolesPath, role("one", `{"verbs":["list","deletecollection"],"apiGroups":[""],"resources":["configmaps"],"resourceNames":["a"]}`))
	must(t, c, 201, "POST", bindingsPath, roleBinding("one", "Role", "one", jane))
	must(t, c, 200, "GET", configMaps+"?fieldSelector=metadata.name%3Da", "", asJane...)
	must(t, c, 200, "DELETE", configMaps+"?fieldSelector=metadata.name%3D%3Da", "", asJane...)
	for _, selector := range []string{"", "metadata.name%3Db", "metadata.name!%3Da", "metadata.namespace%3Dx%5C,metadata.name%3Da"} {
		must(t, c, 403, "GET", configMaps+"?fieldSelector="+selector, "", asJane...)
	}
}

// Who approves or signs a request for a certificate needs a right on its signer.
func TestSigners(t *testing.T) {
	_, c := start(t, Options{RBAC: true})
	const requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
	request := func(name, organization string) string {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		require.NoError(t, err)
		der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{CommonName: "u", Organization: []string{organization}}}, key)
		require.NoError(t, err)
		text := base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))
		return `{"metadata":{"name":"` + name + `"},"spec":{"signerName":"kubernetes.io/kube-apiserver-client","usages":["client auth"],"request":"` + text + `"}}`
	}
	refused := must(t, c, 403, "POST", requests, request("a", "system:masters"))
	require.Equal(t, `certificatesigningrequests.certificates.k8s.io "a" is forbidden: use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed`, refused["message"])
	must(t, c, 201, "POST", requests, request("a", "developers"))
	must(t, c, 201, "POST", clusterRoles, clustered(role("approver", `{"verbs":["patch"],"apiGroups":["certificates.k8s.io"],
		"resources":["certificatesigningrequests/approval","certificatesigningrequests/status"]}`)))
	must(t, c, 201, "POST", clusterBindings, clustered(roleBinding("approvers", "ClusterRole", "approver", jane)))
	patch := append(asJane, "Content-Type", "application/merge-patch+json")
	const approved = `{"status":{"conditions":[{"type":"Approved","status":"True","reason":"a","message":"b"}]}}`
	refused = must(t, c, 403, "PATCH", requests+"/a/approval", approved, patch...)
	require.Contains(t, refused["message"], `user not permitted to approve requests with signerName "kubernetes.io/kube-apiserver-client"`)
	refused = must(t, c, 403, "PATCH", requests+"/a/status", `{"status":{"certificate":"YQ=="}}`, patch...)
	require.Contains(t, refused["message"], `user not permitted to sign requests with signerName "kubernetes.io/kube-apiserver-client"`)
	must(t, c, 201, "POST", clusterRoles, clustered(role("signer", `{"verbs":["approve"],"apiGroups":["certificates.k8s.io"],"resources":["signers"],"resourceNames":["kubernetes.io/*"]},
		{"verbs":["sign"],"apiGroups":["certificates.k8s.io"],"resources":["signers"],"resourceNames":["kubernetes.io/kube-apiserver-client"]}`)))
	must(t, c, 201, "POST", clusterBindings, clustered(roleBinding("signers", "ClusterRole", "signer", jane)))
	must(t, c, 200, "PATCH", requests+"/a/approval", approved, patch...)
	must(t, c, 200, "PATCH", requests+"/a/status", `{"status":{"certificate":"YQ=="}}`, patch...)
}

// The answer about the rules of a user has a limit, and a role that is bound often counts once.
func TestRulesReviewIsBounded(t *testing.T) {
	_, c := start(t, Options{RBAC: true})
	long := strings.Repeat("x", 1<<20)
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		must(t, c, 201, "POST", rolesPath, role(name, `{"verbs":["get"],"apiGroups":[""],"resources":["`+name+long+`"]}`))
		must(t, c, 201, "POST", bindingsPath, roleBinding(name, "Role", name, jane))
		must(t, c, 201, "POST", bindingsPath, roleBinding(name+"2", "Role", name, jane))
	}
	status := must(t, c, 201, "POST", accessReviews+"selfsubjectrulesreviews", `{"spec":{"namespace":"default"}}`, asJane...)["status"].(object)
	require.Equal(t, true, status["incomplete"])
	require.Equal(t, "there are more rules than an answer has", status["evaluationError"])
	require.Less(t, len(status["resourceRules"].([]any)), 10)
}

// The rules of a role are null if there are none, as in Go, and a patch can replace them.
// Mutating webhooks see roles as the others do, and may patch rules that were not sent.
func TestReviewsOfRoles(t *testing.T) {
	var seen []object
	patch := base64.StdEncoding.EncodeToString([]byte(`[{"op":"test","path":"/rules","value":null},{"op":"add","path":"/metadata/labels","value":{"a":"b"}}]`))
	_, c := start(t, Options{Webhooks: []Webhook{{
		Name: "m.example.com", Mutating: true, Resources: []string{"roles.rbac.authorization.k8s.io"}, Operations: []string{"CREATE", "UPDATE"},
		Handler: reviewed(&seen, always(`"allowed":true,"patchType":"JSONPatch","patch":"`+patch+`"`)),
	}}})
	made := must(t, c, 201, "POST", rolesPath, `{"metadata":{"name":"a"}}`)
	require.Equal(t, "b", at(made, "metadata", "labels", "a"))
	require.Contains(t, made, "rules")
	require.Nil(t, made["rules"])
	must(t, c, 200, "PATCH", rolesPath+"/a", `{"metadata":{"annotations":{"a":"b"}}}`, "Content-Type", mergePatch)
	require.Len(t, seen, 2)
	for _, role := range []any{seen[0]["object"], seen[1]["object"], seen[1]["oldObject"]} {
		require.Contains(t, role, "rules")
		require.Nil(t, role.(object)["rules"])
		require.Nil(t, at(role, "metadata", "generation"))
	}
}

func TestRolesWithoutRules(t *testing.T) {
	_, c := start(t, Options{RBAC: true, Token: "secret"})
	for _, collection := range []string{rolesPath, clusterRoles} {
		for name, rules := range map[string]string{"a": "", "b": `,"rules":null`, "c": `,"rules":[]`} {
			watch := send(t, c, "GET", collection+"?watch=true&resourceVersion=0&fieldSelector=metadata.name%3D"+name, "")
			made := must(t, c, 201, "POST", collection, `{"metadata":{"name":"`+name+`"}`+rules+`}`)
			require.Contains(t, made, "rules")
			require.Nil(t, made["rules"])
			require.Equal(t, made, must(t, c, 200, "GET", collection+"/"+name, ""))
			var event object
			require.NoError(t, json.NewDecoder(watch.Body).Decode(&event))
			require.NoError(t, watch.Body.Close())
			require.Equal(t, object{"type": "ADDED", "object": made}, event)
			for _, body := range []string{`"rules":null`, `"rules":[]`, `"metadata":{"labels":null}`} {
				require.Equal(t, made, must(t, c, 200, "PATCH", collection+"/"+name, `{`+body+`}`, "Content-Type", mergePatch))
			}
			const replace = `[{"op":"test","path":"/rules","value":null},{"op":"replace","path":"/rules","value":[{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}]}]`
			require.Len(t, must(t, c, 200, "PATCH", collection+"/"+name, replace, "Content-Type", jsonPatch)["rules"], 1)
		}
	}
}
