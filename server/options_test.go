package server

import (
	"encoding/base64"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/server/storage"
)

// Options of lists and watches that cannot be combined, or have no effect.
func TestListOptions(t *testing.T) {
	_, c := start(t, Options{})
	must(t, c, 201, "POST", kites, kite("a", "red"), "Content-Type", "application/json")
	must(t, c, 201, "POST", kites, kite("b", "red"), "Content-Type", "application/json")
	next := url.QueryEscape(at(must(t, c, 200, "GET", kites+"?limit=1", ""), "metadata", "continue").(string))
	token := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	for query, want := range map[string]string{
		"limit=a":                                          `400 strconv.ParseInt: parsing "a": invalid syntax`,
		"labelSelector=a%3D%3D%3D":                         "400 unable to parse requirement",
		"fieldSelector=x":                                  "400 ",
		"fieldSelector=spec.none%3D1":                      "400 field label not supported: spec.none",
		"resourceVersion=a":                                `400 invalid resource version: resourceVersion: Invalid value: "a": strconv.ParseUint: parsing "a": invalid syntax`,
		"resourceVersion=-1":                               `400 invalid resource version: resourceVersion: Invalid value: "-1"`,
		"resourceVersionMatch=Exact":                       "422 resourceVersionMatch is forbidden unless resourceVersion is provided",
		"sendInitialEvents=true":                           "422 sendInitialEvents is forbidden for list",
		"continue=" + next + "&resourceVersionMatch=Exact": "422 resourceVersionMatch is forbidden when continue is provided",
		"continue=" + next + "&resourceVersion=1":          "400 specifying resource version is not allowed when using continue",
		"continue=x":                                       "400 invalid continue token: continue key is not valid",
		"continue=" + token(`{}`):                          "400 invalid continue token: continue key is not valid: server does not recognize this encoded version",
		"continue=" + token(`{`):                           "400 invalid continue token: continue key is not valid",
		"resourceVersion=1&resourceVersionMatch=Other":     `422 resourceVersionMatch: Unsupported value: "Other": supported values: "Exact", "NotOlderThan", ""`,
		"resourceVersion=0&resourceVersionMatch=Exact":     `422 resourceVersionMatch "exact" is forbidden for resourceVersion "0"`,
		"resourceVersion=99999&resourceVersionMatch=Exact": "504 Too large resource version: 99999, current: ",
		"resourceVersion=99999&limit=1":                    "504 Too large resource version: 99999, current: ",
		"watch=1&labelSelector=a%3D%3D%3D":                 "400 unable to parse requirement",
		"watch=1&resourceVersion=a":                        "500 resourceVersion: Invalid value",
		"watch=1&sendInitialEvents=true":                   "422 sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
		"watch=1&resourceVersionMatch=NotOlderThan":        "422 resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
	} {
		code := map[string]int{"400": 400, "422": 422, "500": 500, "504": 504}[want[:3]]
		refused := must(t, c, code, "GET", kites+"?"+query, "")
		require.Contains(t, refused["message"], want[4:], query)
	}
	require.Empty(t, must(t, c, 200, "GET", kites+"?continue="+token(`{"v":"meta.k8s.io/v1","rv":1,"start":"a"}`), "")["items"])
	for _, text := range []string{`{"v":"meta.k8s.io/v1","rv":0,"start":"a"}`, `{"v":"meta.k8s.io/v1","rv":1}`} {
		must(t, c, 400, "GET", kites+"?continue="+token(text), "")
	}
	must(t, c, 400, "DELETE", kites+"?limit=a", "")
	must(t, c, 422, "DELETE", kites+"?dryRun=Some", "")
	must(t, c, 400, "GET", kites+"?watch=1&timeoutSeconds=a", "")
	require.Equal(t, []string{"b"}, namesOf(must(t, c, 200, "GET", kites+"?resourceVersion=0&continue="+next, "")))
	require.Len(t, must(t, c, 200, "GET", kites+"?limit=-1", "")["items"], 2)
	must(t, c, 504, "GET", kites+"/a?resourceVersion=99999", "")
	must(t, c, 500, "GET", kites+"/a?resourceVersion=x", "")
}

// Watches without initial events, of metadata, and of more objects than one page.
func TestWatchOptions(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	for i := range initialPage + 1 {
		colour := "red"
		if i == 0 {
			colour = "blue"
		}
		s.must(t, http.StatusCreated, "POST", kites, kite(strings.Repeat("k", i+1), colour))
	}
	const notOlder = "resourceVersionMatch=NotOlderThan"
	now := s.watch(t, "sendInitialEvents=false&"+notOlder)
	metadata := s.watch(t, "sendInitialEvents=false&"+notOlder, "Accept", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io")
	all := s.watch(t, "fieldSelector=spec.colour%3Dred")
	initial := s.watch(t, "sendInitialEvents=true&allowWatchBookmarks=true&"+notOlder)
	last := s.must(t, http.StatusCreated, "POST", kites, kite("last", "red"))
	require.Equal(t, last, now.next(t, "ADDED"))
	partial := metadata.next(t, "ADDED")
	require.Equal(t, []any{"PartialObjectMetadata", "meta.k8s.io/v1", last["metadata"]}, []any{partial["kind"], partial["apiVersion"], partial["metadata"]})
	require.Nil(t, partial["spec"])
	for range initialPage + 1 {
		require.Equal(t, "red", at(all.next(t, "ADDED"), "spec", "colour"))
	}
	for range initialPage + 1 {
		initial.next(t, "ADDED")
	}
	require.True(t, initial.lines.Scan())
	require.Contains(t, initial.lines.Text(), initialEventsEnd)
}

// An object that cannot be decoded ends a watch with an error.
func TestWatchOfInvalidObject(t *testing.T) {
	store, c := onFaulty(t)
	must(t, c, 201, "POST", kites, kite("a", "red"), "Content-Type", "application/json")
	_, err := store.Create(t.Context(), "/wind.example.com/kites/default/b", []byte(`{"kind":"Kite"}`))
	require.NoError(t, err)
	for _, query := range []string{
		"", "&fieldSelector=spec.colour%3Dred", "&resourceVersion=1",
		"&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
	} {
		start := time.Now()
		answer := send(t, c, "GET", kites+"?watch=1&timeoutSeconds=20"+query, "")
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		require.NoError(t, err)
		require.Contains(t, string(text), `"type":"ADDED"`)
		require.Contains(t, string(text), `{"type":"ERROR","object":`)
		require.Contains(t, string(text), "no metadata in revision")
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		require.Contains(t, lines[len(lines)-1], `"ERROR"`, "the last event")
		require.Less(t, time.Since(start), 10*time.Second)
	}
}

func TestDocuments(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	version := s.must(t, http.StatusOK, "GET", "/version", "")
	require.Equal(t, []any{"1", "37", "v1.37.2"}, []any{version["major"], version["minor"], version["gitVersion"]})
	for _, path := range []string{"/", "/index.html"} {
		index := s.must(t, http.StatusOK, "GET", path, "")
		require.Subset(t, index["paths"], []any{"/api/v1", "/apis/", "/apis/apps", "/apis/apps/v1", "/apis/wind.example.com", "/apis/wind.example.com/v1", "/readyz"})
	}
	api := s.must(t, http.StatusOK, "GET", "/api", "")
	require.Equal(t, []any{"APIVersions", []any{"v1"}}, []any{api["kind"], api["versions"]})
	group := s.must(t, http.StatusOK, "GET", "/apis/wind.example.com", "")
	require.Equal(t, []any{"APIGroup", "wind.example.com"}, []any{group["kind"], group["name"]})
	for _, path := range []string{"/apis/none.example.com", "/apis/none.example.com/v1", "/openapi", "/openapi/v4", "/openapi/v2/", "/nothing/at/all"} {
		answer, text := s.call(t, "GET", path, "")
		require.Equal(t, []any{http.StatusNotFound, "404 page not found\n"}, []any{answer.StatusCode, text}, path)
	}
	for _, path := range []string{"/openapi/v3/", "/openapi/v3/apis/none.example.com/v1", "/openapi/v3/api/v1/"} {
		answer, text := s.call(t, "GET", path, "")
		require.Equal(t, []any{http.StatusNotFound, "", ""}, []any{answer.StatusCode, answer.Header.Get("Content-Type"), text}, path)
	}
	for path, code := range map[string]int{
		"/api": 405, "/api/v1": 405, "/apis/apps/v1": 405, "/version": 405, "/apis": 200, "/apis/apps": 200, "/apis/wind.example.com/v1": 200,
		"/openapi/v2": 200, "/openapi/v3": 200, "/readyz/ping": 200, "/readyz/nothing": 404,
	} {
		answer, _ := s.call(t, "POST", path, "{}")
		require.Equal(t, code, answer.StatusCode, path)
	}
	for path, accept := range map[string]string{"/openapi/v2": "application/xml", "/openapi/v3/apis/wind.example.com/v1": "application/xml", "/apis": "application/xml"} {
		answer, _ := s.call(t, "GET", path, "", "Accept", accept)
		require.Equal(t, http.StatusNotAcceptable, answer.StatusCode, path)
	}
	answer, _ := s.call(t, "GET", "/api", "", "Accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
	require.Equal(t, "public", answer.Header.Get("Cache-Control"))
	require.Equal(t, "Accept", answer.Header.Get("Vary"))
	require.NotEmpty(t, answer.Header.Get("Etag"))
	head, text := s.call(t, "HEAD", kites, "")
	require.Equal(t, []any{http.StatusOK, ""}, []any{head.StatusCode, text})
	for _, path := range []string{"/healthz", "/livez", "/readyz"} {
		_, text := s.call(t, "GET", path, "")
		require.Equal(t, "ok", text)
	}
}

// A deprecated version has a warning, and tables of Scales have columns.
func TestFormsOfScalesAndDeprecatedVersions(t *testing.T) {
	_, c := start(t, Options{})
	must(t, c, 201, "POST", definitions, strings.Replace(scaledDefinition, `"served":true`, `"served":true,"deprecated":true`, 1))
	const masts = "/apis/sea.example.com/v1/masts"
	answer := send(t, c, "POST", masts, `{"apiVersion":"sea.example.com/v1","kind":"Mast","metadata":{"name":"m"},"spec":{"sails":1}}`)
	answer.Body.Close()
	require.Equal(t, []string{`299 - "sea.example.com/v1 Mast is deprecated"`}, answer.Header["Warning"])
	answer = send(t, c, "POST", masts, `{"apiVersion":"sea.example.com/v1","kind":"Mast","metadata":{"name":"b"},"sail":1}`)
	answer.Body.Close()
	require.Equal(t, []string{`299 - "sea.example.com/v1 Mast is deprecated"`, `299 - "unknown field \"sail\""`}, answer.Header["Warning"])
	table := must(t, c, 200, "GET", masts+"/m/scale", "", "Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
	require.Equal(t, "Table", table["kind"])
	require.Equal(t, "Desired", at(table["columnDefinitions"].([]any)[1], "name"))
	bad := must(t, c, 400, "GET", masts+"?includeObject=Some", "", "Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
	require.Contains(t, bad["message"], "includeObject")
	must(t, c, 500, "GET", masts+"/m", "", "Accept", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io")
	must(t, c, 406, "GET", masts, "", "Accept", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io")
}

// Bodies of built-in kinds: YAML, stringData of Secrets, and refused bodies.
func TestBodiesOfBuiltInKinds(t *testing.T) {
	_, c := start(t, Options{})
	made := must(t, c, 201, "POST", configMaps, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: null}\ndata: {k: v}", "Content-Type", "application/yaml")
	require.Equal(t, object{"k": "v"}, made["data"])
	must(t, c, 400, "POST", configMaps, "a: [", "Content-Type", "application/yaml")
	must(t, c, 400, "POST", configMaps, "{", "Content-Type", "application/json")
	must(t, c, 415, "POST", configMaps, "{}", "Content-Type", "text/plain")
	must(t, c, 400, "POST", configMaps, "x", "Content-Type", protobufType)
	for name, data := range map[string]string{
		"b": `"stringData":{"k":"v"},"data":{"k":"eA==","l":"eQ=="}`,
	} {
		secret := must(t, c, 201, "POST", secrets, `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"`+name+`"},`+data+`}`)
		require.Equal(t, object{"k": "dg==", "l": "eQ=="}, secret["data"], "texts count")
	}
	for _, data := range []string{`"stringData":{"k":1}`, `"stringData":{"k":"v"},"data":1`, `"stringData":1`} {
		must(t, c, 400, "POST", secrets, `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"c"},`+data+`}`)
	}
	refused := must(t, c, 422, "DELETE", configMaps+"/a?dryRun=Some", "")
	require.Contains(t, refused["message"], `dryRun: Unsupported value: ["Some"]`)
	refused = must(t, c, 400, "DELETE", configMaps+"/a", "a: [", "Content-Type", "application/yaml")
	require.NotEmpty(t, refused["message"])
	refused = must(t, c, 400, "DELETE", configMaps+"/a", `{"kind":"Pod"}`)
	require.Contains(t, refused["message"], `no kind "Pod" is registered for version "meta.k8s.io/v1"`)
	must(t, c, 413, "DELETE", configMaps+"/a", strings.Repeat(" ", 4<<20))
	must(t, c, 200, "GET", configMaps+"/a", "")
}

// Definitions: strict decoding, and a second DELETE.
func TestDefinitionRequests(t *testing.T) {
	_, c := start(t, Options{})
	odd := strings.NewReplacer("kites", "rafts", "Kite", "Raft", `"scope"`, `"colour":"red","scope"`).Replace(kiteDefinition)
	refused := must(t, c, 400, "POST", definitions+"?fieldValidation=Strict", odd)
	require.Contains(t, refused["message"], `strict decoding error: unknown field "spec.colour"`)
	answer := send(t, c, "POST", definitions+"?fieldValidation=Ignore&dryRun=All", odd)
	answer.Body.Close()
	require.Equal(t, http.StatusCreated, answer.StatusCode)
	require.Empty(t, answer.Header["Warning"])
	answer = send(t, c, "POST", definitions, odd)
	answer.Body.Close()
	require.Equal(t, []string{`299 - "unknown field \"spec.colour\""`}, answer.Header["Warning"])

	must(t, c, 200, "PATCH", definitions+"/kites.wind.example.com", `{"metadata":{"finalizers":["example.com/held"]}}`, "Content-Type", mergePatch)
	first := must(t, c, 200, "DELETE", definitions+"/kites.wind.example.com", "")
	require.NotNil(t, at(first, "metadata", "deletionTimestamp"))
	second := must(t, c, 200, "DELETE", definitions+"/kites.wind.example.com", "")
	require.Equal(t, at(first, "metadata", "deletionTimestamp"), at(second, "metadata", "deletionTimestamp"))
}
