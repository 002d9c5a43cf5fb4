package server

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/server/storage"
)

const (
	policyCollection  = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies"
	bindingCollection = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings"
)

// policy returns a policy for kites with more members of its spec.
func policy(name, more string) string {
	return fmt.Sprintf(`{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicy","metadata":{"name":%q},"spec":{
		"matchConstraints":{"resourceRules":[{"apiGroups":["wind.example.com"],"apiVersions":["*"],"operations":["*"],"resources":["kites","kites/*"]}]},%s}}`,
		name, more)
}

// binding returns a binding of the policy of the same name, with more members of its spec.
func binding(name, more string) string {
	return fmt.Sprintf(`{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicyBinding","metadata":{"name":%q},
		"spec":{"policyName":%q,%s}}`, name, name, more)
}

const denies = `"validationActions":["Deny"]`

// bind creates a policy and a binding.
func bind(t *testing.T, c *http.Client, name, policySpec, bindingSpec string) {
	t.Helper()
	must(t, c, 201, "POST", policyCollection, policy(name, policySpec))
	must(t, c, 201, "POST", bindingCollection, binding(name, bindingSpec))
}

// unbind deletes a policy and its binding.
func unbind(t *testing.T, c *http.Client, name string) {
	t.Helper()
	must(t, c, 200, "DELETE", bindingCollection+"/"+name, "")
	must(t, c, 200, "DELETE", policyCollection+"/"+name, "")
}

func TestPolicies(t *testing.T) {
	_, c := start(t, Options{})
	made := must(t, c, 201, "POST", policyCollection, policy("p", `"variables":[{"name":"colour","expression":"object.spec.colour"}],"validations":[
		{"expression":"variables.colour != 'black'","message":"no black kites","reason":"Forbidden"},
		{"expression":"variables.colour != 'grey'","messageExpression":"'no ' + variables.colour + ' kites'"},
		{"expression":"object.spec.colour != 'white'"}],
		"matchConditions":[{"name":"writes","expression":"request.operation != 'DELETE'"}]`))
	require.Equal(t, "Fail", at(made, "spec", "failurePolicy"))
	require.Equal(t, "Equivalent", at(made, "spec", "matchConstraints", "matchPolicy"))
	must(t, c, 201, "POST", kites, kite("early", "black"), "Content-Type", jsonType)
	must(t, c, 201, "POST", bindingCollection, binding("p", denies))

	refused := must(t, c, 403, "POST", kites, kite("a", "black"), "Content-Type", jsonType)
	message := `ValidatingAdmissionPolicy 'p' with binding 'p' denied request: no black kites`
	require.Equal(t, object{
		"kind": "Status", "apiVersion": "v1", "metadata": object{}, "status": "Failure", "code": 403.0, "reason": "Forbidden",
		"message": `kites.wind.example.com "a" is forbidden: ` + message,
		"details": object{"name": "a", "group": "wind.example.com", "kind": "kites", "causes": []any{object{"message": message}}},
	}, refused)
	refused = must(t, c, 422, "POST", kites, kite("a", "grey"), "Content-Type", jsonType)
	require.Equal(t, `kites.wind.example.com "a" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: no grey kites`, refused["message"])
	require.Equal(t, "Invalid", refused["reason"])
	refused = must(t, c, 422, "POST", kites, kite("a", "white"), "Content-Type", jsonType)
	require.Contains(t, refused["message"], "denied request: failed expression: object.spec.colour != 'white'")
	must(t, c, 422, "POST", kites+"?dryRun=All", kite("a", "white"), "Content-Type", jsonType)
	must(t, c, 201, "POST", kites, kite("a", "red"), "Content-Type", jsonType)
	must(t, c, 403, "PATCH", kites+"/a", `{"spec":{"colour":"black"}}`, "Content-Type", mergePatch)
	must(t, c, 403, "PATCH", kites+"/early", `{"metadata":{"labels":{"a":"b"}}}`, "Content-Type", mergePatch)
	must(t, c, 200, "DELETE", kites+"/early", "")

	// Changes have an effect at once.
	must(t, c, 200, "PATCH", policyCollection+"/p", `{"spec":{"validations":[{"expression":"has(object.metadata.labels)"}]}}`, "Content-Type", mergePatch)
	must(t, c, 201, "POST", kites, strings.Replace(kite("b", "black"), `"metadata":{`, `"metadata":{"labels":{"a":"b"},`, 1), "Content-Type", jsonType)
	must(t, c, 422, "POST", kites, kite("c", "red"), "Content-Type", jsonType)
	must(t, c, 200, "DELETE", bindingCollection+"/p", "")
	must(t, c, 201, "POST", kites, kite("c", "black"), "Content-Type", jsonType)
}

func TestPolicyActions(t *testing.T) {
	_, c := start(t, Options{})
	const no = `"validations":[{"expression":"object.spec.colour != 'black'","message":"no black kites"}]`
	bind(t, c, "warn", no, `"validationActions":["Warn","Audit"]`)
	bind(t, c, "audit", no, `"validationActions":["Audit"]`)
	bind(t, c, "broken", `"failurePolicy":"Ignore","validations":[{"expression":"object.none.none == 1"}],"auditAnnotations":[{"key":"k","valueExpression":"string(object.none)"}]`, denies)
	answer := send(t, c, "POST", kites, kite("a", "black"), "Content-Type", jsonType)
	answer.Body.Close()
	require.Equal(t, 201, answer.StatusCode)
	require.Equal(t, []string{`299 - "Validation failed for ValidatingAdmissionPolicy 'warn' with binding 'warn': no black kites"`}, answer.Header["Warning"])
	must(t, c, 200, "PATCH", policyCollection+"/broken", `{"spec":{"failurePolicy":"Fail","validations":[{"expression":"true"}]}}`, "Content-Type", mergePatch)
	refused := must(t, c, 422, "POST", kites, kite("b", "black"), "Content-Type", jsonType)
	require.Contains(t, refused["message"], "'broken' denied request: expression 'string(object.none)' resulted in error: no such key: none")
}

// What policies and bindings match.
func TestPolicyMatches(t *testing.T) {
	_, c := start(t, Options{})
	must(t, c, 201, "POST", "/api/v1/namespaces", `{"metadata":{"name":"prod","labels":{"env":"prod"}}}`)
	const prodKites = "/apis/wind.example.com/v1/namespaces/prod/kites"
	const never = `"validations":[{"expression":"false","messageExpression":"'in ' + namespaceObject.metadata.name + namespaceObject.metadata.labels.?env.orValue('')"}]`
	bind(t, c, "p", never, denies+`,"matchResources":{"namespaceSelector":{"matchLabels":{"env":"prod"}},
		"resourceRules":[{"apiGroups":["*"],"apiVersions":["v1"],"operations":["CREATE"],"resources":["*"],"resourceNames":["a","b"]}],
		"excludeResourceRules":[{"apiGroups":["*"],"apiVersions":["*"],"operations":["*"],"resources":["*"],"resourceNames":["b"]}],
		"objectSelector":{"matchExpressions":[{"key":"free","operator":"DoesNotExist"}]}}`)
	must(t, c, 201, "POST", kites, kite("a", "red"), "Content-Type", jsonType)
	refused := must(t, c, 422, "POST", prodKites, kite("a", "red"), "Content-Type", jsonType)
	require.Contains(t, refused["message"], "denied request: in prodprod")
	must(t, c, 201, "POST", prodKites, kite("b", "red"), "Content-Type", jsonType)
	must(t, c, 201, "POST", prodKites, kite("c", "red"), "Content-Type", jsonType)
	must(t, c, 201, "POST", prodKites, strings.Replace(kite("a", "red"), `"metadata":{`, `"metadata":{"labels":{"free":"x"},`, 1), "Content-Type", jsonType)
	must(t, c, 200, "PATCH", prodKites+"/a", `{"spec":{"colour":"blue"}}`, "Content-Type", mergePatch)
	unbind(t, c, "p")

	// Policies and bindings are exempt, namespaces are not.
	must(t, c, 201, "POST", policyCollection, strings.Replace(policy("all", `"validations":[{"expression":"namespaceObject != null"}]`), `["wind.example.com"]`, `["*"]`, 1))
	must(t, c, 200, "PATCH", policyCollection+"/all", `{"spec":{"matchConstraints":{"resourceRules":[{"apiGroups":["*"],"apiVersions":["*"],"operations":["*"],"resources":["*/*"]}]}}}`,
		"Content-Type", mergePatch)
	must(t, c, 201, "POST", bindingCollection, binding("all", denies))
	must(t, c, 422, "POST", "/api/v1/namespaces", `{"metadata":{"name":"other"}}`)
	must(t, c, 422, "POST", mutatingConfigurations, configuration("MutatingWebhookConfiguration", "c"))
	must(t, c, 200, "PATCH", policyCollection+"/all", `{"metadata":{"labels":{"a":"b"}}}`, "Content-Type", mergePatch)
	must(t, c, 201, "POST", configMaps, `{"metadata":{"name":"a"}}`)
	unbind(t, c, "all")
}

// The objects have the version that a rule matches.
func TestPolicyVersions(t *testing.T) {
	_, c := start(t, Options{})
	must(t, c, 200, "PATCH", definitions+"/kites.wind.example.com", `[{"op":"add","path":"/spec/versions/-","value":{"name":"v2","served":true,"storage":false,
		"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}]`, "Content-Type", jsonPatch)
	seen := `"validations":[{"expression":"false","messageExpression":"object.apiVersion + ' ' + request.resource.version + ' ' + request.requestResource.version"}],
		"matchConditions":[{"name":"m","expression":"request.resource.version == 'v1' && request.kind.version == 'v2'"}]`
	must(t, c, 201, "POST", policyCollection, strings.Replace(policy("p", seen), `"apiVersions":["*"]`, `"apiVersions":["v2"]`, 1))
	must(t, c, 201, "POST", bindingCollection, binding("p", denies))
	refused := must(t, c, 422, "POST", kites, kite("a", "red"), "Content-Type", jsonType)
	require.Contains(t, refused["message"], "denied request: wind.example.com/v2 v2 v1")
	must(t, c, 200, "PATCH", policyCollection+"/p", `{"spec":{"matchConstraints":{"matchPolicy":"Exact"}}}`, "Content-Type", mergePatch)
	must(t, c, 201, "POST", kites, kite("a", "red"), "Content-Type", jsonType)
}

func TestPolicyParams(t *testing.T) {
	_, c := start(t, Options{})
	const (
		kind  = `"paramKind":{"apiVersion":"v1","kind":"ConfigMap"},"validations":[{"expression":"params == null || object.spec.colour != params.data.no","messageExpression":"'not ' + params.data.no"}]`
		ref   = denies + `,"paramRef":{"parameterNotFoundAction":"Deny",`
		maps  = "/api/v1/namespaces/%s/configmaps"
		param = `{"metadata":{"name":%q,"labels":{"param":"yes"}},"data":{"no":%q}}`
	)
	post := func(code int, colour string) string {
		t.Helper()
		text, _ := must(t, c, code, "POST", kites+"?dryRun=All", kite("a", colour), "Content-Type", jsonType)["message"].(string)
		_, text, _ = strings.Cut(text, "denied request: ")
		return text
	}
	set := func(spec string) {
		t.Helper()
		must(t, c, 200, "PATCH", bindingCollection+"/p", `[{"op":"replace","path":"/spec","value":`+spec+`}]`, "Content-Type", jsonPatch)
	}
	bind(t, c, "p", kind, denies)
	require.Empty(t, post(201, "black"), "no paramRef")
	spec := func(more string) string { return `{"policyName":"p",` + ref + more + `}}` }
	set(spec(`"name":"m"`))
	require.Equal(t, "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction", post(422, "red"))
	set(strings.Replace(spec(`"name":"m"`), `"parameterNotFoundAction":"Deny"`, `"parameterNotFoundAction":"Allow"`, 1))
	post(201, "black")

	must(t, c, 201, "POST", fmt.Sprintf(maps, "default"), fmt.Sprintf(param, "m", "black"))
	must(t, c, 201, "POST", fmt.Sprintf(maps, "kube-system"), fmt.Sprintf(param, "m", "red"))
	must(t, c, 201, "POST", fmt.Sprintf(maps, "kube-system"), fmt.Sprintf(param, "n", "blue"))
	set(spec(`"name":"m"`))
	require.Equal(t, "not black", post(422, "black"))
	post(201, "red")
	set(spec(`"name":"m","namespace":"kube-system"`))
	require.Equal(t, "not red", post(422, "red"))
	set(spec(`"selector":{"matchLabels":{"param":"yes"}},"namespace":"kube-system"`))
	require.Equal(t, "not red", post(422, "red"))
	require.Equal(t, "not blue", post(422, "blue"))
	post(201, "black")
	set(spec(`"selector":{"matchLabels":{"param":"no"}}`))
	require.Contains(t, post(422, "black"), "no params found")
	set(spec(`"selector":{}`))
	require.Equal(t, "not black", post(422, "black"))
	unbind(t, c, "p")

	// Parameters of a custom kind, and of one that does not exist.
	must(t, c, 201, "POST", kites, kite("model", "red"), "Content-Type", jsonType)
	bind(t, c, "p", `"paramKind":{"apiVersion":"wind.example.com/v1","kind":"Kite"},"validations":[{"expression":"object.spec == params.spec && params.kind == 'Kite'"}]`,
		ref+`"name":"model"}`)
	post(201, "red")
	post(422, "blue")
	unbind(t, c, "p")
	bind(t, c, "p", `"paramKind":{"apiVersion":"wind.example.com/v7","kind":"Kite"},"validations":[{"expression":"true"}]`, ref+`"name":"model"}`)
	require.Equal(t, "failed to configure policy: failed to find resource referenced by paramKind: 'wind.example.com/v7, Kind=Kite'", post(422, "red"))
	unbind(t, c, "p")
	bind(t, c, "p", `"paramKind":{"apiVersion":"v1","kind":"Namespace"},"validations":[{"expression":"params.metadata.name == 'default'"}]`,
		ref+`"name":"default","namespace":"x"}`)
	require.Equal(t, "failed to configure binding: paramRef.namespace must not be provided for a cluster-scoped `paramKind`", post(422, "red"))
	set(spec(`"name":"default"`))
	post(201, "red")
	must(t, c, 200, "PATCH", policyCollection+"/p", `{"spec":{"failurePolicy":"Ignore"}}`, "Content-Type", mergePatch)
	set(spec(`"name":"none"`))
	post(201, "red")
}

// Expressions ask the function of the options, about the user and about others.
func TestPolicyAuthorizer(t *testing.T) {
	_, c := start(t, Options{
		Authenticate: func(r *http.Request) (User, bool) {
			return User{Name: r.Header.Get("Authorization"), Groups: strings.Fields(r.Header.Get("Groups"))}, true
		},
		Authorize: func(_ context.Context, user User, info RequestInfo) (bool, string) {
			if info.Verb == "paint" || info.Resource == "configmaps" {
				return user.Name == "root" || user.Name == "system:serviceaccount:n:s", ""
			}
			return true, ""
		},
	})
	bind(t, c, "p", `"validations":[{"expression":"authorizer.requestResource.check('paint').allowed()","messageExpression":"request.userInfo.username + ' may not paint'"},
		{"expression":"authorizer.serviceAccount('n', 's').group('wind.example.com').resource('kites').check('paint').allowed()"}]`, denies)
	must(t, c, 201, "POST", kites, kite("a", "red"), "Content-Type", jsonType, "Authorization", "root")
	refused := must(t, c, 422, "POST", kites, kite("b", "red"), "Content-Type", jsonType, "Authorization", "someone")
	require.Contains(t, refused["message"], "denied request: someone may not paint")

	params := policy("q", `"paramKind":{"apiVersion":"v1","kind":"ConfigMap"},"validations":[{"expression":"true"}]`)
	refused = must(t, c, 422, "POST", policyCollection, params, "Authorization", "someone", "Groups", "g h")
	require.Contains(t, refused["message"],
		`spec.paramKind: Forbidden: user &{someone  [g h] map[]} must have "get" permission on all objects of the referenced paramKind (kind=ConfigMap, apiVersion=v1)`)
	must(t, c, 201, "POST", policyCollection, params, "Authorization", "someone", "Groups", "system:masters")
	use := binding("q", denies+`,"paramRef":{"name":"m","parameterNotFoundAction":"Deny"}`)
	refused = must(t, c, 422, "POST", bindingCollection, use, "Authorization", "someone")
	require.Contains(t, refused["message"], `spec.paramRef: Forbidden: user &{someone  [] map[]} does not have "get" permission on the object referenced by paramRef`)
	must(t, c, 201, "POST", bindingCollection, use, "Authorization", "root")
}

// What is wrong in policies and bindings. Module parity compares the errors with those of Kubernetes.
func TestInvalidPolicies(t *testing.T) {
	_, c := start(t, Options{})
	refused := must(t, c, 422, "POST", policyCollection, policy("p", `"validations":[{"expression":"object.a == "},{"expression":"variables.a"}]`))
	require.Contains(t, refused["message"], "spec.validations[0].expression: Invalid value: \"object.a == \": compilation failed: ERROR: <input>:1:13: Syntax error")
	require.Contains(t, refused["message"], "undeclared reference to 'variables'")
	refused = must(t, c, 422, "POST", bindingCollection, binding("b", `"validationActions":[]`))
	require.Equal(t, `ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io "b" is invalid: spec.validationActions: Required value`, refused["message"])
	refused = must(t, c, 422, "POST", bindingCollection, binding("b.static.k8s.io", denies))
	require.Contains(t, refused["message"], `metadata.name: Invalid value: "b.static.k8s.io": names ending with ".static.k8s.io" are reserved`)
	must(t, c, 400, "POST", policyCollection, `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"Other"}`)

	// The status is not validated with the spec.
	must(t, c, 201, "POST", policyCollection, policy("p", `"validations":[{"expression":"true"}]`))
	must(t, c, 200, "PATCH", policyCollection+"/p/status", `{"status":{"observedGeneration":1}}`, "Content-Type", mergePatch)
}

// A policy may take long, but not longer than the request.
func TestLongPolicies(t *testing.T) {
	_, c := start(t, Options{Timeout: 500 * time.Millisecond})
	const ten = "[1,2,3,4,5,6,7,8,9,0]"
	loop := "true"
	for range 5 {
		loop = ten + ".all(x, " + loop + ")"
	}
	bind(t, c, "p", `"paramKind":{"apiVersion":"v1","kind":"ConfigMap"},"validations":[{"expression":"`+loop+`"}]`,
		denies+`,"paramRef":{"selector":{},"parameterNotFoundAction":"Allow"}`)
	for i := range 400 {
		must(t, c, 201, "POST", configMaps, fmt.Sprintf(`{"metadata":{"name":"m%d"}}`, i))
	}
	must(t, c, 504, "POST", kites, kite("a", "red"), "Content-Type", jsonType)
	unbind(t, c, "p")
	must(t, c, 201, "POST", kites, kite("a", "red"), "Content-Type", jsonType)
}

// Servers that share a store share its policies, also those from before they were started.
func TestPoliciesOfOtherServers(t *testing.T) {
	store := wrapping{storage.NewMemory(storage.MemoryOptions{})}
	_, one := start(t, Options{Store: store})
	bind(t, one, "p", `"validations":[{"expression":"object.spec.colour != 'black'"}]`, denies)
	two := clientOf(t, Options{Store: store})
	must(t, two, 422, "POST", kites, kite("a", "black"), "Content-Type", jsonType)
	must(t, two, 200, "DELETE", policyCollection+"/p", "")
	require.Eventually(t, func() bool {
		answer := send(t, one, "POST", kites, kite("a", "black"), "Content-Type", jsonType)
		answer.Body.Close()
		return answer.StatusCode == 201
	}, soon, tick)
}

// Policies see Bindings and Evictions, which are no writes of the Pod for them.
func TestPoliciesOfPodSubresources(t *testing.T) {
	_, c := start(t, Options{})
	must(t, c, 201, "POST", pods, `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"a","image":"a"}]}}`)
	must(t, c, 201, "POST", policyCollection, `{"metadata":{"name":"p"},"spec":{"matchConstraints":{"resourceRules":[
		{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods/binding","pods/eviction"]}]},
		"validations":[{"expression":"object.kind == 'Eviction' ? object.metadata.name != 'p' : object.target.name != 'n1'"}]}}`)
	must(t, c, 201, "POST", bindingCollection, binding("p", denies))
	refused := must(t, c, 422, "POST", pods+"/p/binding", `{"apiVersion":"v1","kind":"Binding","metadata":{"name":"p"},"target":{"name":"n1"}}`)
	require.Contains(t, refused["message"], "ValidatingAdmissionPolicy 'p' with binding 'p' denied request")
	must(t, c, 201, "POST", pods+"/p/binding", `{"apiVersion":"v1","kind":"Binding","metadata":{"name":"p"},"target":{"name":"n2"}}`)
	refused = must(t, c, 422, "POST", pods+"/p/eviction", `{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"p"}}`)
	require.Contains(t, refused["message"], "denied request")
}

// Policies see requests for tokens, complete as they are answered.
func TestPoliciesOfTokens(t *testing.T) {
	_, c := start(t, Options{})
	must(t, c, 201, "POST", accounts, account)
	must(t, c, 201, "POST", policyCollection, `{"metadata":{"name":"p"},"spec":{"matchConstraints":{"resourceRules":[
		{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["serviceaccounts/token"]}]},
		"validations":[{"expression":"object.kind == 'TokenRequest' && object.spec.expirationSeconds <= 3600 && object.metadata.name == 'bot'"}]}}`)
	must(t, c, 201, "POST", bindingCollection, binding("p", denies))
	refused := must(t, c, 422, "POST", accounts+"/bot/token", `{"spec":{"expirationSeconds":3601}}`)
	require.Contains(t, refused["message"], `serviceaccounts "bot" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request`)
	must(t, c, 201, "POST", accounts+"/bot/token", `{}`)
}

// Messages and audit annotations cannot ask the authorizer, which validations can.
func TestMessagesHaveNoAuthorizer(t *testing.T) {
	_, c := start(t, Options{})
	const asks = "authorizer.group('').resource('pods').check('get').allowed()"
	bind(t, c, "p", `"variables":[{"name":"v","expression":"`+asks+`"}],
		"validations":[{"expression":"!variables.v","messageExpression":"variables.v ? 'asked' : 'not'","message":"plain"}]`, denies)
	refused := must(t, c, 422, "POST", kites, kite("a", "red"), "Content-Type", jsonType)
	require.Contains(t, refused["message"], "denied request: plain")
	unbind(t, c, "p")
	bind(t, c, "q", `"validations":[{"expression":"`+asks+`"}],"auditAnnotations":[{"key":"k","valueExpression":"`+asks+` ? 'a' : 'b'"}]`, denies)
	refused = must(t, c, 422, "POST", kites, kite("a", "red"), "Content-Type", jsonType)
	require.Contains(t, refused["message"], "resulted in error: no such attribute(s): authorizer")
}

// A request keeps the memory for itself and for the parameters of policies until it ends. It is refused if too many wait
// for memory.
func TestMemoryForParameters(t *testing.T) {
	const size, least = 40_000, 30_000
	for name, want := range map[string]struct {
		ref string
		sum int
	}{
		"named": {`"name":"m"`, 2 * least}, "selected": {`"selector":{}`, 2 * least}, "missing": {`"name":"none"`, least},
	} {
		t.Run(name, func(t *testing.T) {
			memory := storage.NewMemory(storage.MemoryOptions{})
			t.Cleanup(func() { require.NoError(t, memory.Close()) })
			store := &faulty{Store: memory}
			s, c := start(t, Options{Store: store, Memory: 64 << 20})
			must(t, c, 201, "POST", configMaps, `{"metadata":{"name":"m"},"data":{"a":"`+strings.Repeat("x", size)+`"}}`)
			bind(t, c, "p", `"paramKind":{"apiVersion":"v1","kind":"ConfigMap"},"validations":[{"expression":"true"}]`,
				denies+`,"paramRef":{`+want.ref+`,"parameterNotFoundAction":"Allow"}`)
			idle(t, s)
			require.Zero(t, s.budget.work.Taken())
			var taken int64
			store.next("Create", kiteA, nil, func() { taken = s.budget.work.Taken() })
			must(t, c, 201, "POST", kites, largeKite("a", size), "Content-Type", jsonType)
			require.GreaterOrEqual(t, taken, int64(growth*want.sum))
			require.Less(t, taken, int64(growth*(want.sum+2*least)))
			idle(t, s)
			require.Zero(t, s.budget.work.Taken())

			// A write that is tried again because the object has changed reserves no more.
			var taken3 []int64
			var change func()
			change = func() {
				if taken3 = append(taken3, s.budget.work.Taken()); len(taken3) == 3 {
					return
				}
				item, err := memory.Get(t.Context(), kiteA)
				require.NoError(t, err)
				_, err = memory.Update(t.Context(), kiteA, item.Value, item.Revision)
				require.NoError(t, err)
				store.next("Update", kiteA, nil, change)
			}
			store.next("Update", kiteA, nil, change)
			must(t, c, 200, "PATCH", kites+"/a", `{"metadata":{"labels":{"a":"b"}}}`, "Content-Type", mergePatch)
			require.Len(t, taken3, 3)
			require.InDelta(t, taken3[0], taken3[2], growth*1000)
			if want.sum == least {
				return
			}

			leave, err := s.budget.work.Enter(t.Context(), 1<<30, 0)
			require.NoError(t, err)
			codes := make(chan int, queued+1)
			for range queued + 1 {
				go func() {
					request := httptest.NewRequest("POST", kites+"?dryRun=All", strings.NewReader(kite("x", "red")))
					request.Header.Set("Content-Type", jsonType)
					answer := httptest.NewRecorder()
					s.ServeHTTP(answer, request)
					codes <- answer.Code
				}()
			}
			require.Equal(t, http.StatusTooManyRequests, <-codes)
			leave()
			for range queued {
				require.Equal(t, http.StatusCreated, <-codes)
			}
			require.Zero(t, s.budget.work.Taken())
		})
	}
}
