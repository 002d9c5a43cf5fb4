package server

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/server/storage"
)

// KCT-040: query parameters and methods that a server refuses, and odd ones that it does not, with the answers of one.
func TestQueries(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	s.must(t, http.StatusCreated, "POST", kites, kite("a", "red"))
	token := func(json string) string { return "?continue=" + base64.RawURLEncoding.EncodeToString([]byte(json)) }
	const (
		badContinue = "invalid continue token: continue key is not valid: "
		badList     = `ListOptions.meta.k8s.io "" is invalid: `
		badDelete   = `DeleteOptions.meta.k8s.io "" is invalid: `
		noMethod    = "the server does not allow this method on the requested resource"
		badVersion  = `resourceVersion: Invalid value: "+1": strconv.ParseUint: parsing "+1": invalid syntax`
		maxUint     = "18446744073709551615"
	)
	for _, c := range []struct {
		method, path string
		code         int
		message      string // empty: not a Status
	}{
		{"GET", kites + "?watch=False", 200, ""},
		{"GET", kites + "?watch=0", 200, ""},
		{"GET", kites + "?limit=9223372036854775807", 200, ""},
		{"GET", kites + "?limit=-5", 200, ""},
		{"GET", kites + "?limit=9223372036854775808", 400, `strconv.ParseInt: parsing "9223372036854775808": value out of range`},
		{"GET", kites + "?limit=", 400, `strconv.ParseInt: parsing "": invalid syntax`},
		{"GET", kites + "?limit=1.5&watch=true", 400, `strconv.ParseInt: parsing "1.5": invalid syntax`},
		{"GET", kites + "?timeoutSeconds=x", 400, `strconv.ParseInt: parsing "x": invalid syntax`},
		{"GET", kites + "?timeoutSeconds=99999999999", 200, ""},
		{"GET", kites + "?timeout=x", 400, `invalid timeout specified in the request URL - time: invalid duration "x"`},
		{"GET", "/version?timeout=5", 400, `invalid timeout specified in the request URL - time: missing unit in duration "5"`},
		{"GET", kites + "?timeout=-1s", 200, ""},
		{"GET", kites + "/a?timeout=2000h", 200, ""},
		{"GET", kites + "?resourceVersion=%2B1", 400, "invalid resource version: " + badVersion},
		{"GET", kites + "?resourceVersion=1x&limit=1", 400, `invalid resource version: resourceVersion: Invalid value: "1x": strconv.ParseUint: parsing "1x": invalid syntax`},
		{"GET", kites + "/a?resourceVersion=%2B1", 500, badVersion},
		{"GET", kites + "?watch=1&resourceVersion=%2B1", 500, badVersion},
		{"GET", kites + "?resourceVersion=" + maxUint, 504, ""},
		{"GET", kites + "?limit=1&resourceVersion=" + maxUint, 504, ""},
		{"GET", kites + "?resourceVersionMatch=x", 422, badList + "[resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided, " +
			`resourceVersionMatch: Unsupported value: "x": supported values: "Exact", "NotOlderThan", ""]`},
		{"GET", kites + "?resourceVersionMatch=x&resourceVersion=1&watch=true", 422, badList +
			"[resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided, " +
			`resourceVersionMatch: Unsupported value: "x": supported values: "NotOlderThan"]`},
		{"GET", kites + "?sendInitialEvents=", 422, badList + "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"},
		{"GET", kites + "?watch=true&sendInitialEvents=false", 422, badList + "resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"},
		{"GET", kites + "?continue=*", 400, badContinue + "illegal base64 data at input byte 0"},
		{"GET", kites + token("x"), 400, badContinue + "invalid character 'x' looking for beginning of value"},
		{"GET", kites + token(`{"v":1}`), 400, badContinue + "json: cannot unmarshal number into Go struct field continueToken.v of type string"},
		{"GET", kites + token("{}"), 400, badContinue + "server does not recognize this encoded version "},
		{"GET", kites + token(`{"v":"v2","rv":1,"start":"a"}`), 400, badContinue + "server does not recognize this encoded version v2"},
		{"GET", kites + token(`{"v":"meta.k8s.io/v1","start":"a"}`), 400, badContinue + "incorrect encoded start resourceVersion (version meta.k8s.io/v1)"},
		{"GET", kites + token(`{"v":"meta.k8s.io/v1","rv":1}`), 400, badContinue + "encoded start key empty (version meta.k8s.io/v1)"},
		{"GET", kites + token(`{"v":"meta.k8s.io/v1","rv":1,"start":"../../secrets/default/a"}`), 400, badContinue + "../../secrets/default/a"},
		{"GET", kites + token(`{"v":"meta.k8s.io/v1","rv":-1,"start":"a"}`) + "&resourceVersion=5", 400, "specifying resource version is not allowed when using continue"},
		{"GET", kites + token(`{"v":"meta.k8s.io/v1","rv":-1,"start":"a"}`), 200, ""},
		{"GET", kites + "/a?export=true", 400, "the export parameter, deprecated since v1.14, is no longer supported"},
		{"GET", kites + "/a?export=false", 200, ""},
		{"GET", kites + "?watch=true&resourceVersion=1&timeoutSeconds=-1", 200, ""},
		{"DELETE", kites + "/a?gracePeriodSeconds=x", 400, `strconv.ParseInt: parsing "x": invalid syntax`},
		{"DELETE", kites + "/a?gracePeriodSeconds=", 400, `strconv.ParseInt: parsing "": invalid syntax`},
		{"DELETE", kites + "?limit=x&gracePeriodSeconds=y", 400, `strconv.ParseInt: parsing "x": invalid syntax`},
		{"DELETE", kites + "/a?propagationPolicy=", 422, badDelete + `propagationPolicy: Unsupported value: "": supported values: "Foreground", "Background", "Orphan", "nil"`},
		{"DELETE", kites + "/a?propagationPolicy=x&orphanDependents=false&dryRun=y", 422, badDelete +
			`[propagationPolicy: Invalid value: "x": orphanDependents and deletionPropagation cannot be both set, ` +
			`propagationPolicy: Unsupported value: "x": supported values: "Foreground", "Background", "Orphan", "nil", dryRun: Unsupported value: ["y"]: supported values: "All"]`},
		{"DELETE", kites + "/a?uid=x", 409, ""},
		{"DELETE", kites + "/a?resourceVersion=1", 409, ""},
		{"PATCH", kites + "/a?force=", 422, `PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch`},
		{"PATCH", kites, 400, "name must be provided"},
		{"OPTIONS", kites, 405, ` is not supported on resources of kind "kites.wind.example.com"`},
		{"BREW", kites + "/a", 405, ` is not supported on resources of kind "kites.wind.example.com"`},
		{"BREW", configMaps, 405, noMethod},
		{"OPTIONS", configMaps + "/a", 405, noMethod},
		{"POST", configMaps + "/a", 405, noMethod},
		{"PUT", definitions, 405, noMethod},
		{"DELETE", "/api/v1/configmaps", 405, noMethod},
		{"DELETE", namespaces, 405, noMethod},
		{"POST", pods + "/a/status", 405, noMethod},
		{"GET", pods + "/a/binding", 405, noMethod},
		{"POST", "/api/v1/watch/namespaces/default/configmaps", 405, noMethod},
		{"GET", "/api/v1/watch", 500, ""},
		{"GET", "/apis/wind.example.com/v1/watch", 500, ""},
		{"GET", "/api/v1/watch/nothings", 404, ""},
		{"GET", strings.Replace(kites, "/v1/", "/v1/watch/", 1) + "/a?fieldSelector=metadata.name%3Db", 400, "fieldSelector metadata.name doesn't match requested name"},
	} {
		t.Run(c.method+" "+c.path, func(t *testing.T) {
			answer, body := s.call(t, c.method, c.path, "", "Content-Type", mergePatch)
			require.Equal(t, c.code, answer.StatusCode, body)
			if c.message == "" {
				return
			}
			var status struct{ Message string }
			require.NoError(t, json.Unmarshal([]byte(body), &status), body)
			require.Equal(t, c.message, status.Message)
		})
	}
	s.must(t, http.StatusOK, "GET", kites+"/a", "") // nothing was deleted
}

// The routes of built-in kinds do not have HEAD; custom resources do.
func TestHead(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	answer, _ := s.call(t, "HEAD", configMaps, "")
	require.Equal(t, http.StatusMethodNotAllowed, answer.StatusCode)
	answer, _ = s.call(t, "HEAD", kites, "")
	require.Equal(t, http.StatusOK, answer.StatusCode)
}

// A body without a method has empty details.
func TestNoMethod(t *testing.T) {
	_, c := start(t, Options{})
	require.Equal(t, object{"kind": "Status", "apiVersion": "v1", "metadata": object{}, "status": "Failure", "reason": "MethodNotAllowed",
		"message": "the server does not allow this method on the requested resource", "details": object{}, "code": 405.0},
		must(t, c, http.StatusMethodNotAllowed, "OPTIONS", configMaps, ""))
}

// Old clients ask for a watch in the path, of a collection or of one object.
func TestWatchInPath(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	for _, name := range []string{"a", "b"} {
		s.must(t, http.StatusCreated, "POST", kites, kite(name, "red"))
		s.must(t, http.StatusCreated, "POST", configMaps, `{"metadata":{"name":"`+name+`"}}`)
	}
	added := func(method, path string) (n int) {
		t.Helper()
		path += "?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		answer := sendTo(ctx, t, http.DefaultClient, method, s.url+path, "", []string{"Authorization", "Bearer " + testToken})
		defer answer.Body.Close()
		require.Equal(t, http.StatusOK, answer.StatusCode, path)
		for lines := bufio.NewScanner(answer.Body); lines.Scan() && !strings.Contains(lines.Text(), `"BOOKMARK"`); n++ {
			require.Contains(t, lines.Text(), `"ADDED"`)
		}
		return n
	}
	for path, want := range map[string]int{
		"/apis/wind.example.com/v1/watch/kites": 2, strings.Replace(kites, "/v1/", "/v1/watch/", 1): 2,
		strings.Replace(kites, "/v1/", "/v1/watch/", 1) + "/b": 1, "/api/v1/watch/configmaps": 2,
		"/api/v1/watch/namespaces/default/configmaps/b": 1, "/api/v1/watch/namespaces/default": 1,
	} {
		require.Equal(t, want, added("GET", path), path)
		require.Equal(t, "watch", RequestInfoOf(httptest.NewRequest("GET", path, nil)).Verb)
	}
	// For a custom resource, such a path is a watch with any method.
	require.Equal(t, 2, added("POST", "/apis/wind.example.com/v1/watch/kites"))
}

// A watch from a revision that does not exist yet waits for it. With sendInitialEvents, it ends with an error.
func TestWatchOfTheFuture(t *testing.T) {
	s := serve(t, Options{Bookmark: 10 * time.Millisecond}, storage.MemoryOptions{})
	made := s.must(t, http.StatusCreated, "POST", kites, kite("a", "red"))
	at, err := json.Number(version(made)).Int64()
	require.NoError(t, err)
	later := json.Number(jsonText(t, at+1))
	w := s.watch(t, "allowWatchBookmarks=true&resourceVersion="+later.String())
	first := w.next(t, "BOOKMARK")
	require.Equal(t, later.String(), version(first))
	s.must(t, http.StatusOK, "PATCH", kites+"/a", `{"spec":{"colour":"blue"}}`, "Content-Type", mergePatch) // at that revision
	s.must(t, http.StatusOK, "PATCH", kites+"/a", `{"spec":{"colour":"green"}}`, "Content-Type", mergePatch)
	for {
		require.True(t, w.lines.Scan())
		if text := w.lines.Text(); !strings.Contains(text, `"BOOKMARK"`) {
			require.Contains(t, text, `"green"`)
			break
		}
	}
	w = s.watch(t, "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=100000")
	require.Equal(t, 504.0, w.next(t, "ERROR")["code"])
}

// A continue token has the form of a server's, and may be for the latest state.
func TestContinueToken(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	for _, name := range []string{"a", "b", "c"} {
		s.must(t, http.StatusCreated, "POST", kites, kite(name, "red"))
	}
	page := s.must(t, http.StatusOK, "GET", kites+"?limit=1", "")
	raw, err := base64.RawURLEncoding.DecodeString(at(page, "metadata", "continue").(string))
	require.NoError(t, err)
	var token object
	require.NoError(t, json.Unmarshal(raw, &token))
	require.Equal(t, []any{"meta.k8s.io/v1", "a\x00"}, []any{token["v"], token["start"]})
	s.must(t, http.StatusOK, "DELETE", kites+"/c", "")
	for start, want := range map[string][]string{"a\x00": {"b"}, "b": {"b"}, "/b": {"b"}, "c": {}, "Z": {"a", "b"}} {
		token["rv"], token["start"] = -1, start
		latest := s.must(t, http.StatusOK, "GET", kites+"?continue="+base64.RawURLEncoding.EncodeToString([]byte(jsonText(t, token))), "")
		require.Equal(t, append([]string(nil), want...), namesOf(latest), "%q", start)
	}
}

// A deletion that is not finished at once is accepted, if the client asks for its dependents to be deleted in the old way.
func TestAcceptedDeletion(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	s.must(t, http.StatusCreated, "POST", kites, strings.Replace(kite("a", "red"), `"name"`, `"finalizers":["wind.example.com/line"],"name"`, 1))
	s.must(t, http.StatusOK, "DELETE", kites+"/a?propagationPolicy=Background", "")
	s.must(t, http.StatusAccepted, "DELETE", kites+"/a?orphanDependents=false", "")
}

// The timeout of a request ends it.
func TestTimeoutOfARequest(t *testing.T) {
	s := serve(t, Options{}, storage.MemoryOptions{})
	answer, body := s.call(t, "GET", kites+"?timeout=1ns", "")
	require.Equal(t, http.StatusGatewayTimeout, answer.StatusCode, body)
}

func jsonText(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}
