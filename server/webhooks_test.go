package server

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/server/storage"
)

const (
	mutatingConfigurations   = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"
	validatingConfigurations = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
)

// A hookServer answers reviews over TLS. The path says how.
type hookServer struct {
	url, ca string

	mu      sync.Mutex
	answers map[string]func(request object) string // the members of a response
	seen    map[string][]object                    // the requests in reviews
	version string                                 // of the last review
}

func serveHooks(t *testing.T, answers map[string]func(request object) string) *hookServer {
	t.Helper()
	s := &hookServer{answers: answers, seen: map[string][]object{}}
	h := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review object
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		switch r.URL.Path {
		case "/redirect":
			http.Redirect(w, r, "http://"+r.Host+"/", http.StatusTemporaryRedirect)
			return
		case "/slow":
			<-r.Context().Done()
			return
		}
		request := review["request"].(object)
		s.mu.Lock()
		s.seen[r.URL.Path] = append(s.seen[r.URL.Path], request)
		s.version, _ = review["apiVersion"].(string)
		answer := s.answers[r.URL.Path]
		s.mu.Unlock()
		fmt.Fprintf(w, `{"kind":"AdmissionReview","apiVersion":%q,"response":{"uid":%q,%s}}`, review["apiVersion"], request["uid"], answer(request))
	}))
	t.Cleanup(h.Close)
	s.url = h.URL
	s.ca = base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: h.Certificate().Raw}))
	return s
}

// calls returns how often a path was called.
func (s *hookServer) calls(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.seen[path])
}

func (s *hookServer) last(path string) object {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen[path][len(s.seen[path])-1]
}

// hookAt returns a webhook for kites at a path, with more members.
func (s *hookServer) hookAt(path, more string) string {
	return fmt.Sprintf(`{"name":%q,"clientConfig":{"url":%q,"caBundle":%q},"sideEffects":"None","admissionReviewVersions":["v1"],
		"rules":[{"apiGroups":["wind.example.com"],"apiVersions":["*"],"operations":["*"],"resources":["kites"]}]%s}`,
		strings.Trim(path, "/")+".example.com", s.url+path, s.ca, more)
}

func configuration(kind, name string, webhooks ...string) string {
	return fmt.Sprintf(`{"apiVersion":"admissionregistration.k8s.io/v1","kind":%q,"metadata":{"name":%q},"webhooks":[%s]}`,
		kind, name, strings.Join(webhooks, ","))
}

func mutating(name string, webhooks ...string) string {
	return configuration("MutatingWebhookConfiguration", name, webhooks...)
}

func validating(name string, webhooks ...string) string {
	return configuration("ValidatingWebhookConfiguration", name, webhooks...)
}

// patching returns a response with a JSON patch.
func patching(patch string) string {
	return `"allowed":true,"patchType":"JSONPatch","patch":"` + base64.StdEncoding.EncodeToString([]byte(patch)) + `"`
}

const allowed = `"allowed":true`

func TestStoredWebhooks(t *testing.T) {
	s := serveHooks(t, map[string]func(object) string{
		"/m": always(patching(`[{"op":"add","path":"/spec/n","value":7},{"op":"add","path":"/spec/unknown","value":1}]`)),
		"/v": func(r object) string {
			if at(r, "object", "spec", "colour") == "black" {
				return `"allowed":false,"status":{"code":403,"reason":"Forbidden","message":"no black kites","details":{"causes":[{"field":"spec.colour"}]}}`
			}
			return `"allowed":true,"warnings":["careful"],"auditAnnotations":{"a":"b"}`
		},
	})
	_, c := start(t, Options{})
	made := must(t, c, 201, "POST", mutatingConfigurations, mutating("m", s.hookAt("/m", "")))
	stored := made["webhooks"].([]any)[0].(object)
	require.Equal(t, []any{"Fail", "Equivalent", object{}, object{}, 10.0, "Never", "*"}, []any{
		stored["failurePolicy"], stored["matchPolicy"], stored["namespaceSelector"], stored["objectSelector"], stored["timeoutSeconds"],
		stored["reinvocationPolicy"], stored["rules"].([]any)[0].(object)["scope"],
	})
	require.Equal(t, 1.0, at(made, "metadata", "generation"))
	must(t, c, 201, "POST", validatingConfigurations, validating("v", s.hookAt("/v", "")))

	answer := send(t, c, "POST", kites, kite("a", "red"), "Content-Type", jsonType)
	var obj object
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&obj))
	answer.Body.Close()
	require.Equal(t, object{"colour": "red", "n": 7.0}, obj["spec"])
	require.Equal(t, []string{`299 - "careful"`}, answer.Header["Warning"])
	require.Equal(t, 7.0, at(s.last("/v"), "object", "spec", "n"))
	require.Equal(t, "admission.k8s.io/v1", s.version)

	refused := must(t, c, 403, "PATCH", kites+"/a", `{"spec":{"colour":"black"}}`, "Content-Type", mergePatch)
	require.Equal(t, `admission webhook "v.example.com" denied the request: no black kites`, refused["message"])
	require.Equal(t, object{"causes": []any{object{"field": "spec.colour"}}}, refused["details"])
	require.Equal(t, "Forbidden", refused["reason"])
	refused = must(t, c, 500, "DELETE", kites+"/a", "")
	require.Equal(t, `Internal error occurred: admission webhook "m.example.com" attempted to modify the object, which is not supported for this operation`,
		refused["message"])

	// Changes have an effect at once. Configurations themselves are never reviewed.
	must(t, c, 200, "PATCH", mutatingConfigurations+"/m", `[{"op":"replace","path":"/webhooks/0/rules/0","value":
		{"apiGroups":["*"],"apiVersions":["*"],"operations":["*"],"resources":["*/*"]}}]`, "Content-Type", "application/json-patch+json")
	before := s.calls("/m")
	must(t, c, 200, "DELETE", mutatingConfigurations+"/m", "")
	must(t, c, 200, "DELETE", kites+"/a", "")
	require.Equal(t, before, s.calls("/m"))
	must(t, c, 200, "DELETE", validatingConfigurations+"/v", "")
	must(t, c, 201, "POST", kites, kite("b", "black"), "Content-Type", jsonType)
}

// Webhooks that are stored already, or by another server on the same store, have an effect, too.
func TestStoredWebhooksOfOtherServers(t *testing.T) {
	s := serveHooks(t, map[string]func(object) string{"/v": always(`"allowed":false`), "/w": always(`"allowed":false`)})
	store := storage.NewMemory(storage.MemoryOptions{})
	defer store.Close()
	first := clientOf(t, Options{Store: store})
	must(t, first, 201, "POST", definitions, kiteDefinition)
	must(t, first, 201, "POST", validatingConfigurations, validating("v", s.hookAt("/v", "")))
	second := clientOf(t, Options{Store: store})
	refused := must(t, second, 400, "POST", kites, kite("a", "red"), "Content-Type", jsonType)
	require.Contains(t, refused["message"], "v.example.com")
	must(t, first, 200, "DELETE", validatingConfigurations+"/v", "")
	must(t, first, 201, "POST", validatingConfigurations, validating("w", s.hookAt("/w", "")))
	require.Eventually(t, func() bool {
		answer := send(t, second, "POST", kites+"?dryRun=All", kite("a", "red"), "Content-Type", jsonType)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		return err == nil && strings.Contains(string(text), "w.example.com")
	}, soon, tick)
}

// The failures of calls, with a server's texts.
func TestFailedCalls(t *testing.T) {
	s := serveHooks(t, map[string]func(object) string{
		"/patch": always(patching(`[{"op":"remove","path":"/spec/none"}]`)),
		"/json":  always(patching(`{`)),
		"/long":  always(allowed + `,"warnings":["` + strings.Repeat("x", 17<<20) + `"]`),
	})
	other := strings.Replace(s.hookAt("/v", ""), s.url, "https://127.0.0.1:1", 1)
	service := `{"name":"v.example.com","clientConfig":{"service":{"name":"svc","namespace":"ns"}},"sideEffects":"None","admissionReviewVersions":["v1"],
		"rules":[{"apiGroups":["*"],"apiVersions":["*"],"operations":["*"],"resources":["kites"]}]}`
	for _, c := range []struct{ name, hook, want string }{
		{"nobody listens", other, `failed calling webhook "v.example.com": failed to call webhook: Post "https://127.0.0.1:1/v?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused`},
		{"another authority", strings.Replace(s.hookAt("/v", ""), `"caBundle":"`+s.ca+`"`, `"caBundle":null`, 1),
			`failed to call webhook: Post "` + s.url + `/v?timeout=10s": tls: failed to verify certificate: x509: certificate signed by unknown authority`},
		{"a redirect to http", s.hookAt("/redirect", ""), `the webhook redirects from https to http`},
		{"time", s.hookAt("/slow", `,"timeoutSeconds":1`), `failed calling webhook "slow.example.com": failed to call webhook: Post "` + s.url + `/slow?timeout=1s": context deadline exceeded`},
		{"a Service", service, `failed calling webhook "v.example.com": failed to call webhook: Post "https://svc.ns.svc:443/?timeout=10s": service "svc" in namespace "ns": this server does not resolve Services`},
		{"a long answer", s.hookAt("/long", ""), `the answer is too long`},
		{"a patch that does not fit", s.hookAt("/patch", ""), `Internal error occurred: `},
		{"an undecodable patch", s.hookAt("/json", ""), `failed calling webhook "json.example.com": received undecodable patch in webhook response: `},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, client := start(t, Options{})
			must(t, client, 201, "POST", mutatingConfigurations, mutating("m", c.hook))
			refused := must(t, client, 500, "POST", kites, kite("a", "red"), "Content-Type", jsonType)
			require.Contains(t, refused["message"], c.want)
			require.Contains(t, refused["message"], "Internal error occurred: ")
			must(t, client, 200, "PATCH", mutatingConfigurations+"/m", `[{"op":"replace","path":"/webhooks/0/failurePolicy","value":"Ignore"}]`,
				"Content-Type", "application/json-patch+json")
			code := 201
			if c.name == "a patch that does not fit" {
				code = 500 // no failure of the call
			}
			must(t, client, code, "POST", kites, kite("a", "red"), "Content-Type", jsonType)
		})
	}
}

// A Service is resolved by the options. Its certificate must be for its name.
func TestServiceOfWebhook(t *testing.T) {
	s := serveHooks(t, map[string]func(object) string{"/v": always(`"allowed":false`)})
	var asked []any
	_, c := start(t, Options{ResolveService: func(_ context.Context, namespace, name string, port int) (string, error) {
		asked = append(asked, namespace, name, port)
		return strings.TrimPrefix(s.url, "https://"), nil
	}})
	hook := strings.Replace(s.hookAt("/v", ""), fmt.Sprintf(`"url":%q`, s.url+"/v"), `"service":{"namespace":"ns","name":"svc","path":"/v","port":8443}`, 1)
	must(t, c, 201, "POST", validatingConfigurations, validating("v", hook))
	refused := must(t, c, 500, "POST", kites, kite("a", "red"), "Content-Type", jsonType)
	require.Contains(t, refused["message"], `Post "https://svc.ns.svc:8443/v?timeout=10s": tls: failed to verify certificate: x509: certificate is valid for`)
	require.Equal(t, []any{"ns", "svc", 8443}, asked)
}

// Mutating webhooks are called in the order of their configurations' names. One with reinvocationPolicy IfNeeded is
// called again if a later one has changed the object.
func TestReinvocation(t *testing.T) {
	grow := func(r object) string {
		return patching(fmt.Sprintf(`[{"op":"add","path":"/spec/colour","value":%q}]`, at(r, "object", "spec", "colour").(string)+"a"))
	}
	s := serveHooks(t, map[string]func(object) string{"/needed": grow, "/never": grow, "/quiet": always(allowed)})
	_, c := start(t, Options{})
	must(t, c, 201, "POST", mutatingConfigurations, mutating("z", s.hookAt("/never", ""), s.hookAt("/quiet", `,"reinvocationPolicy":"IfNeeded"`)))
	must(t, c, 201, "POST", mutatingConfigurations, mutating("b", s.hookAt("/needed", `,"reinvocationPolicy":"IfNeeded"`)))
	made := must(t, c, 201, "POST", kites, kite("a", "r"), "Content-Type", jsonType)
	require.Equal(t, "raaa", at(made, "spec", "colour"))
	require.Equal(t, []int{2, 1, 2}, []int{s.calls("/needed"), s.calls("/never"), s.calls("/quiet")})
}

// Webhooks that may have side effects refuse dry runs, whatever their failurePolicy is.
func TestDryRunOfWebhooks(t *testing.T) {
	s := serveHooks(t, map[string]func(object) string{"/v": always(allowed)})
	_, c := start(t, Options{})
	must(t, c, 201, "POST", validatingConfigurations, validating("v", strings.Replace(s.hookAt("/v", ""), `"None"`, `"NoneOnDryRun"`, 1)))
	must(t, c, 201, "POST", kites+"?dryRun=All&fieldManager=me", kite("a", "red"), "Content-Type", jsonType)
	require.Equal(t, object{"apiVersion": "meta.k8s.io/v1", "kind": "CreateOptions", "dryRun": []any{"All"}, "fieldManager": "me"}, s.last("/v")["options"])
	require.Equal(t, true, s.last("/v")["dryRun"])
	refused := must(t, c, 422, "POST", validatingConfigurations, validating("w", strings.Replace(s.hookAt("/v", ""), `"None"`, `"Some"`, 1)))
	require.Contains(t, refused["message"], `webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"`)
}

// Selectors of namespaces and objects, scopes and subresources decide about calls.
func TestWebhookSelectors(t *testing.T) {
	for _, c := range []struct {
		name, more, rule string
		want             map[string]int // calls by request
	}{
		{"everything", "", "", map[string]int{"default": 1, "other": 1, "labelled": 1, "status": 0, "namespace": 0}},
		{"labels of the namespace", `,"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"other"}}`, "", map[string]int{"default": 0, "other": 1}},
		{"not that namespace", `,"namespaceSelector":{"matchExpressions":[{"key":"kubernetes.io/metadata.name","operator":"NotIn","values":["other","x"]}]}`, "",
			map[string]int{"default": 1, "other": 0}},
		{"labels of the object", `,"objectSelector":{"matchLabels":{"a":"b"},"matchExpressions":[{"key":"a","operator":"Exists"},{"key":"c","operator":"DoesNotExist"}]}`,
			"", map[string]int{"default": 0, "labelled": 1, "unlabelled": 1}},
		{"a subresource", "", `"resources":["kites/status"]`, map[string]int{"default": 0, "status": 1}},
		{"all subresources", "", `"resources":["kites/*"]`, map[string]int{"default": 1, "status": 1}},
		{"cluster", "", `"resources":["*"],"scope":"Cluster"`, map[string]int{"default": 0, "namespace": 1}},
		{"namespaced", "", `"resources":["*"],"scope":"Namespaced"`, map[string]int{"default": 1, "namespace": 0}},
		{"a namespace by its own labels", `,"namespaceSelector":{"matchLabels":{"new":"yes"}}`, `"resources":["namespaces"]`, map[string]int{"namespace": 1, "default": 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serveHooks(t, map[string]func(object) string{"/v": always(allowed)})
			_, client := start(t, Options{})
			must(t, client, 201, "POST", "/api/v1/namespaces", `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"other"}}`)
			hook := s.hookAt("/v", c.more)
			if c.rule != "" {
				hook = strings.Replace(strings.Replace(hook, `"resources":["kites"]`, c.rule, 1), `["wind.example.com"]`, `["*"]`, 1)
			}
			must(t, client, 201, "POST", validatingConfigurations, validating("v", hook))
			got := map[string]int{}
			for _, r := range []struct{ name, method, path, body string }{
				{"default", "POST", kites, kite("a", "red")},
				{"other", "POST", strings.Replace(kites, "default", "other", 1), kite("a", "red")},
				{"status", "PATCH", kites + "/a/status", `{"status":{"phase":"x"}}`},
				{"labelled", "PATCH", kites + "/a", `{"metadata":{"labels":{"a":"b"}}}`},
				{"unlabelled", "PATCH", kites + "/a", `{"metadata":{"labels":null}}`},
				{"namespace", "POST", "/api/v1/namespaces", `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"new","labels":{"new":"yes"}}}`},
			} {
				before, contentType := s.calls("/v"), jsonType
				if r.method == "PATCH" {
					contentType = mergePatch
				}
				answer := send(t, client, r.method, r.path, r.body, "Content-Type", contentType)
				answer.Body.Close()
				require.Less(t, answer.StatusCode, 300, r.name)
				got[r.name] = s.calls("/v") - before
			}
			for name, n := range c.want {
				require.Equal(t, n, got[name], name)
			}
		})
	}
}

func TestMatchConditions(t *testing.T) {
	for _, c := range []struct {
		conditions []string
		colour     string
		calls      int
		want       string // refusal
	}{
		{[]string{`object.spec.colour == "red"`}, "red", 1, ""},
		{[]string{`object.spec.colour == "red"`}, "blue", 0, ""},
		{[]string{`request.operation == "CREATE" && request.name == "a" && request.resource.resource == "kites"`}, "red", 1, ""},
		{[]string{`request.userInfo.username == "kubernetes-admin" && "system:masters" in request.userInfo.groups && !request.dryRun`}, "red", 1, ""},
		{[]string{`has(request.options.fieldManager)`}, "red", 0, ""},
		{[]string{`oldObject == null`, `!has(object.status)`}, "red", 1, ""},
		{[]string{`object.metadata.?labels["a"].orValue("none") == "none"`}, "red", 1, ""},
		{[]string{`object.spec.none == 1`}, "red", 0,
			`kites.wind.example.com "a" is forbidden: expression 'object.spec.none == 1' resulted in error: no such key: none`},
		{[]string{`object.spec.none == 1`, `false`}, "red", 0, ""},
		{[]string{`object.spec.filter(k, k == "colour").size() == 1`, `object.spec.all(k, k != "n")`}, "red", 1, ""},
	} {
		s := serveHooks(t, map[string]func(object) string{"/v": always(allowed)})
		_, client := start(t, Options{})
		var conditions []string
		for i, text := range c.conditions {
			conditions = append(conditions, fmt.Sprintf(`{"name":"c%d","expression":%q}`, i, text))
		}
		more := `,"matchConditions":[` + strings.Join(conditions, ",") + `]`
		must(t, client, 201, "POST", validatingConfigurations, validating("v", s.hookAt("/v", more)))
		if c.want != "" {
			refused := must(t, client, 403, "POST", kites, kite("a", c.colour), "Content-Type", jsonType)
			require.Equal(t, c.want, refused["message"])
			must(t, client, 200, "PATCH", validatingConfigurations+"/v", `[{"op":"replace","path":"/webhooks/0/failurePolicy","value":"Ignore"}]`,
				"Content-Type", "application/json-patch+json")
		}
		must(t, client, 201, "POST", kites, kite("a", c.colour), "Content-Type", jsonType)
		require.Equal(t, c.calls, s.calls("/v"), c.conditions)
	}
}

// With matchPolicy Equivalent, a rule for one version matches requests for another one. The webhook gets the object in
// the version of the rule, and its patch is converted back.
func TestEquivalentVersions(t *testing.T) {
	s := serveHooks(t, map[string]func(object) string{
		"/m": always(patching(`[{"op":"add","path":"/spec/colour","value":"green"}]`)), "/v": always(allowed),
	})
	_, c := start(t, Options{})
	two := strings.Replace(kiteDefinition, `"versions":[{`, `"versions":[{"name":"v2","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object",
		"properties":{"spec":{"type":"object","properties":{"colour":{"type":"string"},"extra":{"type":"string","default":"e"}}}}}}},{`, 1)
	stored := must(t, c, 200, "GET", definitions+"/kites.wind.example.com", "")
	must(t, c, 200, "PUT", definitions+"/kites.wind.example.com", strings.Replace(two, `"name":"kites.wind.example.com"`,
		`"name":"kites.wind.example.com","resourceVersion":"`+version(stored)+`"`, 1))
	of := func(version, hook string) string {
		return strings.Replace(hook, `"apiVersions":["*"]`, `"apiVersions":["`+version+`"]`, 1)
	}
	must(t, c, 201, "POST", mutatingConfigurations, mutating("m", of("v2", s.hookAt("/m", ""))))
	must(t, c, 201, "POST", validatingConfigurations, validating("v", of("v1", s.hookAt("/v", `,"matchPolicy":"Exact"`))))
	made := must(t, c, 201, "POST", kites, kite("a", "red"), "Content-Type", jsonType)
	require.Equal(t, []any{"green", "wind.example.com/v1"}, []any{at(made, "spec", "colour"), made["apiVersion"]})
	r := s.last("/m")
	require.Equal(t, []any{"wind.example.com/v2", "e"}, []any{at(r, "object", "apiVersion"), at(r, "object", "spec", "extra")})
	require.Equal(t, []any{"v2", "v1", "v2", "v1"}, []any{at(r, "kind", "version"), at(r, "requestKind", "version"), at(r, "resource", "version"),
		at(r, "requestResource", "version")})
	require.Equal(t, 1, s.calls("/v"))
	must(t, c, 201, "POST", strings.Replace(kites, "v1", "v2", 1), strings.Replace(kite("b", "red"), "v1", "v2", 1), "Content-Type", jsonType)
	require.Equal(t, 1, s.calls("/v"), "Exact")
}

// A review of the scale subresource has a Scale. A patch of it changes the replicas.
func TestScaleReviews(t *testing.T) {
	s := serveHooks(t, map[string]func(object) string{"/m": always(patching(`[{"op":"replace","path":"/spec/replicas","value":4}]`)), "/v": always(allowed)})
	_, c := start(t, Options{})
	must(t, c, 201, "POST", definitions, scaledDefinition)
	const masts = "/apis/sea.example.com/v1/masts"
	must(t, c, 201, "POST", masts, `{"apiVersion":"sea.example.com/v1","kind":"Mast","metadata":{"name":"m"},"spec":{"sails":1}}`)
	scale := func(path string) string {
		return strings.NewReplacer(`["wind.example.com"]`, `["*"]`, `["kites"]`, `["masts/scale"]`).Replace(s.hookAt(path, ""))
	}
	must(t, c, 201, "POST", mutatingConfigurations, mutating("m", scale("/m")))
	must(t, c, 201, "POST", validatingConfigurations, validating("v", scale("/v")))
	answer := must(t, c, 200, "PATCH", masts+"/m/scale", `{"spec":{"replicas":2}}`, "Content-Type", mergePatch)
	require.Equal(t, 4.0, at(answer, "spec", "replicas"))
	require.Equal(t, 2.0, at(s.last("/m"), "object", "spec", "replicas"))
	r := s.last("/v")
	require.Equal(t, []any{"Scale", 4.0, 1.0, "scale"}, []any{at(r, "kind", "kind"), at(r, "object", "spec", "replicas"), at(r, "oldObject", "spec", "replicas"), r["subResource"]})
}

// Go functions are webhooks, too.
func TestAdmitFunction(t *testing.T) {
	var seen []AdmissionRequest
	_, c := start(t, Options{Webhooks: []Webhook{
		{Name: "m", Mutating: true, Resources: []string{"kites.wind.example.com"}, Admit: func(_ context.Context, r *AdmissionRequest) (map[string]any, error) {
			seen = append(seen, *r)
			switch at(r.Object, "spec", "colour") {
			case "black":
				return nil, errors.New("no black kites")
			case "white":
				return nil, &field.Status{Code: 418, Message: "tea"}
			case "grey":
				panic("oops")
			}
			return object{"apiVersion": r.Object["apiVersion"], "kind": "Kite", "metadata": r.Object["metadata"], "spec": object{"colour": "green"}}, nil
		}},
	}})
	require.Equal(t, "green", at(must(t, c, 201, "POST", kites, kite("a", "red"), "Content-Type", jsonType), "spec", "colour"))
	require.Equal(t, []any{"CREATE", "wind.example.com", "v1", "Kite", "kites", "default", "a", "kubernetes-admin"}, []any{seen[0].Operation, seen[0].Group,
		seen[0].Version, seen[0].Kind, seen[0].Resource, seen[0].Namespace, seen[0].Name, seen[0].User.Name})
	refused := must(t, c, 403, "POST", kites, kite("b", "black"), "Content-Type", jsonType)
	require.Equal(t, `kites.wind.example.com "b" is forbidden: no black kites`, refused["message"])
	require.Equal(t, "tea", must(t, c, 418, "POST", kites, kite("b", "white"), "Content-Type", jsonType)["message"])
	refused = must(t, c, 500, "POST", kites, kite("b", "grey"), "Content-Type", jsonType)
	require.Equal(t, `Internal error occurred: failed calling webhook "m": the webhook has panicked: oops`, refused["message"])
}

// Validating webhooks are called concurrently. The first refusal in order counts.
func TestValidatingWebhooksAreConcurrent(t *testing.T) {
	both := make(chan bool)
	meet := func(answer string) func(object) string {
		return func(object) string {
			select {
			case both <- true:
			case <-both:
			case <-time.After(10 * time.Second):
				return `"allowed":false,"status":{"message":"alone"}`
			}
			return answer
		}
	}
	s := serveHooks(t, map[string]func(object) string{
		"/a": meet(`"allowed":false,"status":{"message":"first"}`), "/b": meet(`"allowed":false,"status":{"message":"second"}`),
	})
	_, c := start(t, Options{})
	must(t, c, 201, "POST", validatingConfigurations, validating("v", s.hookAt("/a", ""), s.hookAt("/b", "")))
	refused := must(t, c, 400, "POST", kites, kite("a", "red"), "Content-Type", jsonType)
	require.Equal(t, `admission webhook "a.example.com" denied the request: first`, refused["message"])
}

// A webhook of the older version of reviews.
func TestOldReviews(t *testing.T) {
	s := serveHooks(t, map[string]func(object) string{"/m": always(`"allowed":true,"patch":"` +
		base64.StdEncoding.EncodeToString([]byte(`[{"op":"add","path":"/spec/n","value":7}]`)) + `"`)})
	_, c := start(t, Options{})
	must(t, c, 201, "POST", mutatingConfigurations, mutating("m", strings.Replace(s.hookAt("/m", ""), `["v1"]`, `["v2","v1beta1","v1"]`, 1)))
	require.Equal(t, 7.0, at(must(t, c, 201, "POST", kites, kite("a", "red"), "Content-Type", jsonType), "spec", "n"))
	require.Equal(t, "admission.k8s.io/v1beta1", s.version)
}

// Configurations that a server refuses.
func TestInvalidConfigurations(t *testing.T) {
	s := serveHooks(t, nil)
	_, c := start(t, Options{})
	for _, row := range []struct{ replace, by, want string }{
		{`"name":"v.example.com"`, `"name":"v"`, `webhooks[0].name: Invalid value: "v": should be a domain with at least three segments separated by dots`},
		{`"name":"v.example.com",`, ``, `webhooks[0].name: Required value`},
		{`["kites"]`, `[]`, `webhooks[0].rules[0].resources: Required value`},
		{`["kites"]`, `["*","kites"]`, `webhooks[0].rules[0].resources: Invalid value: ["*","kites"]: if '*' is present, must not specify other resources without subresources`},
		{`["kites"]`, `["kites/*","kites/a"]`, `webhooks[0].rules[0].resources[1]: Invalid value: "kites/a": if 'kites/*' is present, must not specify kites/a`},
		{`["kites"]`, `["*/*","kites"]`, `if '*/*' is present, must not specify other resources`},
		{`"operations":["*"]`, `"operations":["*","CREATE"]`, `webhooks[0].rules[0].operations: Invalid value: ["*","CREATE"]: if '*' is present, must not specify other operations`},
		{`"operations":["*"]`, `"operations":["create"]`, `webhooks[0].rules[0].operations[0]: Unsupported value: "create": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"`},
		{`"apiVersions":["*"]`, `"apiVersions":[""]`, `webhooks[0].rules[0].apiVersions[0]: Required value`},
		{`"sideEffects":"None",`, ``, `webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun`},
		{`"sideEffects"`, `"failurePolicy":"No","sideEffects"`, `webhooks[0].failurePolicy: Unsupported value: "No": supported values: "Fail", "Ignore"`},
		{`"sideEffects"`, `"timeoutSeconds":31,"sideEffects"`, `webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds`},
		{`"url":`, `"service":{"name":"a","namespace":"b"},"url":`, `webhooks[0].clientConfig: Required value: exactly one of url or service is required`},
		{`https://`, `http://`, `webhooks[0].clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`},
		{`["v1"]`, `["v2"]`, `webhooks[0].admissionReviewVersions: Invalid value: ["v2"]: must include at least one of v1, v1beta1`},
		{`"sideEffects"`, `"objectSelector":{"matchLabels":{"a b":"c"}},"sideEffects"`, `webhooks[0].objectSelector.matchLabels: Invalid value: "a b": `},
		{`"sideEffects"`, `"matchConditions":[{"name":"a","expression":"object.spec +"}],"sideEffects"`, `webhooks[0].matchConditions[0].expression: Invalid value: "object.spec +": compilation failed: ERROR: <input>:1:14: Syntax error`},
		{`"sideEffects"`, `"matchConditions":[{"name":"a","expression":"request.none == 1"}],"sideEffects"`, `compilation failed: ERROR: <input>:1:8: undefined field 'none'`},
		{`"sideEffects"`, `"matchConditions":[{"name":"a","expression":"'a'"}],"sideEffects"`, `webhooks[0].matchConditions[0].expression: Invalid value: "'a'": must evaluate to bool but got string`},
	} {
		hook := s.hookAt("/v", "")
		require.Contains(t, hook, row.replace)
		refused := must(t, c, 422, "POST", validatingConfigurations, validating("v", strings.Replace(hook, row.replace, row.by, 1)))
		require.Contains(t, refused["message"], row.want)
	}
	refused := must(t, c, 422, "POST", validatingConfigurations, validating("v", s.hookAt("/v", ""), s.hookAt("/v", "")))
	require.Contains(t, refused["message"], `Duplicate value: `)
	refused = must(t, c, 400, "POST", validatingConfigurations, validating("v", strings.Replace(s.hookAt("/v", ""), s.ca, "@", 1)))
	require.True(t, slices.Contains([]any{"BadRequest"}, refused["reason"]), refused)
}
