package scenario

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
)

// This file has scenarios of conversion webhooks that misbehave.

// In bodies and answers, hookHost stands for the host and port of the [Hook], and hookCA for its certificate.
const (
	hookHost = "hook.example:10443"
	hookCA   = "Q0E="
)

// A Hook is a server with conversion webhooks that misbehave, at 127.0.0.1. The path of a request chooses the way.
type Hook struct {
	server   *httptest.Server
	host, ca string
}

// NewHook starts a Hook. The caller closes it.
func NewHook() *Hook {
	mux := http.NewServeMux()
	for _, w := range ways {
		mux.HandleFunc(pathOf(w.name), w.serve)
	}
	s := httptest.NewUnstartedServer(mux)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	return &Hook{s, s.Listener.Addr().String(), base64.StdEncoding.EncodeToString(ca)}
}

// Close ends the server.
func (h *Hook) Close() { h.server.Close() }

// What differs between two answers: uids and times in the texts of errors, and whether a server could not fill its cache.
var (
	anyUID   = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)
	anyTime  = regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
	uncached = regexp.MustCompile(`storage is \(re\)initializing: failed to list (<|\\u003c)unspecified(>|\\u003e): `)
)

// settled returns the body of an answer without what differs between two answers, and with its managedFields in an order
// that does not depend on how many seconds the requests took.
func (h *Hook) settled(body []byte) []byte {
	body = anyTime.ReplaceAll(anyUID.ReplaceAll(body, []byte("UID")), []byte("2026-01-02T03:04:05Z"))
	body = uncached.ReplaceAll(body, nil)
	v, err := decode(body)
	m, ok := v.(map[string]any)
	if err != nil || !ok {
		return body
	}
	items, _ := m["items"].([]any)
	for _, v := range append(items, m) {
		object, _ := v.(map[string]any)
		meta, _ := object["metadata"].(map[string]any)
		managers, _ := meta["managedFields"].([]any)
		slices.SortFunc(managers, func(a, b any) int {
			delete(a.(map[string]any), "time")
			delete(b.(map[string]any), "time")
			return bytes.Compare(encode(a), encode(b))
		})
	}
	return encode(m)
}

// A review has the parts of a ConversionReview that the webhook needs.
type review struct {
	UID               string           `json:"uid"`
	DesiredAPIVersion string           `json:"desiredAPIVersion"`
	Objects           []map[string]any `json:"objects"`
}

// A response is the correct answer to a review, for a way to change.
type response struct {
	review     review
	APIVersion string
	Kind       string
	UID        string
	Result     string // JSON
	Objects    []any
}

// text returns the body of an answer.
func (r *response) text() string {
	objects, err := json.Marshal(r.Objects)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"response":{"uid":%q,"convertedObjects":%s,"result":%s}}`, r.APIVersion, r.Kind, r.UID, objects, r.Result)
}

// object returns the only converted object.
func (r *response) object() map[string]any { return r.Objects[0].(map[string]any) }

func (r *response) metadata() map[string]any { return r.object()["metadata"].(map[string]any) }

// A way is how a webhook misbehaves: it changes the correct response, returns another body, or answers by itself.
type way struct {
	name   string
	change func(r *response)
	body   func(r *response) string
	status int // of the answer; 0 is 200
	// noWrites leaves out the writes in v2: their refusals show parts of the object that package server sets after the
	// conversion of a new object, and a server converts the old object of an update, too (docs/internals/parity.md).
	noWrites bool
	answer   func(w http.ResponseWriter, r *http.Request)
}

func fixed(body string) func(*response) string { return func(*response) string { return body } }

func code(code int, contentType, body string) func(w http.ResponseWriter, r *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(code)
		io.WriteString(w, body)
	}
}

func redirect(code int, to string) func(w http.ResponseWriter, r *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, code) }
}

func meta(key string, v any) func(r *response) {
	return func(r *response) { r.metadata()[key] = v }
}

func top(key string, v any) func(r *response) {
	return func(r *response) { r.object()[key] = v }
}

func result(text string) func(r *response) { return func(r *response) { r.Result = text } }

// none is a way that does everything right, to compare with.
const none = "right"

var ways = []way{
	{name: none},

	// The review.
	{name: "another uid", change: func(r *response) { r.UID = "b" }},
	{name: "no uid", change: func(r *response) { r.UID = "" }},
	{name: "no response", body: fixed(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview"}`)},
	{name: "null response", body: fixed(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","response":null}`)},
	{name: "a failure", change: result(`{"status":"Failed","message":"no <such> \"colour\""}`)},
	{name: "a failure without a message", change: result(`{"status":"Failed"}`)},
	{name: "a failure with a reason and a code", change: result(`{"status":"Failure","message":"why","reason":"NotFound","code":404}`)},
	{name: "no status", change: result(`{}`)},
	{name: "a result of another type", change: result(`"Success"`)},
	{name: "success in lower case", change: result(`{"status":"success"}`)},
	{name: "another kind", change: func(r *response) { r.Kind = "AdmissionReview" }},
	{name: "no kind", change: func(r *response) { r.Kind = "" }},
	{name: "another group", change: func(r *response) { r.APIVersion = "example.com/v1" }},
	{name: "another version", change: func(r *response) { r.APIVersion = "apiextensions.k8s.io/v1beta1" }},
	{name: "an unknown version", change: func(r *response) { r.APIVersion = "apiextensions.k8s.io/v9" }},
	{name: "no version", change: func(r *response) { r.APIVersion = "" }},
	{name: "the request only", body: func(r *response) string {
		text, _ := json.Marshal(map[string]any{"apiVersion": r.APIVersion, "kind": r.Kind, "request": r.review})
		return string(text)
	}},
	{name: "unknown fields", body: func(r *response) string { return strings.Replace(r.text(), `{"uid"`, `{"a":1,"uid"`, 1) }},
	{name: "repeated keys", body: func(r *response) string { return strings.Replace(r.text(), `{"uid"`, `{"uid":"b","uid"`, 1) }},

	// The body.
	{name: "an empty body", body: fixed("")},
	{name: "no JSON", body: fixed("<html>")},
	{name: "cut off JSON", body: func(r *response) string { return r.text()[:40] }},
	{name: "text after the JSON", body: func(r *response) string { return r.text() + "x" }},
	{name: "a list", body: fixed("[]")},
	{name: "null", body: fixed("null")},
	{name: "a status", body: fixed(`{"apiVersion":"v1","kind":"Status","status":"Failure","message":"why"}`)},

	// The objects.
	{name: "no objects", change: func(r *response) { r.Objects = nil }},
	{name: "fewer objects", change: func(r *response) { r.Objects = []any{} }},
	{name: "more objects", change: func(r *response) { r.Objects = append(r.Objects, r.Objects[0]) }},
	{name: "a null object", change: func(r *response) { r.Objects[0] = nil }},
	{name: "a text as an object", change: func(r *response) { r.Objects[0] = "a" }},
	{name: "a list as an object", change: func(r *response) { r.Objects[0] = []any{r.Objects[0]} }},
	{name: "objects of another type", body: fixed(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","response":{"convertedObjects":{}}}`)},
	{name: "a list of the kind", change: func(r *response) {
		r.Objects[0] = map[string]any{"apiVersion": r.review.DesiredAPIVersion, "kind": "KList", "metadata": map[string]any{}, "items": []any{}}
	}},
	{name: "an empty object", change: func(r *response) { r.Objects[0] = map[string]any{} }},
	{name: "not converted", change: func(r *response) { r.object()["apiVersion"] = r.review.Objects[0]["apiVersion"] }},
	{name: "converted to another version", change: func(r *response) {
		r.object()["apiVersion"] = strings.Replace(r.review.DesiredAPIVersion, "/v", "/v4", 1)
	}},
	{name: "another group of the object", change: top("apiVersion", "h.io/v1")},
	{name: "another kind of the object", change: top("kind", "L")},
	{name: "no kind of the object", noWrites: true, change: func(r *response) { delete(r.object(), "kind") }},
	{name: "a spec of another type", change: top("spec", "a")},
	{name: "a null in the object", change: top("spec", nil)},
	{name: "unknown fields in the object", change: top("more", map[string]any{"a": "b"})},

	// The metadata of objects.
	{name: "another name", change: meta("name", "b")},
	{name: "no name", change: meta("name", nil)},
	{name: "a name of another type", change: meta("name", 1)},
	{name: "another namespace", change: meta("namespace", "other")},
	{name: "no namespace", change: meta("namespace", "")},
	{name: "another uid of the object", noWrites: true, change: meta("uid", "7")},
	{name: "no metadata", change: func(r *response) { delete(r.object(), "metadata") }},
	{name: "null metadata", change: top("metadata", nil)},
	{name: "metadata of another type", change: top("metadata", "a")},
	{name: "other finalizers", change: meta("finalizers", []any{"a.b/c"})},
	{name: "another generation", change: meta("generation", 77)},
	{name: "other owners", change: meta("ownerReferences", []any{map[string]any{"apiVersion": "v1", "kind": "A", "name": "a", "uid": "u"}})},
	{name: "another time of creation", change: meta("creationTimestamp", "2020-01-01T00:00:00Z")},
	{name: "a time of deletion", change: meta("deletionTimestamp", "2020-01-01T00:00:00Z")},
	{name: "other labels", change: meta("labels", map[string]any{"new": "label"})},
	{name: "no labels", change: meta("labels", nil)},
	{name: "other annotations", change: meta("annotations", map[string]any{"new": "annotation"})},
	{name: "labels of another type", change: meta("labels", []any{"a"})},
	{name: "a label of another type", change: meta("labels", map[string]any{"a": 1})},
	{name: "an invalid label", change: meta("labels", map[string]any{"a b": "c"})},
	{name: "an invalid value of a label", change: meta("labels", map[string]any{"a": "b c"})},
	{name: "an invalid annotation", change: meta("annotations", map[string]any{"a b": "c"})},
	{name: "a long annotation", change: meta("annotations", map[string]any{"a": strings.Repeat("x", 256<<10)})},

	// HTTP.
	{name: "500", answer: code(500, "text/plain", "oops\n")},
	{name: "500 without a text", answer: code(500, "application/json", "{}")},
	{name: "400 with a status", answer: code(400, "application/json", `{"apiVersion":"v1","kind":"Status","status":"Failure","message":"why","code":400}`)},
	{name: "401", answer: code(401, "text/plain", "who are you")},
	{name: "403", answer: code(403, "text/plain", "no")},
	{name: "404", answer: code(404, "text/plain", "404 page not found")},
	{name: "429", answer: code(429, "text/plain", "later")},
	{name: "503", answer: code(503, "text/plain", "down")},
	{name: "204", answer: code(204, "application/json", "")},
	{name: "201", status: http.StatusCreated},
	{name: "a redirect within the host", answer: redirect(307, "/right")},
	{name: "a redirect that becomes a GET", answer: redirect(302, "/right")},
	{name: "a redirect without end", answer: func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
	}},
	{name: "a redirect to nowhere", answer: code(307, "text/plain", "")},
	{name: "no answer", answer: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
	{name: "a body that ends early", answer: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, "{")
	}},
}

func pathOf(name string) string { return "/" + strings.ReplaceAll(name, " ", "-") }

// Hooks returns a scenario for each way in which a conversion webhook can misbehave. The definition has v2 as the
// storage version at first, and one object, so that later each request needs the webhook, to read the object in v1 or
// to write one that was sent in v2.
func Hooks() (all []Scenario) {
	const (
		schema  = `"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{%s:{"type":"string"}}}}}}`
		version = `{"name":%q,"served":true,"storage":%t,` + schema + `}`
		object  = `{"apiVersion":"g.io/%s","kind":"K","metadata":{"name":%q,"labels":{"a":"b"}%s},"spec":{%q:%q}}`
		one     = "/apis/g.io/%s/namespaces/ns/ks"
	)
	versions := func(storage string) string {
		return `[` + fmt.Sprintf(version, "v1", storage == "v1", `"old"`) + `,` + fmt.Sprintf(version, "v2", storage == "v2", `"new"`)
	}
	for _, w := range ways {
		s := Scenario{Name: w.name}
		add := func(area, method, path, contentType, body string) {
			s.Requests = append(s.Requests, Request{Area: area, Method: method, Path: path, ContentType: contentType, Body: json.RawMessage(body)})
		}
		add("definition", "POST", definitions, "application/json", `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",`+
			`"metadata":{"name":"ks.g.io"},"spec":{"group":"g.io","scope":"Namespaced","names":{"plural":"ks","kind":"K"},"versions":`+versions("v2")+`]}}`)
		add("stored", "POST", fmt.Sprintf(one, "v2"), "application/json", fmt.Sprintf(object, "v2", "a", "", "new", "x"))
		add("definition", "PATCH", definitions+"/ks.g.io", "application/merge-patch+json", `{"spec":{"names":{"plural":"ks","kind":"K"},"versions":`+versions("v1")+`,`+
			fmt.Sprintf(version, "v3", false, `"new"`)+`],"conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],`+
			`"clientConfig":{"url":"https://`+hookHost+pathOf(w.name)+`","caBundle":"`+hookCA+`"}}}}}`)
		for _, v := range []string{"v1", "v2"} {
			add("get", "GET", fmt.Sprintf(one, v)+"/a", "", "")
			add("list", "GET", "/apis/g.io/"+v+"/ks?limit=500", "", "") // without a limit, a server lists what it has cached, if it could
		}
		const merge, apply = "application/merge-patch+json", "application/apply-patch+yaml"
		for i, v := range []string{"v1", "v2"} {
			if v == "v2" && w.noWrites {
				continue
			}
			name := []string{"old", "new"}[i]
			add("create", "POST", fmt.Sprintf(one, v), "application/json", fmt.Sprintf(object, v, "c"+v, "", name, "x"))
			add("update", "PUT", fmt.Sprintf(one, v)+"/a", "application/json", fmt.Sprintf(object, v, "a", `,"resourceVersion":"@","annotations":{"c":"d"}`, name, v))
			add("patch", "PATCH", fmt.Sprintf(one, v)+"/a", merge, fmt.Sprintf(`{"spec":{%q:"p%s"}}`, name, v))
			add("apply", "PATCH", fmt.Sprintf(one, v)+"/a?fieldManager=m&force=true", apply, fmt.Sprintf(object, v, "a", "", name, "s"+v))
		}
		add("delete", "DELETE", "/apis/g.io/v1/namespaces/ns/ks", "", "")
		add("delete", "DELETE", fmt.Sprintf(one, "v1")+"/a", "", "")
		add("definition", "DELETE", definitions+"/ks.g.io", "", "")
		add("definition", "GET", definitions+"/ks.g.io", "", "")
		all = append(all, s)
	}
	return all
}

func (way way) serve(w http.ResponseWriter, r *http.Request) {
	if way.answer != nil {
		way.answer(w, r)
		return
	}
	var in struct{ Request review }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	out := &response{review: in.Request, APIVersion: "apiextensions.k8s.io/v1", Kind: "ConversionReview", UID: in.Request.UID, Result: `{"status":"Success"}`}
	for _, obj := range in.Request.Objects {
		out.Objects = append(out.Objects, convert(obj, in.Request.DesiredAPIVersion))
	}
	if way.change != nil {
		way.change(out)
	}
	text := out.text()
	if way.body != nil {
		text = way.body(out)
	}
	w.Header().Set("Content-Type", "application/json")
	if way.status != 0 {
		w.WriteHeader(way.status)
	}
	io.WriteString(w, text)
}

// convert returns a copy of obj in another version: v1 has the field spec.old, and the others spec.new.
func convert(obj map[string]any, apiVersion string) map[string]any {
	out := map[string]any{}
	text, _ := json.Marshal(obj)
	_ = json.Unmarshal(text, &out)
	out["apiVersion"] = apiVersion
	if spec, ok := out["spec"].(map[string]any); ok {
		from, to := "old", "new"
		if strings.HasSuffix(apiVersion, "/v1") {
			from, to = to, from
		}
		if v, ok := spec[from]; ok {
			spec[to] = v
			delete(spec, from)
		}
	}
	return out
}
