package server

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/server/internal/limits"
	"github.com/crdkit/crdkit/server/protocol"
	"github.com/crdkit/crdkit/server/storage"
)

const (
	testToken   = "secret"
	definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	kites       = "/apis/wind.example.com/v1/namespaces/default/kites"
	allKites    = "/apis/wind.example.com/v1/kites"
)

const kiteDefinition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"kites.wind.example.com"},
"spec":{"group":"wind.example.com","scope":"Namespaced","names":{"plural":"kites","kind":"Kite"},"versions":[{"name":"v1","served":true,
"storage":true,"subresources":{"status":{}},"selectableFields":[{"jsonPath":".spec.colour"}],"schema":{"openAPIV3Schema":{"type":"object",
"properties":{"spec":{"type":"object","properties":{"colour":{"type":"string"},"n":{"type":"integer"}}},"status":{"type":"object",
"properties":{"phase":{"type":"string"}}}}}}}]}}`

// A testServer is a server with a definition of kites.
type testServer struct {
	*Server
	url string
}

func serve(t *testing.T, o Options, m storage.MemoryOptions) *testServer {
	t.Helper()
	store := storage.NewMemory(m)
	o.Store, o.Token = wrapping{store}, testToken
	s, err := New(t.Context(), o)
	require.NoError(t, err)
	h := httptest.NewServer(s)
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		h.Close()
		require.NoError(t, store.Close())
	})
	out := &testServer{s, h.URL}
	out.must(t, http.StatusCreated, "POST", definitions, kiteDefinition)
	return out
}

// A server closes only its own store.
func TestCloseStore(t *testing.T) {
	s, err := New(t.Context(), Options{})
	require.NoError(t, err)
	for range 2 {
		require.NoError(t, s.Close())
		_, err = s.store.Revision(t.Context())
		require.ErrorIs(t, err, storage.ErrClosed)
	}
	store := storage.NewMemory(storage.MemoryOptions{})
	defer store.Close()
	s, err = New(t.Context(), Options{Store: store})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	_, err = store.Revision(t.Context())
	require.NoError(t, err)
}

// object is a JSON object.
type object = map[string]any

// call sends a request. header has names and values, alternating.
func (s *testServer) call(t *testing.T, method, path, body string, header ...string) (*http.Response, string) {
	t.Helper()
	header = append([]string{"Authorization", "Bearer " + testToken}, header...)
	answer := sendTo(t.Context(), t, http.DefaultClient, method, s.url+path, body, header)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer, string(text)
}

// must sends a request, checks the status code, and returns the object in the response.
func (s *testServer) must(t *testing.T, code int, method, path, body string, header ...string) (obj object) {
	t.Helper()
	answer, text := s.call(t, method, path, body, header...)
	require.Equal(t, code, answer.StatusCode, text)
	require.NoError(t, json.Unmarshal([]byte(text), &obj), text)
	return obj
}

func kite(name, colour string) string {
	return fmt.Sprintf(`{"apiVersion":"wind.example.com/v1","kind":"Kite","metadata":{"name":%q},"spec":{"colour":%q}}`, name, colour)
}

// at returns the value at a path in an object.
func at(obj any, path ...string) any {
	for _, key := range path {
		m, _ := obj.(object)
		obj = m[key]
	}
	return obj
}

func version(obj object) string { return at(obj, "metadata", "resourceVersion").(string) }

// namesOf returns the names of the items of a list.
func namesOf(list object) (out []string) {
	for _, item := range list["items"].([]any) {
		out = append(out, at(item, "metadata", "name").(string))
	}
	return out
}

func TestRequestsWithoutToken(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	for _, authorization := range []string{"", "Bearer", "Bearer wrong", "Basic " + testToken, testToken} {
		for _, path := range []string{allKites, "/apis", "/openapi/v3", "/version", "/nothing"} {
			status := s.must(t, http.StatusUnauthorized, "GET", path, "", "Authorization", authorization)
			require.Equal(t, object{"kind": "Status", "apiVersion": "v1", "metadata": object{}, "status": "Failure",
				"message": "Unauthorized", "reason": "Unauthorized", "code": 401.0}, status)
		}
	}
	for _, path := range []string{"/healthz", "/livez", "/readyz"} {
		_, body := s.call(t, "GET", path, "", "Authorization", "")
		require.Equal(t, "ok", body)
	}
}

func TestUnknownPaths(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	for _, path := range []string{"/nothing", "/apis/nothing", "/apis/wind.example.com/v2", "/apis/wind.example.com/v1/boats",
		"/apis/wind.example.com/v1/kites/a", "/apis/wind.example.com/v1/namespaces/default", "/openapi"} {
		answer, body := s.call(t, "GET", path, "")
		require.Equal(t, http.StatusNotFound, answer.StatusCode, path)
		require.Equal(t, "404 page not found\n", body, path)
		require.Equal(t, "text/plain; charset=utf-8", answer.Header.Get("Content-Type"))
	}
	// In the groups of built-in kinds, the answer is a Status.
	for _, path := range []string{"/api/v2", "/apis/apps/v2", "/api/v1/nothings", "/api/v1/namespaces/default/nothings", "/api/v1/namespaces/default/services/a/log",
		"/api/v1/configmaps/a", "/api/v1/namespaces/default/configmaps/a/status", "/api/v1/namespaces/default/configmaps/a/b/c", "/apis/apps/v9/nothings",
		definitions + "/kites.wind.example.com/status/more", definitions + "/kites.wind.example.com/scale",
		"/apis/apiextensions.k8s.io/v1/namespaces/default/customresourcedefinitions"} {
		refused := s.must(t, http.StatusNotFound, "GET", path, "")
		require.Equal(t, object{"kind": "Status", "apiVersion": "v1", "metadata": object{}, "status": "Failure", "reason": "NotFound",
			"message": "the server could not find the requested resource", "details": object{}, "code": 404.0}, refused, path)
	}
}

// A request for a subresource that the definition does not declare is refused as for a missing object, with the warning
// of a deprecated version.
func TestUndeclaredSubresources(t *testing.T) {
	const masts = "/apis/sea.example.com/v1/masts"
	s := serve(t, Options{}, storage.MemoryOptions{})
	s.must(t, http.StatusCreated, "POST", definitions, strings.Replace(scaledDefinition, `"served":true`, `"served":true,"deprecated":true`, 1))
	for _, method := range []string{"GET", "PUT", "PATCH", "DELETE", "POST"} {
		for path, want := range map[string]string{
			kites + "/a/scale":      `kites.wind.example.com "a" not found`,
			kites + "/a/scale/more": `kites.wind.example.com "a" not found`,
			masts + "/m/status":     `masts.sea.example.com "m" not found`,
			masts + "/m/log":        `masts.sea.example.com "m" not found`,
		} {
			answer, body := s.call(t, method, path, "{}")
			require.Equal(t, http.StatusNotFound, answer.StatusCode, path)
			var status struct{ Reason, Message string }
			require.NoError(t, json.Unmarshal([]byte(body), &status), body)
			require.Equal(t, []string{"NotFound", want}, []string{status.Reason, status.Message}, path)
			require.Equal(t, strings.HasPrefix(path, masts), len(answer.Header.Values("Warning")) == 1, path)
		}
	}
	s.must(t, http.StatusCreated, "POST", kites, kite("a", "red"))
	got := s.must(t, http.StatusOK, "GET", kites+"/a/status/more", "") // what follows a subresource is ignored
	require.Equal(t, "a", at(got, "metadata", "name"))
}

// The name in a body is compared with that of the path before the object is looked for.
func TestUpdateOfMissingObject(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	for _, sub := range []string{"", "/status"} {
		refused := s.must(t, http.StatusBadRequest, "PUT", kites+"/b"+sub, kite("a", "red"))
		require.Equal(t, "the name of the object (a) does not match the name on the URL (b)", refused["message"])
		refused = s.must(t, http.StatusNotFound, "PUT", kites+"/a"+sub, kite("a", "red"))
		require.Equal(t, `kites.wind.example.com "a" not found`, refused["message"])
	}
}

func TestCreate(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	made := s.must(t, http.StatusCreated, "POST", kites, kite("a", "red"))
	meta := made["metadata"].(object)
	require.Regexp(t, `^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`, meta["uid"])
	require.Equal(t, "default", meta["namespace"])
	require.Equal(t, 1.0, meta["generation"])
	created, err := time.Parse(time.RFC3339, meta["creationTimestamp"].(string))
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), created, time.Minute)
	require.Equal(t, made, s.must(t, http.StatusOK, "GET", kites+"/a", ""))

	// STR-001: a name is generated from generateName.
	generated := s.must(t, http.StatusCreated, "POST", kites, `{"apiVersion":"wind.example.com/v1","kind":"Kite","metadata":{"generateName":"gen-"}}`)
	require.Regexp(t, `^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$`, at(generated, "metadata", "name"))

	// KCT-026: a dry run stores nothing, and has no resourceVersion.
	dry := s.must(t, http.StatusCreated, "POST", kites+"?dryRun=All", kite("dry", "red"))
	require.Nil(t, at(dry, "metadata", "resourceVersion"))
	require.NotNil(t, at(dry, "metadata", "uid"))
	s.must(t, http.StatusNotFound, "GET", kites+"/dry", "")
	// STR-001: a resourceVersion in the body is kept in a dry run, and is refused otherwise.
	sent := strings.Replace(kite("dry", "red"), `"name":"dry"`, `"name":"dry","resourceVersion":"7"`, 1)
	dry = s.must(t, http.StatusCreated, "POST", kites+"?dryRun=All", sent)
	require.Equal(t, "7", at(dry, "metadata", "resourceVersion"))
	s.must(t, http.StatusInternalServerError, "POST", kites, sent)

	s.must(t, http.StatusUnsupportedMediaType, "POST", kites, kite("b", "red"), "Content-Type", "text/plain")
	s.must(t, http.StatusCreated, "POST", kites, "apiVersion: wind.example.com/v1\nkind: Kite\nmetadata: {name: yaml}\n", "Content-Type", "application/yaml")
	large := s.must(t, http.StatusRequestEntityTooLarge, "POST", kites, strings.Repeat(" ", 3<<20+1))
	require.Equal(t, []any{"RequestEntityTooLarge", "Request entity too large: limit is 3145728"}, []any{large["reason"], large["message"]}, "DEC-016")
	answer, _ := s.call(t, "POST", kites, `{"apiVersion":"wind.example.com/v1","kind":"Kite","metadata":{"name":"w"},"wings":2}`)
	require.Equal(t, []string{`299 - "unknown field \"wings\""`}, answer.Header["Warning"])
}

func TestForms(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	s.must(t, http.StatusCreated, "POST", kites, kite("a", "red"))
	const as = "application/json;g=meta.k8s.io;v=v1;as="
	table := s.must(t, http.StatusOK, "GET", kites, "", "Accept", as+"Table,application/json")
	require.Equal(t, "Table", table["kind"])
	require.Equal(t, "PartialObjectMetadata", at(table["rows"].([]any)[0], "object", "kind"))
	table = s.must(t, http.StatusOK, "GET", kites+"/a?includeObject=Object", "", "Accept", as+"Table")
	require.Equal(t, "red", at(table["rows"].([]any)[0], "object", "spec", "colour"))
	s.must(t, http.StatusBadRequest, "GET", kites+"?includeObject=Some", "", "Accept", as+"Table")
	list := s.must(t, http.StatusOK, "GET", kites, "", "Accept", as+"PartialObjectMetadataList")
	require.Equal(t, []any{"PartialObjectMetadataList", "meta.k8s.io/v1"}, []any{list["kind"], list["apiVersion"]})
	partial := s.must(t, http.StatusOK, "GET", kites+"/a", "", "Accept", as+"PartialObjectMetadata")
	require.Equal(t, "PartialObjectMetadata", partial["kind"])
	require.Nil(t, partial["spec"])
	s.must(t, http.StatusNotAcceptable, "GET", kites, "", "Accept", as+"PartialObjectMetadata")
	s.must(t, http.StatusNotAcceptable, "GET", kites, "", "Accept", "text/html")

	_, text := s.call(t, "GET", kites+"/a", "", "Accept", "application/yaml")
	require.Contains(t, text, "\nkind: Kite\n")
	_, text = s.call(t, "GET", kites+"/a?pretty=true", "") // KCT-023
	require.Contains(t, text, "\n  \"kind\": \"Kite\"")
	answer, text := s.call(t, "GET", definitions, "", "Accept-Encoding", "gzip")
	require.Empty(t, answer.Header.Get("Content-Encoding"), "too little to be worth it: %d", len(text))
	s.must(t, http.StatusCreated, "POST", kites, kite("long", strings.Repeat("red", 100_000)))
	answer, text = s.call(t, "GET", kites+"/long", "", "Accept-Encoding", "gzip")
	require.Equal(t, "gzip", answer.Header.Get("Content-Encoding"))
	require.Less(t, len(text), 10_000)
	unpacked, err := gzip.NewReader(strings.NewReader(text))
	require.NoError(t, err)
	var long object
	require.NoError(t, json.NewDecoder(unpacked).Decode(&long))
	require.Len(t, at(long, "spec", "colour"), 300_000)
}

// PV3-054: documents with their hash in the URL.
func TestDiscoveryAndDocuments(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	answer, text := s.call(t, "GET", "/apis", "", "Accept", aggregated+",application/json")
	require.Equal(t, aggregated, answer.Header.Get("Content-Type"))
	require.Contains(t, text, `"resource":"kites"`)
	answer, _ = s.call(t, "GET", "/apis", "", "Accept", aggregated, "If-None-Match", answer.Header.Get("Etag"))
	require.Equal(t, http.StatusNotModified, answer.StatusCode)
	core := s.must(t, http.StatusOK, "GET", "/api", "", "Accept", aggregated)
	require.Equal(t, "bindings", at(core["items"].([]any)[0].(object)["versions"].([]any)[0].(object)["resources"].([]any)[0], "resource"))
	require.Equal(t, "APIGroupList", s.must(t, http.StatusOK, "GET", "/apis", "")["kind"])
	require.Equal(t, "wind.example.com/v1", s.must(t, http.StatusOK, "GET", "/apis/wind.example.com/v1", "")["groupVersion"])
	require.Equal(t, "v1", s.must(t, http.StatusOK, "GET", "/api/v1", "")["groupVersion"])

	index := s.must(t, http.StatusOK, "GET", "/openapi/v3", "")
	path := at(index, "paths", "apis/wind.example.com/v1", "serverRelativeURL").(string)
	answer, text = s.call(t, "GET", path, "")
	require.Equal(t, "public, immutable", answer.Header.Get("Cache-Control"))
	require.Contains(t, text, "com.example.wind.v1.Kite")
	answer, _ = s.call(t, "GET", path, "", "If-None-Match", answer.Header.Get("Etag"))
	require.Equal(t, http.StatusNotModified, answer.StatusCode)
	answer, same := s.call(t, "GET", "/openapi/v3/apis/wind.example.com/v1?hash=OLD", "")
	require.Equal(t, text, same, "redirected")
	require.Equal(t, path, answer.Request.URL.RequestURI())
	require.Contains(t, index["paths"], "api/v1")
	core = s.must(t, http.StatusOK, "GET", "/openapi/v3/api/v1", "")
	require.Contains(t, core["paths"], "/api/v1/namespaces/{name}")
	require.Equal(t, "2.0", s.must(t, http.StatusOK, "GET", "/openapi/v2", "")["swagger"])
}

// What is deep is not indented, since the indentation would be quadratic.
func TestDeepAnswers(t *testing.T) {
	text := strings.Repeat(`{"a":[`, 4_000) + strings.Repeat("]}", 4_000)
	var v any
	require.NoError(t, json.Unmarshal([]byte(text), &v))
	for path, accept := range map[string]string{"/?pretty=1": jsonType, "/": yamlType} {
		q := &request{r: httptest.NewRequest("GET", path, nil), form: protocol.Form{MediaType: accept}}
		q.query = q.r.URL.Query()
		body, err := q.encode(slices.Repeat([]any{v}, 50))
		require.NoError(t, err)
		require.Less(t, len(body), 60*len(text))
		body, err = q.encode(map[string]any{"a": []string{`"\"{[,`}})
		require.NoError(t, err)
		want := map[string]string{
			jsonType: "{\n  \"a\": [\n    \"\\\"\\\\\\\"{[,\"\n  ]\n}\n", yamlType: "a:\n- '\"\\\"{[,'\n",
		}
		require.Equal(t, want[accept], string(body))
	}
	var indented bytes.Buffer
	require.NoError(t, json.Indent(&indented, []byte(`{"a":[1,{"b":["x",2]}],"c":"{,"}`), "", "  "))
	blanks := strings.Count(indented.String(), " ") - strings.Count(indented.String(), ": ")
	require.Equal(t, int64(blanks), indentation([]byte(`{"a":[1,{"b":["x",2]}],"c":"{,"}`)))
}

// PV2-015: version 2 in JSON and in protobuf, with the same ETag.
func TestOpenAPIV2(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	document, err := s.keeper.Catalog().OpenAPIV2()
	require.NoError(t, err)
	message, err := document.AppendProtobuf(nil)
	require.NoError(t, err)
	for _, c := range []struct{ accept, contentType, body string }{
		{"", "application/json", string(document.AppendJSON(nil))},
		{"application/json," + protobufV2, "application/json", string(document.AppendJSON(nil))},
		{"application/com.github.proto-openapi.spec.v2@v1.0+protobuf", protobufV2, string(message)},
		{"application/yaml, " + protobufV2 + ", application/json", protobufV2, string(message)},
	} {
		answer, text := s.call(t, "GET", "/openapi/v2", "", "Accept", c.accept)
		require.Equal(t, []any{http.StatusOK, c.contentType, document.ETag(), "Accept", "no-cache, private", strconv.Itoa(len(c.body))},
			[]any{answer.StatusCode, answer.Header.Get("Content-Type"), answer.Header.Get("Etag"), answer.Header.Get("Vary"), answer.Header.Get("Cache-Control"), answer.Header.Get("Content-Length")}, c.accept)
		require.Equal(t, c.body, text, c.accept)
		answer, text = s.call(t, "GET", "/openapi/v2", "", "Accept", c.accept, "If-None-Match", document.ETag())
		require.Equal(t, []any{http.StatusNotModified, ""}, []any{answer.StatusCode, text}, c.accept)
	}

	large := strings.Replace(kiteDefinition, `"type":"integer"`, `"type":"integer","description":"`+strings.Repeat("long ", gzipFrom/5)+`"`, 1)
	s.must(t, http.StatusCreated, "POST", definitions, strings.NewReplacer("kite", "dragon", "Kite", "Dragon").Replace(large))
	for _, accept := range []string{"application/json", protobufV2} {
		plain, want := s.call(t, "GET", "/openapi/v2", "", "Accept", accept)
		answer, text := s.call(t, "GET", "/openapi/v2", "", "Accept", accept, "Accept-Encoding", "gzip")
		require.Equal(t, "gzip", answer.Header.Get("Content-Encoding"), accept)
		require.Equal(t, []string{"Accept", "Accept-Encoding"}, answer.Header["Vary"], accept)
		require.Equal(t, plain.Header.Get("Etag"), answer.Header.Get("Etag"), accept)
		require.NotEqual(t, document.ETag(), answer.Header.Get("Etag"), accept)
		unpacked, err := gzip.NewReader(strings.NewReader(text))
		require.NoError(t, err)
		got, err := io.ReadAll(unpacked)
		require.NoError(t, err)
		require.Equal(t, want, string(got), accept)
	}
}

func TestUpdates(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	made := s.must(t, http.StatusCreated, "POST", kites, kite("a", "red"))
	sent := strings.Replace(kite("a", "blue"), `"name":"a"`, `"name":"a","resourceVersion":"`+version(made)+`"`, 1)
	blue := s.must(t, http.StatusOK, "PUT", kites+"/a", sent)
	require.Equal(t, 2.0, at(blue, "metadata", "generation"))
	conflict := s.must(t, http.StatusConflict, "PUT", kites+"/a", sent)
	require.Equal(t, `Operation cannot be fulfilled on kites.wind.example.com "a": the object has been modified; please apply your changes to the latest version and try again`, conflict["message"])
	s.must(t, http.StatusUnprocessableEntity, "PUT", kites+"/a", kite("a", "blue"))
	s.must(t, http.StatusNotFound, "PUT", kites+"/b", kite("b", "blue"))

	// SUB-003: an update without changes writes nothing.
	const merge = "application/merge-patch+json"
	same := s.must(t, http.StatusOK, "PATCH", kites+"/a", `{"spec":{"colour":"blue"}}`, "Content-Type", merge)
	require.Equal(t, blue, same)
	dry := s.must(t, http.StatusOK, "PATCH", kites+"/a?dryRun=All", `{"spec":{"colour":"green"}}`, "Content-Type", merge)
	require.Equal(t, "green", at(dry, "spec", "colour"))
	require.Equal(t, blue, s.must(t, http.StatusOK, "GET", kites+"/a", ""))

	status := s.must(t, http.StatusOK, "PATCH", kites+"/a/status", `{"status":{"phase":"Up"},"spec":{"colour":"black"}}`, "Content-Type", merge)
	require.Equal(t, "blue", at(status, "spec", "colour"))
	require.Equal(t, 2.0, at(status, "metadata", "generation"))
	refused := s.must(t, http.StatusUnprocessableEntity, "PATCH", kites+"/a", `{}`, "Content-Type", applyPatch)
	require.Contains(t, refused["message"], "fieldManager: Required value: is required for apply patch")
	s.must(t, http.StatusUnprocessableEntity, "PATCH", kites+"/a?force=true", `{}`, "Content-Type", merge)
	exists := s.must(t, http.StatusConflict, "POST", kites+"/other", kite("a", "red")) // the name in the path is ignored
	require.Equal(t, `kites.wind.example.com "a" already exists`, exists["message"])
	s.must(t, http.StatusMethodNotAllowed, "DELETE", kites+"/a/status", ``)
	require.Equal(t, "name must be provided", s.must(t, http.StatusBadRequest, "PUT", kites, `{}`)["message"])
}

// ORD-001 (W): the stored object has defaults of the request's version only for fields in the request. A status update
// adds no defaults to the spec.
func TestStoredInAnotherVersion(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	version := func(name, schema string) string {
		return `{"name":"` + name + `","served":true,"storage":` + fmt.Sprint(name == "v2") + `,"subresources":{"status":{}},"schema":{"openAPIV3Schema":
			{"type":"object","properties":{"spec":{"type":"object","properties":{"a":` + schema + `}},"status":{"type":"object","properties":{"phase":{"type":"string"}}}}}}}`
	}
	s.must(t, http.StatusCreated, "POST", definitions, `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
		"metadata":{"name":"masts.wind.example.com"},"spec":{"group":"wind.example.com","scope":"Namespaced","names":{"plural":"masts","kind":"Mast"},
		"versions":[`+version("v1", `{"type":"string","default":"A"}`)+","+version("v2", `{"type":"string"}`)+`]}}`)
	v1, v2 := "/apis/wind.example.com/v1/namespaces/default/masts", "/apis/wind.example.com/v2/namespaces/default/masts"
	const merge = "application/merge-patch+json"

	s.must(t, http.StatusCreated, "POST", v2, `{"apiVersion":"wind.example.com/v2","kind":"Mast","metadata":{"name":"m"},"spec":{}}`)
	s.must(t, http.StatusOK, "PATCH", v1+"/m/status", `{"status":{"phase":"Up"}}`, "Content-Type", merge)
	read := s.must(t, http.StatusOK, "GET", v2+"/m", "")
	require.Equal(t, object{}, read["spec"])
	require.Equal(t, "Up", at(read, "status", "phase"))

	s.must(t, http.StatusOK, "PATCH", v1+"/m", `{"spec":{}}`, "Content-Type", merge)
	require.Equal(t, "A", at(s.must(t, http.StatusOK, "GET", v2+"/m", ""), "spec", "a"))

	made := s.must(t, http.StatusCreated, "POST", v1, `{"apiVersion":"wind.example.com/v1","kind":"Mast","metadata":{"generateName":"m-"},"spec":{}}`)
	read = s.must(t, http.StatusOK, "GET", v2+"/"+at(made, "metadata", "name").(string), "")
	require.Equal(t, "wind.example.com/v2", read["apiVersion"])
	require.Equal(t, made["metadata"], read["metadata"], "both have the name, the uid and the time that the server made up")
}

func TestNoPatchIsLost(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	s.must(t, http.StatusCreated, "POST", kites, kite("a", "red"))
	var running sync.WaitGroup
	for i := range 8 {
		running.Go(func() {
			for n := range 5 {
				body := fmt.Sprintf(`{"metadata":{"labels":{"l%d-%d":"x"}}}`, i, n)
				answer, text := s.call(t, "PATCH", kites+"/a", body, "Content-Type", "application/merge-patch+json")
				if answer.StatusCode != http.StatusOK {
					t.Error(text)
				}
			}
		})
	}
	running.Wait()
	require.Len(t, at(s.must(t, http.StatusOK, "GET", kites+"/a", ""), "metadata", "labels"), 40)
}

func TestDeletes(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	made := s.must(t, http.StatusCreated, "POST", kites, kite("a", "red"))
	uid := at(made, "metadata", "uid").(string)
	refused := s.must(t, http.StatusConflict, "DELETE", kites+"/a", `{"preconditions":{"uid":"bad"}}`)
	require.Equal(t, `Operation cannot be fulfilled on Kite.wind.example.com "a": the UID in the precondition (bad) does not match the UID in record (`+
		uid+`). The object might have been deleted and then recreated`, refused["message"])
	s.must(t, http.StatusUnprocessableEntity, "DELETE", kites+"/a", `{"propagationPolicy":"Bogus"}`)
	s.must(t, http.StatusOK, "DELETE", kites+"/a", `{"dryRun":["All"]}`)
	gone := s.must(t, http.StatusOK, "DELETE", kites+"/a", `{"preconditions":{"uid":"`+uid+`"}}`)
	require.Equal(t, object{"kind": "Status", "apiVersion": "v1", "metadata": object{}, "status": "Success",
		"details": object{"name": "a", "group": "wind.example.com", "kind": "kites", "uid": uid}}, gone)
	s.must(t, http.StatusNotFound, "DELETE", kites+"/a", "")

	// KCT-021: the response for a collection is a list of the deleted objects.
	for i := range 30 {
		s.must(t, http.StatusCreated, "POST", kites, kite(fmt.Sprintf("k%02d", i), []string{"red", "blue"}[i%2]))
	}
	list := s.must(t, http.StatusOK, "DELETE", kites+"?fieldSelector=spec.colour%3Dred", "")
	require.Len(t, list["items"], 15)
	require.Equal(t, "KiteList", list["kind"])
	require.Len(t, s.must(t, http.StatusOK, "GET", kites, "")["items"], 15)
}

func TestPanicIsAnInternalError(t *testing.T) {
	broken := &Server{options: Options{}.withDefaults(), ctx: t.Context(), requests: limits.NewCrowd(1), log: slog.New(slog.DiscardHandler)}
	h := httptest.NewRecorder()
	broken.ServeHTTP(h, httptest.NewRequest("GET", "/apis", bytes.NewReader(nil)))
	require.Equal(t, http.StatusInternalServerError, h.Code)
	require.Contains(t, h.Body.String(), `"reason":"InternalError"`)
}
