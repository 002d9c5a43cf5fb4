package admission

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/registry"
	"github.com/crdkit/crdkit/server"
)

// maxBody is the maximum length of a body, in bytes.
const maxBody = 8 << 20

// newWebhook serves the definitions of testdata over TLS.
func newWebhook(t *testing.T, failClosed bool) *httptest.Server {
	t.Helper()
	server := httptest.NewTLSServer(newHandler(t, failClosed))
	t.Cleanup(server.Close)
	return server
}

func newOf(t testing.TB, o *Options) *Webhook {
	t.Helper()
	definitions, err := registry.Load("testdata/crds.yaml")
	require.NoError(t, err)
	w, err := Compile(definitions, o)
	require.NoError(t, err)
	return w
}

func newHandler(t testing.TB, failClosed bool) http.Handler {
	t.Helper()
	return newOf(t, &Options{FailClosed: failClosed, Log: t.Output()}).Handler()
}

// post sends a body and returns the response.
func post(t *testing.T, client *http.Client, url, body string) (code int, contentType, answer string) {
	t.Helper()
	response, err := client.Post(url, "application/json", strings.NewReader(body))
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, response.Header.Get("Content-Type"), string(text)
}

// A change is a change of a review in testdata: the new JSON value at a path of keys, or "" to remove the key.
type change struct{ path, value string }

// review returns the body of testdata's file with some changes, and the uid of its request.
func review(t *testing.T, file string, changes ...change) (body, uid string) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file + ".json")
	require.NoError(t, err)
	whole := decode(t, text).(map[string]any)
	uid = whole["request"].(map[string]any)["uid"].(string)
	if changes == nil {
		return string(text), uid
	}
	for _, c := range changes {
		keys := strings.Split(c.path, ".")
		in := whole
		for _, k := range keys[:len(keys)-1] {
			in = in[k].(map[string]any)
		}
		last := keys[len(keys)-1]
		if c.value == "" {
			delete(in, last)
			continue
		}
		in[last] = decode(t, []byte(c.value))
	}
	text, err = json.Marshal(whole)
	require.NoError(t, err)
	return string(text), uid
}

// decode decodes JSON, with numbers as json.Number.
func decode(t *testing.T, text []byte) (v any) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&v), "%s", text)
	return v
}

// answer returns a whole response, given all its members except uid, in order.
func answer(uid, members string) string {
	return `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"` + uid + `",` + members + `}}`
}

func patched(patch string) string {
	return `"patch":"` + base64.StdEncoding.EncodeToString([]byte(patch)) + `","patchType":"JSONPatch"`
}

func denied(message, details string) string {
	return `"allowed":false,"status":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":` + message + details + `}`
}

const (
	allowed  = `"allowed":true`
	ofWidget = `"details":{"name":"left","group":"example.org","kind":"Widget","causes":[`

	rulesBlocked = `Invalid value: null: some validation rules were not checked because the object was invalid; ` +
		`correct the existing errors to complete validation`
	causeOfBlocked = `{"reason":"FieldValueInvalid","message":"` + rulesBlocked + `","field":"\u003cnil\u003e"}`
)

// Each review is posted to both endpoints.
func TestReviews(t *testing.T) {
	toZone := []change{
		{"request.kind.kind", `"Zone"`},
		{"request.resource.resource", `"zones"`},
		{"request.namespace", ""},
		{"request.object", `{"apiVersion": "example.org/v1", "kind": "Zone", "metadata": {"name": "left"}}`},
	}
	toBeta := []change{
		{"request.kind.version", `"v1beta1"`},
		{"request.resource.version", `"v1beta1"`},
		{"request.object", `{"apiVersion": "example.org/v1beta1", "kind": "Widget", "metadata": {"name": "left", "namespace": "team"}}`},
	}
	for _, tt := range []struct {
		name             string
		file             string
		changes          []change
		mutate, validate string
		failClosed       bool
	}{
		{
			name: "create: defaults are patched in", file: "create",
			mutate:   allowed + `,` + patched(`[{"op":"add","path":"/spec/mode","value":"fast"},{"op":"add","path":"/spec/replicas","value":1}]`),
			validate: allowed,
		},
		{
			name: "create: complete", file: "create",
			changes: []change{{"request.object.spec", `{"size": 2, "mode": "fast", "replicas": 1}`}},
			mutate:  allowed, validate: allowed,
		},
		{
			name: "create: a number is no float", file: "create",
			changes: []change{{"request.object.spec", `{"size": -9007199254740993}`}},
			mutate:  allowed,
			validate: denied(`"Widget.example.org \"left\" is invalid: spec.size: Invalid value: -9007199254740993: `+
				`spec.size in body should be greater than or equal to 1"`, `,"reason":"Invalid",`+ofWidget+
				`{"reason":"FieldValueInvalid","message":"Invalid value: -9007199254740993: spec.size in body should be greater than or `+
				`equal to 1","field":"spec.size"}]},"code":422`),
		},
		{
			name: "create: the status is the subresource's", file: "create",
			changes: []change{
				{"request.object.spec", `{"size": 2, "mode": "fast", "replicas": 1}`},
				{"request.object.status", `{"phase": "Nowhere"}`},
			},
			mutate: allowed, validate: allowed,
		},
		{
			name: "create: not valid", file: "create",
			changes: []change{{"request.object.spec", `{"mode": "slow", "size": 0}`}},
			mutate:  allowed,
			validate: denied(`"Widget.example.org \"left\" is invalid: [spec.mode: Unsupported value: \"slow\": supported values: \"fast\", `+
				`\"thorough\", spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1, `+
				`\u003cnil\u003e: `+rulesBlocked+`]"`, `,"reason":"Invalid",`+ofWidget+
				`{"reason":"FieldValueNotSupported","message":"Unsupported value: \"slow\": supported values: \"fast\", \"thorough\"",`+
				`"field":"spec.mode"},`+
				`{"reason":"FieldValueInvalid","message":"Invalid value: 0: spec.size in body should be greater than or equal to 1",`+
				`"field":"spec.size"},`+
				causeOfBlocked+`]},"code":422`),
		},
		{
			name: "create: an unknown field, with Warn", file: "create",
			changes:  []change{{"request.object.spec", `{"size": 2, "mode": "fast", "replicas": 1, "sise": 3}`}},
			mutate:   allowed + `,` + patched(`[{"op":"remove","path":"/spec/sise"}]`) + `,"warnings":["unknown field \"spec.sise\""]`,
			validate: allowed + `,"warnings":["unknown field \"spec.sise\""]`,
		},
		{
			name: "create: an unknown field, with Strict", file: "create",
			changes: []change{
				{"request.options.fieldValidation", `"Strict"`},
				{"request.object.spec", `{"size": 2, "sise": 3}`},
			},
			mutate: allowed,
			validate: denied(`"Widget in version \"v1\" cannot be handled as a Widget: strict decoding error: unknown field \"spec.sise\""`,
				`,"reason":"BadRequest","code":400`),
		},
		{
			name: "create: in another namespace", file: "create",
			changes: []change{{"request.namespace", `"other"`}},
			mutate:  allowed,
			validate: denied(`"the namespace of the provided object does not match the namespace sent on the request"`,
				`,"reason":"BadRequest","code":400`),
		},
		{
			name: "create: of the cluster", file: "create", changes: toZone,
			mutate: allowed,
			validate: denied(`"Zone.example.org \"left\" is invalid: region: Required value"`, `,"reason":"Invalid",`+
				`"details":{"name":"left","group":"example.org","kind":"Zone","causes":[`+
				`{"reason":"FieldValueRequired","message":"Required value","field":"region"}]},"code":422`),
		},
		{
			name: "create: in a version that is not stored, and deprecated", file: "create", changes: toBeta,
			mutate: allowed + `,` + patched(`[{"op":"add","path":"/size","value":3}]`) +
				`,"warnings":["example.org/v1beta1 Widget is deprecated; use example.org/v1 Widget"]`,
			validate: allowed + `,"warnings":["example.org/v1beta1 Widget is deprecated; use example.org/v1 Widget"]`,
		},
		{
			name: "create: without options", file: "create",
			changes: []change{{"request.options", ""}, {"request.object.spec", `{"size": 2, "mode": "fast", "replicas": 1}`}},
			mutate:  allowed, validate: allowed,
		},

		{
			name: "update: what was wrong may stay, and the status is not looked at", file: "update",
			mutate:   allowed + `,` + patched(`[{"op":"add","path":"/spec/mode","value":"fast"},{"op":"add","path":"/spec/replicas","value":1}]`),
			validate: allowed,
		},
		{
			name: "update: a rule about the old object", file: "update",
			changes: []change{{"request.object.spec.size", `1`}},
			mutate:  allowed,
			validate: denied(`"Widget.example.org \"left\" is invalid: spec: Invalid value: a widget does not shrink"`, `,"reason":"Invalid",`+
				ofWidget+`{"reason":"FieldValueInvalid","message":"Invalid value: a widget does not shrink","field":"spec"}]},"code":422`),
		},
		{
			name: "update: of another state", file: "update",
			changes: []change{{"request.object.metadata.resourceVersion", `"1070"`}},
			mutate:  allowed,
			validate: denied(`"Operation cannot be fulfilled on widgets.example.org \"left\": the object has been modified; please apply your `+
				`changes to the latest version and try again"`, `,"reason":"Conflict","details":{"name":"left","group":"example.org","kind":"widgets"},"code":409`),
		},

		{
			name: "status: nothing else counts", file: "status",
			mutate:   allowed + `,` + patched(`[{"op":"remove","path":"/status/seen"}]`) + `,"warnings":["unknown field \"status.seen\""]`,
			validate: allowed + `,"warnings":["unknown field \"status.seen\""]`,
		},
		{
			name: "status: not valid", file: "status",
			changes: []change{{"request.object.status", `{"phase": "Nowhere"}`}},
			mutate:  allowed,
			validate: denied(`"Widget.example.org \"left\" is invalid: [status.phase: Unsupported value: \"Nowhere\": supported values: `+
				`\"Pending\", \"Ready\", \u003cnil\u003e: `+rulesBlocked+`]"`, `,"reason":"Invalid",`+ofWidget+`{"reason":"FieldValueNotSupported",`+
				`"message":"Unsupported value: \"Nowhere\": supported values: \"Pending\", \"Ready\"","field":"status.phase"},`+causeOfBlocked+`]},"code":422`),
		},

		{
			name: "scale", file: "update",
			changes: []change{
				{"request.subResource", `"scale"`},
				{"request.kind", `{"group": "autoscaling", "version": "v1", "kind": "Scale"}`},
				{"request.object", `{"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "left"}, "spec": {"replicas": -1}}`},
			},
			mutate: allowed, validate: allowed,
		},
		{
			name: "delete", file: "update", failClosed: true,
			changes: []change{{"request.operation", `"DELETE"`}, {"request.object", `null`}, {"request.resource.resource", `"gadgets"`}},
			mutate:  allowed, validate: allowed,
		},
		{
			name: "connect", file: "create", changes: []change{{"request.operation", `"CONNECT"`}, {"request.object", ""}},
			mutate: allowed, validate: allowed,
		},
		{
			name: "unknown resource", file: "create", changes: []change{{"request.resource.resource", `"gadgets"`}},
			mutate:   allowed + `,"warnings":["no CustomResourceDefinition of example.org/v1 gadgets to check the object by"]`,
			validate: allowed + `,"warnings":["no CustomResourceDefinition of example.org/v1 gadgets to check the object by"]`,
		},
		{
			name: "unknown resource: without a group", file: "create", changes: []change{{"request.resource.group", `""`}},
			mutate:   allowed + `,"warnings":["no CustomResourceDefinition of v1 widgets to check the object by"]`,
			validate: allowed + `,"warnings":["no CustomResourceDefinition of v1 widgets to check the object by"]`,
		},
		{
			name: "a version that is not served", file: "create", failClosed: true,
			changes: []change{{"request.resource.version", `"v1alpha1"`}},
			mutate: denied(`"no CustomResourceDefinition of example.org/v1alpha1 widgets to check the object by"`,
				`,"reason":"Forbidden","code":403`),
			validate: denied(`"no CustomResourceDefinition of example.org/v1alpha1 widgets to check the object by"`,
				`,"reason":"Forbidden","code":403`),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := newWebhook(t, tt.failClosed)
			body, uid := review(t, tt.file, tt.changes...)
			for path, want := range map[string]string{"/mutate": tt.mutate, "/validate": tt.validate} {
				code, contentType, got := post(t, server.Client(), server.URL+path, body)
				require.Equal(t, answer(uid, want), got, path)
				require.Equal(t, http.StatusOK, code, path)
				require.Equal(t, "application/json", contentType, path)
			}
		})
	}
}

func TestMalformed(t *testing.T) {
	const notReview = "the body is not an AdmissionReview: "
	whole, _ := review(t, "create")
	edited := func(file string, changes ...change) string {
		body, _ := review(t, file, changes...)
		return body
	}
	server := newWebhook(t, true)
	for _, tt := range []struct{ name, body, want string }{
		{"empty", "", notReview + "unexpected end of JSON input"},
		{"no JSON", "apiVersion: admission.k8s.io/v1\n", notReview + "invalid character 'a' looking for beginning of value"},
		{"cut off", whole[:len(whole)/2], notReview + "unexpected end of JSON input"},
		{"two", whole + whole, notReview + "invalid character '{' after top-level value"},
		{"nested", strings.Repeat("[", 100_000), notReview + "invalid character '[' exceeded max depth"},
		{"no object", "[]", notReview + `the value at "" is of the wrong type, array`},
		{"null", "null", notReview + `its kind is ""`},
		{"another kind", `{"kind": "Pod", "apiVersion": "v1"}`, notReview + `its kind is "Pod"`},
		{
			"another version", edited("create", change{"apiVersion", `"admission.k8s.io/v1beta1"`}),
			`the AdmissionReview is of "admission.k8s.io/v1beta1": it must be of admission.k8s.io/v1`,
		},
		{"no request", edited("create", change{"request", ""}), "request is missing"},
		{"a response", `{"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "response": {"uid": "1"}}`, "request is missing"},
		{
			"request of another type", edited("create", change{"request", `5`}),
			notReview + `the value at "request" is of the wrong type, number`,
		},
		{"no uid", edited("create", change{"request.uid", ""}), "request.uid is missing"},
		{
			"no operation", edited("create", change{"request.operation", ""}),
			`request.operation is "": it must be CREATE, UPDATE, DELETE or CONNECT`,
		},
		{
			"unknown operation", edited("create", change{"request.operation", `"create"`}),
			`request.operation is "create": it must be CREATE, UPDATE, DELETE or CONNECT`,
		},
		{
			"unknown subresource", edited("update", change{"request.subResource", `"log"`}),
			`request.subResource is "log": UPDATE is not supported there`,
		},
		{
			"status: of a create", edited("create", change{"request.subResource", `"status"`}),
			`request.subResource is "status": CREATE is not supported there`,
		},
		{"no object: absent", edited("create", change{"request.object", ""}), "request.object is missing"},
		{"no object: null", edited("create", change{"request.object", "null"}), "request.object is missing"},
		{"no object: on update", edited("update", change{"request.object", "null"}), "request.object is missing"},
		{"no old object", edited("update", change{"request.oldObject", "null"}), "request.oldObject is missing"},
		{"no old object: status", edited("status", change{"request.oldObject", ""}), "request.oldObject is missing"},
		{
			"object of another type", edited("create", change{"request.object", "[]"}),
			"request.object is not an object: json: cannot unmarshal array into Go value of type map[string]interface {}",
		},
		{
			"object with a number that is too large", strings.Replace(whole, `"size": 2`, `"size": 1e400`, 1),
			"request.object is not an object: json: cannot unmarshal number 1e400 into Go value of type float64",
		},
		{
			"object of another kind", edited("create", change{"request.object.kind", `"Gadget"`}),
			`request.object has the kind "Gadget" of "example.org/v1": request.kind is example.org/v1 Widget`,
		},
		{
			"object of another version", edited("create", change{"request.object.apiVersion", `"example.org/v1beta1"`}),
			`request.object has the kind "Widget" of "example.org/v1beta1": request.kind is example.org/v1 Widget`,
		},
		{
			"object without a kind", edited("create", change{"request.object", "{}"}),
			`request.object has the kind "" of "": request.kind is example.org/v1 Widget`,
		},
		{
			"old object of another kind", edited("update", change{"request.oldObject.kind", `{}`}),
			`request.oldObject has the kind "" of "example.org/v1": request.kind is example.org/v1 Widget`,
		},
		{
			"kind of another resource", edited("create", change{"request.kind.kind", `"Zone"`}),
			"request.kind is example.org/v1 Zone: that of example.org/v1 widgets is Widget",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, path := range []string{"/mutate", "/validate"} {
				code, contentType, got := post(t, server.Client(), server.URL+path, tt.body)
				require.Equal(t, tt.want+"\n", got, path)
				require.Equal(t, http.StatusBadRequest, code, path)
				require.Equal(t, "text/plain; charset=utf-8", contentType, path)
			}
		})
	}
}

func TestHTTP(t *testing.T) {
	whole, uid := review(t, "create")
	server := newWebhook(t, false)
	for _, tt := range []struct {
		name                      string
		method, path, contentType string
		body                      string
		code                      int
		want                      string
	}{
		{
			"content type with parameters", "POST", "/validate?timeout=10s", "Application/JSON; charset=utf-8", whole,
			200, answer(uid, allowed),
		},
		{
			"content type: YAML", "POST", "/validate", "application/yaml", whole,
			415, "the content type is \"application/yaml\": it must be application/json\n",
		},
		{"content type: none", "POST", "/mutate", "", whole, 415, "the content type is \"\": it must be application/json\n"},
		{"content type: broken", "POST", "/mutate", ";", whole, 415, "the content type is \";\": it must be application/json\n"},
		{"method: GET", "GET", "/validate", "application/json", "", 405, "Method Not Allowed\n"},
		{"method: PUT", "PUT", "/mutate", "application/json", whole, 405, "Method Not Allowed\n"},
		{"another path", "POST", "/", "application/json", whole, 404, "404 page not found\n"},
		{
			"as large as may be", "POST", "/validate", "application/json", whole + strings.Repeat(" ", maxBody-len(whole)),
			200, answer(uid, allowed),
		},
		{
			"too large", "POST", "/validate", "application/json", whole + strings.Repeat(" ", maxBody-len(whole)+1),
			413, "the body has more than 8388608 bytes\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			request, err := http.NewRequestWithContext(t.Context(), tt.method, server.URL+tt.path, strings.NewReader(tt.body))
			require.NoError(t, err)
			if tt.contentType != "" {
				request.Header.Set("Content-Type", tt.contentType)
			}
			response, err := server.Client().Do(request)
			require.NoError(t, err)
			defer response.Body.Close()
			got, err := io.ReadAll(response.Body)
			require.NoError(t, err)
			require.Equal(t, tt.want, string(got))
			require.Equal(t, tt.code, response.StatusCode)
		})
	}
}

// A client may disconnect in the middle of a body.
func TestBodyBreaksOff(t *testing.T) {
	request := httptest.NewRequest("POST", "/validate", io.MultiReader(strings.NewReader("{"), broken{}))
	request.Header.Set("Content-Type", "application/json")
	answer := httptest.NewRecorder()
	newHandler(t, false).ServeHTTP(answer, request)
	require.Equal(t, "the body cannot be read: unexpected EOF\n", answer.Body.String())
	require.Equal(t, http.StatusBadRequest, answer.Code)
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestConcurrentReviews(t *testing.T) {
	server := newWebhook(t, false)
	body, uid := review(t, "update", change{"request.object.spec.mode", `"fast"`}, change{"request.object.spec.replicas", `1`})
	answers := make([]string, 16)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() {
			response, err := server.Client().Post(server.URL+"/validate", "application/json", strings.NewReader(body))
			if err != nil {
				answers[i] = err.Error()
				return
			}
			defer response.Body.Close()
			text, _ := io.ReadAll(response.Body)
			answers[i] = string(text)
		})
	}
	all.Wait()
	for _, got := range answers {
		require.Equal(t, answer(uid, allowed), got)
	}
}

// No body makes a handler panic. Every response is a review or a line with an error.
func FuzzReview(f *testing.F) {
	for _, file := range []string{"create", "update", "status"} {
		text, err := os.ReadFile("testdata/" + file + ".json")
		require.NoError(f, err)
		f.Add(text)
	}
	handler := newHandler(f, false)
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, path := range []string{"/mutate", "/validate"} {
			request := httptest.NewRequest("POST", path, strings.NewReader(string(body)))
			request.Header.Set("Content-Type", "application/json")
			answer := httptest.NewRecorder()
			handler.ServeHTTP(answer, request)
			switch answer.Code {
			case http.StatusOK:
				var review struct {
					Response *struct {
						Allowed          bool
						Status           *field.Status
						Patch, PatchType string
					}
				}
				require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &review))
				require.NotNil(t, review.Response)
				require.Equal(t, review.Response.Allowed, review.Response.Status == nil)
				require.Equal(t, review.Response.Patch == "", review.Response.PatchType == "")
			case http.StatusBadRequest:
				require.NotEmpty(t, strings.TrimSpace(answer.Body.String()))
			default:
				t.Fatalf("code %d", answer.Code)
			}
		}
	})
}

// ListenAndServeTLS reads its certificate from files, and ends with its context.
func TestListenAndServeTLS(t *testing.T) {
	w := newOf(t, nil)
	dir := filepath.Join(t.TempDir(), "certificate")
	c, err := server.LoadCredentials(dir)
	require.NoError(t, err)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := free.Addr().String()
	require.NoError(t, free.Close())

	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- w.ListenAndServeTLS(ctx, address, filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key"))
	}()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: c.ClientTLS(), DisableKeepAlives: true}, Timeout: 10 * time.Second}
	require.Eventually(t, func() bool {
		answer, err := client.Post("https://"+address+ValidatePath, "application/json", strings.NewReader("{}"))
		if err != nil {
			return false
		}
		answer.Body.Close()
		return answer.StatusCode == http.StatusBadRequest // no review
	}, 10*time.Second, 10*time.Millisecond)
	require.ErrorContains(t, w.ListenAndServeTLS(ctx, address, filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")), "listen tcp")
	stop()
	require.NoError(t, <-ended)
	require.ErrorIs(t, w.ListenAndServeTLS(t.Context(), address, "none.crt", "none.key"), os.ErrNotExist)
}
