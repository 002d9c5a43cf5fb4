package server

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/server/internal/catalog"
)

// reviewed returns a webhook that records the requests of reviews. respond returns the members of the response.
func reviewed(seen *[]object, respond func(request object) string) http.Handler {
	var mu sync.Mutex
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var review object
		if err := json.Unmarshal(body, &review); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		request := review["request"].(object)
		mu.Lock()
		*seen = append(*seen, request)
		mu.Unlock()
		fmt.Fprintf(w, `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":%q,%s}}`, request["uid"], respond(request))
	})
}

func always(response string) func(object) string { return func(object) string { return response } }

func TestAdmission(t *testing.T) {
	var mutations, validations []object
	// [{"op":"add","path":"/spec/n","value":7},{"op":"add","path":"/spec/unknown","value":1}]
	const patch = `"allowed":true,"patchType":"JSONPatch","patch":"W3sib3AiOiJhZGQiLCJwYXRoIjoiL3NwZWMvbiIsInZhbHVlIjo3fSx7Im9wIjoiYWRkIiwicGF0aCI6Ii9zcGVjL3Vua25vd24iLCJ2YWx1ZSI6MX1d"`
	_, c := start(t, Options{Webhooks: []Webhook{
		{Name: "v.example.com", Resources: []string{"kites.wind.example.com"}, Operations: []string{"CREATE", "UPDATE", "DELETE"},
			Handler: reviewed(&validations, func(r object) string {
				if at(r, "object", "spec", "colour") == "black" {
					return `"allowed":false,"status":{"code":403,"message":"no black kites"}`
				}
				if at(r, "oldObject", "metadata", "name") == "kept" && r["operation"] == "DELETE" {
					return `"allowed":false`
				}
				return `"allowed":true,"warnings":["careful"]`
			})},
		{Name: "m.example.com", Mutating: true, Resources: []string{"kites.wind.example.com"}, Handler: reviewed(&mutations, always(patch))},
	}})
	answer := send(t, c, "POST", kites, kite("a", "red"))
	var made object
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&made))
	answer.Body.Close()
	require.Equal(t, object{"colour": "red", "n": 7.0}, made["spec"], "patched, and pruned again")
	require.Equal(t, []string{`299 - "careful"`}, answer.Header["Warning"])
	require.Len(t, mutations, 1)
	require.Equal(t, []any{"CREATE", false, "default", nil}, []any{mutations[0]["operation"], mutations[0]["dryRun"], mutations[0]["namespace"], mutations[0]["oldObject"]})
	require.Equal(t, object{"group": "wind.example.com", "version": "v1", "resource": "kites"}, mutations[0]["resource"])
	require.Nil(t, at(mutations[0], "object", "metadata", "uid"))
	require.Len(t, validations, 1)
	require.Equal(t, 7.0, at(validations[0], "object", "spec", "n"), "after the mutation")
	require.Equal(t, at(made, "metadata", "uid"), at(validations[0], "object", "metadata", "uid"))

	refused := must(t, c, 403, "PATCH", kites+"/a", `{"spec":{"colour":"black"}}`, "Content-Type", mergePatch)
	require.Equal(t, `admission webhook "v.example.com" denied the request: no black kites`, refused["message"])
	require.Equal(t, "red", at(validations[1], "oldObject", "spec", "colour"))
	must(t, c, 403, "PUT", kites+"/a", fmt.Sprintf(`{"apiVersion":"wind.example.com/v1","kind":"Kite","metadata":{"name":"a","resourceVersion":%q},"spec":{"colour":"black"}}`, version(made)))
	must(t, c, 403, "PATCH", kites+"/a?fieldManager=x&force=true", `{"apiVersion":"wind.example.com/v1","kind":"Kite","metadata":{"name":"a"},"spec":{"colour":"black"}}`, "Content-Type", applyPatch)
	must(t, c, 200, "PATCH", kites+"/a/status", `{"status":{"phase":"x"}}`, "Content-Type", mergePatch)
	n := len(validations)
	must(t, c, 201, "POST", kites+"?dryRun=All", kite("dry", "red"), "Content-Type", "application/json")
	require.Equal(t, true, validations[n]["dryRun"])

	must(t, c, 201, "POST", kites, kite("kept", "red"), "Content-Type", "application/json")
	refused = must(t, c, 400, "DELETE", kites+"/kept", "")
	require.Equal(t, `admission webhook "v.example.com" denied the request without explanation`, refused["message"])
	must(t, c, 200, "DELETE", kites+"/a", "")
	require.Nil(t, validations[len(validations)-1]["object"])
	must(t, c, 201, "POST", configMaps, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`)
}

func TestAdmissionFailures(t *testing.T) {
	var seen []object
	for _, c := range []struct {
		name    string
		handler http.Handler
		message string
	}{
		{"an error of the handler", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "broken", 500) }),
			`failed to call webhook: an error on the server ("broken") has prevented the request from succeeding`},
		{"no JSON", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "no") }),
			"failed to call webhook: couldn't get version/kind; json parse error: "},
		{"an empty object", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "{}") }),
			"received invalid webhook response: webhook response was absent"},
		{"another kind", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var review object
			json.NewDecoder(r.Body).Decode(&review)
			fmt.Fprintf(w, `{"kind":"Other","apiVersion":"v1","response":{"uid":%q}}`, at(review, "request", "uid"))
		}), "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /v1, Kind=Other"},
		{"no response", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}`)
		}), "webhook response was absent"},
		{"another uid", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"x"}}`)
		}), "expected response.uid="},
		{"a panic", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("oops") }), "the webhook has panicked: oops"},
		{"time", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }), "context deadline exceeded"},
		{"a patch that does not fit", reviewed(&seen, always(`"allowed":true,"patchType":"JSONPatch","patch":"e30="`)), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := Webhook{Name: "m.example.com", Mutating: true, Resources: []string{"kites.wind.example.com"}, Handler: c.handler, Timeout: 100 * time.Millisecond}
			_, client := start(t, Options{Webhooks: []Webhook{h}})
			refused := must(t, client, 500, "POST", kites, kite("a", "red"), "Content-Type", "application/json")
			require.Contains(t, refused["message"], c.message)
			if c.message == "" {
				return
			}
			h.IgnoreFailures = true
			_, client = start(t, Options{Webhooks: []Webhook{h}})
			must(t, client, 201, "POST", kites, kite("a", "red"), "Content-Type", "application/json")
		})
	}
}

// The HTTP request and the review that a webhook receives.
func TestReview(t *testing.T) {
	var got []*http.Request
	var reviews []object
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review object
		require.NoError(t, json.NewDecoder(r.Body).Decode(&review))
		got, reviews = append(got, r), append(reviews, review)
		fmt.Fprintf(w, `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":%q,"allowed":true}}`, at(review, "request", "uid"))
	})
	_, c := start(t, Options{Webhooks: []Webhook{{Name: "a", Handler: h, Resources: []string{"kites.wind.example.com", "kites.wind.example.com/status"},
		Operations: []string{"CREATE", "UPDATE", "DELETE"}}}})
	must(t, c, 201, "POST", kites, kite("a", "red"), "Content-Type", "application/json")
	must(t, c, 200, "PATCH", kites+"/a/status?dryRun=All", `{"status":{"phase":"up"}}`, "Content-Type", mergePatch)
	must(t, c, 200, "DELETE", kites+"/a", "")
	require.Len(t, got, 3)
	require.Equal(t, http.MethodPost, got[0].Method)
	require.Equal(t, "/?timeout=10s", got[0].RequestURI)
	require.Equal(t, "application/json", got[0].Header.Get("Content-Type"))
	require.Equal(t, "application/json, */*", got[0].Header.Get("Accept"))

	kind := object{"group": "wind.example.com", "version": "v1", "kind": "Kite"}
	resource := object{"group": "wind.example.com", "version": "v1", "resource": "kites"}
	want := func(operation, options string, dryRun bool) object {
		out := object{
			"kind": kind, "requestKind": kind, "resource": resource, "requestResource": resource, "name": "a", "namespace": "default",
			"operation": operation, "dryRun": dryRun, "options": object{"apiVersion": "meta.k8s.io/v1", "kind": options},
			"userInfo": object{"username": "kubernetes-admin", "groups": []any{"system:masters", "system:authenticated"}},
		}
		if dryRun {
			out["options"].(object)["dryRun"] = []any{"All"}
			out["subResource"], out["requestSubResource"] = "status", "status"
		}
		return out
	}
	for i, w := range []object{want("CREATE", "CreateOptions", false), want("UPDATE", "UpdateOptions", true), want("DELETE", "DeleteOptions", false)} {
		require.Equal(t, "AdmissionReview", reviews[i]["kind"])
		require.Equal(t, "admission.k8s.io/v1", reviews[i]["apiVersion"])
		request := reviews[i]["request"].(object)
		require.Len(t, request["uid"], 36)
		require.Equal(t, i == 2, request["object"] == nil)
		require.Equal(t, i == 0, request["oldObject"] == nil)
		for _, key := range []string{"uid", "object", "oldObject"} {
			delete(request, key)
		}
		require.Equal(t, w, request)
	}
	require.Equal(t, "a", at(reviews[0], "request", "name"))
}

// A webhook is called for its resources and operations only.
func TestWants(t *testing.T) {
	var seen []object
	_, c := start(t, Options{Webhooks: []Webhook{{Name: "a", Handler: reviewed(&seen, always(`"allowed":true`))}}})
	asked := func(times int, code int, method, path, body string, header ...string) {
		t.Helper()
		before := len(seen)
		must(t, c, code, method, path, body, header...)
		require.Len(t, seen, before+times)
	}
	asked(1, 201, "POST", kites, kite("a", "red"), "Content-Type", "application/json")
	asked(1, 201, "POST", configMaps, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`)
	asked(1, 200, "PATCH", kites+"/a", `{"spec":{"colour":"blue"}}`, "Content-Type", mergePatch)
	asked(0, 200, "PATCH", kites+"/a/status", `{"status":{"phase":"up"}}`, "Content-Type", mergePatch)
	asked(0, 200, "DELETE", kites+"/a", "")
}

// Refusals of webhooks, and invalid responses.
func TestResponses(t *testing.T) {
	const denied = `admission webhook "a.example.com" denied the request`
	for _, c := range []struct {
		response string
		mutating bool
		code     int
		message  string
	}{
		{`"allowed":false`, false, 400, denied + " without explanation"},
		{`"allowed":false,"status":{"reason":"Because"}`, false, 400, denied + ": Because"},
		{`"allowed":false,"status":{"reason":"Because","message":"no"}`, false, 400, denied + ": no"},
		{`"allowed":false,"status":{"code":409}`, true, 409, denied + " without explanation"},
		{`"allowed":false,"status":{"code":200,"message":"no"}`, false, 400, denied + ": no"},
		{`"allowed":true,"patch":"W10="`, true, 500,
			`failed calling webhook "a.example.com": received invalid webhook response: webhook returned response.patch but not response.patchType`},
		{`"allowed":true,"patchType":"JSONPatch"`, true, 500, `webhook returned response.patchType but not response.patch`},
		{`"allowed":true,"patch":"W3t9XQ==","patchType":""`, true, 500, `webhook returned invalid response.patchType of ""`},
		{`"allowed":true,"patch":"W3t9XQ==","patchType":"Other"`, true, 500, `failed calling webhook "a.example.com": unsupported patch type "Other"`},
		{`"allowed":true,"patch":"W10=","patchType":"JSONPatch"`, false, 500,
			`failed calling webhook "a.example.com": received invalid webhook response: validating webhook may not return response.patch`},
		{`"allowed":true,"patchType":"JSONPatch"`, false, 500, `validating webhook may not return response.patchType`},
	} {
		var seen []object
		_, client := start(t, Options{Webhooks: []Webhook{{Name: "a.example.com", Mutating: c.mutating, Resources: []string{"configmaps"}, Handler: reviewed(&seen, always(c.response))}}})
		refused := must(t, client, c.code, "POST", configMaps, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`)
		require.Contains(t, refused["message"], c.message)
		must(t, client, 404, "GET", configMaps+"/a", "")
	}
	long := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for range catalog.MaxAnswer/(1<<20) + 1 {
			w.Write(make([]byte, 1<<20))
		}
	})
	_, client := start(t, Options{Webhooks: []Webhook{{Name: "a.example.com", Handler: long, Resources: []string{"configmaps"}}}})
	refused := must(t, client, 500, "POST", configMaps, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`)
	require.Contains(t, refused["message"], "the answer is too long")
}

// A webhook that denies a request because something is not found does not say that of the object.
func TestDeniedAsNotFound(t *testing.T) {
	var seen []object
	_, c := start(t, Options{Webhooks: []Webhook{{
		Name: "a.example.com", Resources: []string{"kites.wind.example.com"}, Operations: []string{"UPDATE", "DELETE"},
		Handler: reviewed(&seen, always(`"allowed":false,"status":{"code":404,"reason":"NotFound","message":"no such owner"}`)),
	}}})
	revision := version(must(t, c, 201, "POST", kites, kite("a", "red")))
	for _, r := range []struct{ method, path, body, contentType string }{
		{"PUT", "/a", strings.Replace(kite("a", "blue"), `"name"`, `"resourceVersion":"`+revision+`","name"`, 1), jsonType},
		{"PATCH", "/a", `{"spec":{"colour":"blue"}}`, mergePatch},
		{"PATCH", "/a?fieldManager=x&force=true", kite("a", "blue"), applyPatch},
		{"DELETE", "/a", "", jsonType},
		{"DELETE", "", "", jsonType},
	} {
		refused := must(t, c, 404, r.method, kites+r.path, r.body, "Content-Type", r.contentType)
		require.Equal(t, `admission webhook "a.example.com" denied the request: no such owner`, refused["message"], r)
	}
	require.Len(t, seen, 5)
}

// Each mutating webhook gets the object as changed by the previous one. The first refusal ends the request.
func TestMutatingWebhooksInOrder(t *testing.T) {
	var first, second []object
	// [{"op":"add","path":"/data","value":{"k":"v"}}]
	const patch = `"allowed":true,"patchType":"JSONPatch","patch":"W3sib3AiOiJhZGQiLCJwYXRoIjoiL2RhdGEiLCJ2YWx1ZSI6eyJrIjoidiJ9fV0="`
	_, c := start(t, Options{Webhooks: []Webhook{
		{Name: "first", Mutating: true, Resources: []string{"configmaps"}, Handler: reviewed(&first, always(patch))},
		{Name: "second", Mutating: true, Resources: []string{"configmaps"}, Handler: reviewed(&second, always(`"allowed":false`))},
	}})
	refused := must(t, c, 400, "POST", configMaps, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`)
	require.Contains(t, refused["message"], `"second"`)
	require.Nil(t, at(first[0], "object", "data"))
	require.Equal(t, object{"k": "v"}, at(second[0], "object", "data"))
}

// In a map of texts, null is the empty text, also in what a webhook returns.
func TestNullInAWebhooksPatch(t *testing.T) {
	patch := base64.StdEncoding.EncodeToString([]byte(`[{"op":"add","path":"/data","value":{"k":null}}]`))
	var seen []object
	_, c := start(t, Options{Webhooks: []Webhook{{
		Name: "a", Mutating: true, Resources: []string{"configmaps"}, Handler: reviewed(&seen, always(`"allowed":true,"patchType":"JSONPatch","patch":"`+patch+`"`)),
	}}})
	made := must(t, c, 201, "POST", configMaps, `{"metadata":{"name":"a"}}`)
	require.Equal(t, object{"k": ""}, made["data"])
}
