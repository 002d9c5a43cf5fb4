package server

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// The flags of TestBeside. To compare random requests with a running API server, or to record its answers:
//
//	go test ./server -run TestBeside -beside https://127.0.0.1:6443 -beside.token TOKEN -beside.seed 7 -beside.requests 500
//	go test ./server -run TestBeside -beside https://127.0.0.1:6443 -beside.token TOKEN -beside.record
//
// The server must be kube-apiserver without controllers, and its user may do everything. What it trusts is not checked.
var (
	besideURL      = flag.String("beside", "", "the URL of a kube-apiserver that TestBeside compares with")
	besideToken    = flag.String("beside.token", "", "the bearer token for that server")
	besideSeed     = flag.Uint64("beside.seed", 0, "the seed of the random requests; 0: the recorded ones")
	besideRequests = flag.Int("beside.requests", 500, "how many random requests, with -beside.seed")
	besideRecord   = flag.Bool("beside.record", false, "record the server's answers to the recorded requests")
)

// The recorded requests: so many of the requests of each of the first seeds.
const (
	recordedSeeds    = 8
	recordedRequests = 150
)

// TestBeside sends odd requests and compares the answers with those of kube-apiserver 1.37.2: of one that runs, or
// recorded ones. The requests for a seed are always the same.
func TestBeside(t *testing.T) {
	if *besideURL != "" && *besideSeed != 0 {
		compareBeside(t, *besideSeed, *besideRequests, nil)
		return
	}
	for seed := range uint64(recordedSeeds) {
		t.Run(fmt.Sprint(seed+1), func(t *testing.T) {
			t.Parallel()
			file := filepath.Join("testdata", "beside", fmt.Sprintf("%d.jsonl", seed+1))
			if *besideRecord {
				recordBeside(t, seed+1, file)
				return
			}
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			synctest.Test(t, func(t *testing.T) { // so that watches end at once
				compareBeside(t, seed+1, recordedRequests, bytes.Split(bytes.TrimSpace(text), []byte("\n")))
			})
		})
	}
}

// A besideAnswer is an answer without what differs between two servers that do the same.
type besideAnswer struct {
	Request string          `json:"request"`
	Code    int             `json:"code"`
	Type    string          `json:"type,omitempty"`
	Warning []string        `json:"warning,omitempty"`
	Body    json.RawMessage `json:"body,omitempty"`
	Digest  string          `json:"digest,omitempty"` // of a long body that is not recorded
}

// compareBeside sends the requests of a seed to a server of its own, and compares its answers with the recorded ones
// or, if there are none, with those of the server of the flags.
func compareBeside(t *testing.T, seed uint64, n int, recorded [][]byte) {
	own := ownBeside(t, seed)
	var other *besideClient
	if recorded == nil {
		other = otherBeside(t, seed)
	} else {
		require.Len(t, recorded, n, "run the test with -beside and -beside.record")
	}
	random := newBesideRandom(seed)
	different := 0
	for i := range n {
		r := random.request()
		got := own.do(t, r)
		var want besideAnswer
		if other != nil {
			want = other.do(t, r)
		} else {
			require.NoError(t, json.Unmarshal(recorded[i], &want))
			require.Equal(t, want.Request, r.String(), "the requests are not the recorded ones: record them again")
		}
		if differences := got.differences(t, want); len(differences) > 0 {
			different++
			shown := differences[:min(len(differences), 12)]
			t.Errorf("%d: %s\n%s\n(%d values)", i, r, strings.Join(shown, "\n"), len(differences))
		}
	}
	t.Logf("%d of %d are equal", n-different, n)
}

func recordBeside(t *testing.T, seed uint64, file string) {
	other, random := otherBeside(t, seed), newBesideRandom(seed)
	var text bytes.Buffer
	for range recordedRequests {
		answer := other.do(t, random.request())
		if len(answer.Body) > longAnswer {
			answer.Digest, answer.Body = digest(answer.Body), nil
		}
		line, err := json.Marshal(answer)
		require.NoError(t, err)
		text.Write(append(line, '\n'))
	}
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, text.Bytes(), 0o644))
}

// differences lists the values of the answer that is wanted, with a minus, and of this one, with a plus, that differ.
func (a besideAnswer) differences(t *testing.T, want besideAnswer) (all []string) {
	t.Helper()
	if want.Digest != "" {
		if a.Digest = digest(a.Body); a.Digest == want.Digest {
			a.Body = nil
		}
	}
	counts := map[string]int{}
	for _, value := range a.values(t) {
		counts["+ "+value]++
	}
	for _, value := range want.values(t) {
		if counts["+ "+value]--; counts["+ "+value] < 0 {
			counts["+ "+value] = 0
			all = append(all, "- "+value)
		}
	}
	for _, line := range slices.Sorted(maps.Keys(counts)) {
		if counts[line] > 0 {
			all = append(all, line)
		}
	}
	return all
}

// values returns each string, number, empty map and the like of the answer, with its path.
func (a besideAnswer) values(t *testing.T) (all []string) {
	t.Helper()
	text, err := json.Marshal(a)
	require.NoError(t, err)
	var add func(at string, value any)
	add = func(at string, value any) {
		switch value := value.(type) {
		case object:
			for _, key := range slices.Sorted(maps.Keys(value)) {
				add(at+"."+key, value[key])
			}
			if len(value) > 0 {
				return
			}
		case []any:
			for i, item := range value {
				add(fmt.Sprintf("%s[%d]", at, i), item)
			}
			if len(value) > 0 {
				return
			}
		}
		all = append(all, fmt.Sprintf("%s: %#v", at, value))
	}
	add("", besideObject(t, text))
	return all
}

// longAnswer is the size from which on only the digest of a body is recorded.
const longAnswer = 3_000

func digest(body json.RawMessage) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:8])
}

// A besideClient sends requests to one of the servers.
type besideClient struct {
	http       *http.Client
	url, token string
	seed       uint64
	stale      bool // a request may have changed the objects
}

func ownBeside(t *testing.T, seed uint64) *besideClient {
	t.Helper()
	s, err := New(t.Context(), Options{KeepGarbage: true, Timeout: time.Minute})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	c := &besideClient{http: &http.Client{Transport: s.RoundTripper()}, url: "http://server", seed: seed}
	c.prepare(t)
	return c
}

func otherBeside(t *testing.T, seed uint64) *besideClient {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	t.Cleanup(transport.CloseIdleConnections)
	c := &besideClient{http: &http.Client{Transport: transport}, url: *besideURL, token: *besideToken, seed: seed}
	c.prepare(t)
	return c
}

// besideKinds are the kinds of the requests, which are for custom resources more often than for each of the others.
var besideKinds = []struct{ base, apiVersion, kind, content string }{
	{"/api/v1/namespaces/NAMESPACE/configmaps", "v1", "ConfigMap", `"data":{"k":"v"}`},
	{
		"/apis/apps/v1/namespaces/NAMESPACE/deployments", "apps/v1", "Deployment",
		`"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}`,
	},
	{"/api/v1/namespaces/NAMESPACE/secrets", "v1", "Secret", `"stringData":{"k":"v"}`},
	{"/api/v1/namespaces/NAMESPACE/services", "v1", "Service", `"spec":{"type":"NodePort","selector":{"a":"b"},"ports":[{"port":80}]}`},
	{"/api/v1/namespaces/NAMESPACE/pods", "v1", "Pod", `"spec":{"containers":[{"name":"c","image":"i"}]}`},
	{
		"/apis/batch/v1/namespaces/NAMESPACE/jobs", "batch/v1", "Job",
		`"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}`,
	},
	{"/apis/beside.example.com/v1/namespaces/NAMESPACE/kites", "beside.example.com/v1", "Kite", `"spec":{"n":1}`},
	{"/apis/beside.example.com/v1/namespaces/NAMESPACE/kites", "beside.example.com/v1", "Kite", `"spec":{"n":1}`},
}

const besideDefinition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"kites.beside.example.com"},
"spec":{"group":"beside.example.com","scope":"Namespaced","names":{"plural":"kites","kind":"Kite"},"versions":[{"name":"v1","served":true,
"storage":true,"subresources":{"status":{},"scale":{"specReplicasPath":".spec.n","statusReplicasPath":".status.n"}},
"selectableFields":[{"jsonPath":".spec.colour"}],"schema":{"openAPIV3Schema":{"type":"object",
"properties":{"spec":{"type":"object","properties":{"colour":{"type":"string"},"n":{"type":"integer","minimum":0}}},"status":{"type":"object",
"properties":{"n":{"type":"integer"}}}}}}}]}}`

// besideNames are the objects that there are of each kind.
var besideNames = []string{"fa", "fb", "fc"}

// namespace is one for each seed, so that several can run at once.
func (c *besideClient) namespace() string { return fmt.Sprintf("beside-%d", c.seed) }

// prepare creates the definition and the namespace, unless they exist.
func (c *besideClient) prepare(t *testing.T) {
	t.Helper()
	for path, body := range map[string]string{
		definitions:          besideDefinition,
		"/api/v1/namespaces": `{"metadata":{"name":"` + c.namespace() + `"}}`,
	} {
		code, text := c.send(t, "POST", path, body)
		require.Contains(t, []int{http.StatusCreated, http.StatusConflict}, code, "%s", text)
	}
	require.Eventually(t, func() bool {
		code, _ := c.send(t, "GET", "/apis/beside.example.com/v1/namespaces/"+c.namespace()+"/kites", "")
		return code == http.StatusOK
	}, 30*time.Second, 50*time.Millisecond)
	c.stale = true
}

// restore makes the objects what they were at first.
func (c *besideClient) restore(t *testing.T) {
	t.Helper()
	for _, kind := range besideKinds {
		base := strings.Replace(kind.base, "NAMESPACE", c.namespace(), 1)
		code, text := c.send(t, "DELETE", base+"?propagationPolicy=Background", "")
		require.Equal(t, http.StatusOK, code, "%s", text)
		code, text = c.send(t, "GET", base, "")
		require.Equal(t, http.StatusOK, code)
		for _, left := range besideObject(t, text)["items"].([]any) { // those with finalizers
			path := base + "/" + at(left.(object), "metadata", "name").(string)
			code, text := c.send(t, "PATCH", path, `{"metadata":{"finalizers":null}}`)
			require.Equal(t, http.StatusOK, code, "%s", text)
		}
		for _, name := range besideNames {
			code, text := c.send(t, "POST", base, fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":{"name":%q,"labels":{"l":%q}},%s}`,
				kind.apiVersion, kind.kind, name, name[1:], kind.content))
			require.Equal(t, http.StatusCreated, code, "%s", text)
		}
	}
	c.stale = false
}

// send sends a request and returns the code and the body of the answer.
func (c *besideClient) send(t *testing.T, method, path, body string) (int, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, c.url+path, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", jsonType)
	if method == "PATCH" {
		r.Header.Set("Content-Type", mergePatch)
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	r.Header.Set("User-Agent", "beside")
	answer, err := c.http.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, text
}

// do sends a random request and returns the answer, without what differs between two servers that do the same.
func (c *besideClient) do(t *testing.T, r besideRequest) besideAnswer {
	t.Helper()
	if c.stale {
		c.restore(t)
	}
	c.stale = r.method != "GET" && r.method != "HEAD"
	path := strings.ReplaceAll(r.path, "NAMESPACE", c.namespace())
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, r.method, c.url+path, strings.NewReader(r.body))
	require.NoError(t, err)
	if r.contentType != "" {
		request.Header.Set("Content-Type", r.contentType)
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	request.Header.Set("User-Agent", "beside")
	answer, err := c.http.Do(request)
	require.NoError(t, err, "%s", r)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err, "%s", r)
	out := besideAnswer{Request: r.String(), Code: answer.StatusCode, Warning: answer.Header["Warning"]}
	out.Type, _, _ = mime.ParseMediaType(answer.Header.Get("Content-Type"))
	out.Body = c.comparable(t, text)
	return out
}

// comparable returns the objects in a body as JSON, without what differs between two servers, or the body as a string.
func (c *besideClient) comparable(t *testing.T, text []byte) json.RawMessage {
	t.Helper()
	var all []any
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<24)
	pretty := bytes.HasPrefix(text, []byte("{\n"))
	for pretty || lines.Scan() {
		line := text
		if !pretty {
			line = lines.Bytes()
		}
		var value any
		if json.Unmarshal(line, &value) != nil {
			value = string(line)
		}
		if event, ok := value.(object); !ok || event["type"] != "BOOKMARK" {
			all = append(all, comparableValue(value, ""))
		}
		if pretty {
			break
		}
	}
	if len(all) == 0 {
		return nil
	}
	var value any = all
	if len(all) == 1 {
		value = all[0]
	}
	out, err := json.Marshal(value)
	require.NoError(t, err)
	return json.RawMessage(strings.ReplaceAll(string(out), c.namespace(), "NAMESPACE"))
}

// variable are the parts of names and messages that differ between servers.
var variable = regexp.MustCompile(`(gen-)[a-z0-9]{5}|(10\.0\.0\.)[0-9]+|(current: |resource version: |ResourceVersion in record )\(?[0-9]+\)?( \([0-9]+\))?|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

func comparableValue(value any, key string) any {
	switch value := value.(type) {
	case object:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			switch {
			case slices.Contains([]string{"uid", "creationTimestamp", "deletionTimestamp", "resourceVersion", "time", "continue", "remainingItemCount", "nodePort"}, name):
				if value[name] != nil && value[name] != "" {
					value[name] = "…"
				}
			default:
				value[name] = comparableValue(value[name], name)
			}
		}
		return value
	case []any:
		for i := range value {
			value[i] = comparableValue(value[i], key)
		}
		return value
	case string:
		return variable.ReplaceAllString(value, "$1$2$3…")
	}
	return value
}

func besideObject(t *testing.T, text []byte) object {
	t.Helper()
	var o object
	require.NoError(t, json.Unmarshal(text, &o), "%s", text)
	return o
}

// A besideRequest is a random request. NAMESPACE in its path stands for that of the seed.
type besideRequest struct{ method, path, contentType, body string }

func (r besideRequest) String() string {
	return strings.TrimSpace(strings.Join([]string{r.method, r.path, r.contentType, r.body}, " "))
}

type besideRandom struct {
	*rand.Rand
	made int
}

func newBesideRandom(seed uint64) *besideRandom {
	return &besideRandom{Rand: rand.New(rand.NewPCG(seed, 55))}
}

// besideValues are the values of the query parameters, common ones and odd ones.
var besideValues = map[string][]string{
	"watch":                {"1", "true", "false", "False", "TRUE", "x", "", "0"},
	"limit":                {"0", "1", "2", "500", "-1", "x", "9223372036854775808", "9223372036854775807", "1.5", ""},
	"timeoutSeconds":       {"1", "1", "1", "x", ""},
	"resourceVersion":      {"0", "x", "-1", "+1", "", "18446744073709551615", "00", "1.0"},
	"resourceVersionMatch": {"Exact", "NotOlderThan", "x", "", "exact"},
	"continue":             {"x", "", "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiZmEifQ", "e30"},
	"labelSelector":        {"l=a", "l", "!l", "l in (a,b)", "l==", "=", "l=a,", "l notin (a)", "x y", "l>1", "l=\xff", "l!=a,l", "l in ()", "-l=a", "l=a b"},
	"fieldSelector": {
		"metadata.name=fa", "metadata.name!=fa", "metadata.namespace=default", "x=y", "metadata.name", "=", "metadata.name=fa,metadata.name=fb",
		"metadata.uid=1", "spec.colour=red", `metadata.name=a\b`, `metadata.name=f\=a`,
	},
	"allowWatchBookmarks": {"true", "x", ""},
	"sendInitialEvents":   {"true", "false", "x"},
	"pretty":              {"true", "x", "1", "false"},
	"timeout":             {"1s", "x", "0", "-1s", "", "100h"},
	"dryRun":              {"All", "x", "", "all"},
	"gracePeriodSeconds":  {"0", "1", "-1", "x", "", "9223372036854775808"},
	"propagationPolicy":   {"Foreground", "Background", "Orphan", "x", ""},
	"orphanDependents":    {"true", "false", "x", ""},
	"fieldManager":        {"me", "", strings.Repeat("a", 129), "a\nb"},
	"fieldValidation":     {"Strict", "Warn", "Ignore", "x", ""},
	"force":               {"true", "false", "x"},
	"export":              {"true", "false"},
	"unknown":             {"1"},
	"ignoreStoreReadErrorWithClusterBreakingPotential": {"true", "false", "x"},
}

// The query parameters of reads, deletions and writes.
var (
	besideReads = []string{
		"watch", "limit", "timeoutSeconds", "resourceVersion", "resourceVersionMatch", "continue", "labelSelector", "fieldSelector",
		"allowWatchBookmarks", "sendInitialEvents", "pretty", "timeout", "unknown", "export",
	}
	besideDeletions = []string{
		"dryRun", "gracePeriodSeconds", "propagationPolicy", "orphanDependents", "labelSelector", "fieldSelector", "limit", "timeout",
		"resourceVersion", "resourceVersionMatch", "continue", "timeoutSeconds", "unknown", "ignoreStoreReadErrorWithClusterBreakingPotential",
	}
	besideWrites = []string{"dryRun", "fieldManager", "fieldValidation", "force", "timeout", "pretty", "unknown"}
)

func pickOf[T any](r *besideRandom, of ...T) T { return of[r.IntN(len(of))] }

// request returns the next random request.
func (r *besideRandom) request() besideRequest {
	r.made++
	kind := besideKinds[r.IntN(len(besideKinds))]
	object, below := pickOf(r, "", "", "/fa", "/fb", "/none"), ""
	var out besideRequest
	var parameters []string
	switch r.IntN(9) {
	case 0, 1, 2:
		out.method, parameters = "GET", besideReads
	case 3, 4:
		out.method, parameters = "DELETE", besideDeletions
	case 5:
		out.method, parameters, object = "POST", besideWrites, ""
	case 6:
		out.method, parameters, object, below = "PUT", besideWrites, pickOf(r, "/fa", "/none"), pickOf(r, "", "", "/status", "/scale")
	case 7:
		out.method, parameters, object, below = "PATCH", besideWrites, pickOf(r, "/fa", "/fa", "/none"), pickOf(r, "", "", "/status", "/scale")
	default:
		out.method, parameters = pickOf(r, "OPTIONS", "HEAD", "FOO", "PUT", "POST", "PATCH", "DELETE", "GET"), besideReads
		below = pickOf(r, "", "/status", "/scale", "/foo", "/status/x")
	}
	if kind.kind == "Job" && (out.method == "PUT" || out.method == "PATCH") {
		kind = besideKinds[0] // the error for another Pod template has the whole template
	}
	if kind.kind == "Service" && object == "/none" {
		below = "" // a server creates Services even for a write of their status
	}
	usual := r.IntN(3) == 0 // as clients send it
	var query []string
	for _, i := range r.Perm(len(parameters))[:pickOf(r, 0, 1, 1, 2, 2, 3)] {
		if usual {
			break
		}
		name := parameters[i]
		query = append(query, name+"="+url.QueryEscape(pickOf(r, besideValues[name]...)))
	}
	if text := strings.Join(query, "&"); strings.Contains(text, "watch=") && !strings.Contains(text, "timeoutSeconds") {
		query = append(query, "timeoutSeconds=1")
	}
	out.path = kind.base + object + below
	if len(query) > 0 {
		out.path += "?" + strings.Join(query, "&")
	}
	name := cmp.Or(strings.TrimPrefix(object, "/"), fmt.Sprintf("new%d", r.made))
	switch out.method {
	case "POST", "PUT":
		if usual {
			out.contentType, out.body = jsonType, fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":{"name":%q,"labels":{"l":"z"}},%s}`, kind.apiVersion, kind.kind, name, kind.content)
			break
		}
		out.contentType, out.body = pickOf(r, jsonType, jsonType, jsonType, "application/yaml", "text/plain", ""), r.object(kind.apiVersion, kind.kind, name, kind.content)
	case "PATCH":
		if usual {
			out.contentType, out.body = r.patch(kind.apiVersion, kind.kind, name)
			if out.contentType == applyPatch {
				out.path += "?fieldManager=me" + pickOf(r, "", "&force=true")
			}
			break
		}
		out.contentType = pickOf(r, mergePatch, jsonPatch, strategicPatch, applyPatch, "text/plain", jsonType)
		out.body = pickOf(r, `{"metadata":{"labels":{"z":"1"}}}`, `[{"op":"add","path":"/metadata/labels/y","value":"1"}]`,
			`[{"op":"test","path":"/metadata/labels/l","value":"x"}]`, `[{"op":"remove","path":"/metadata/labels/x"}]`,
			`{"unknown":1,"metadata":{"foo":1}}`, `{"metadata":{"name":"other"}}`, `{"metadata":{"resourceVersion":"1"}}`, `{"metadata":{"uid":"x"}}`,
			r.object(kind.apiVersion, kind.kind, name, kind.content), "{", "null", "[]", "", "1", `{"spec":1}`,
			`{"status":{"n":1}}`, `{"spec":{"n":2}}`, `{"spec":{"n":-1}}`, `{"spec":{"replicas":2}}`, `{"status":{"replicas":3}}`,
			`{"metadata":{"finalizers":["example.com/a"]}}`, `{"metadata":{"labels":{"l":"-"}}}`, `{"kind":"Other"}`)
		if out.contentType == mergePatch || out.contentType == jsonPatch {
			// The text of the error for another type has the whole object as a server encodes it.
			out.body = strings.NewReplacer(`"kind":"Other"`, `"data":null`, `"other/v1"`, strconv.Quote(kind.apiVersion)).Replace(out.body)
		}
		if kind.kind != "Kite" && out.body == `{"spec":1}` {
			out.body = "{}" // likewise
		}
	case "DELETE":
		if r.IntN(3) == 0 {
			out.contentType = jsonType
			out.body = pickOf(r, `{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0}`, `{"gracePeriodSeconds":"x"}`, "{",
				`{"kind":"DeleteOptions","apiVersion":"v1","foo":1}`, `{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"x"}}`,
				`{"preconditions":{"resourceVersion":"1"}}`, `{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Orphan"}`,
				`{"propagationPolicy":"x","dryRun":["y"]}`, `{"kind":"Other","apiVersion":"v1"}`, `{"kind":"DeleteOptions","apiVersion":"apps/v1"}`, "[]", "null")
		}
	}
	return out
}

// patch returns a patch that fits its type.
func (r *besideRandom) patch(apiVersion, kind, name string) (contentType, body string) {
	merge := pickOf(r, `{"metadata":{"labels":{"z":"1","l":null}}}`, `{"metadata":{"annotations":{"a":"b"}}}`, `{"spec":{"replicas":2}}`, `{"data":{"k":"w"}}`,
		`{"spec":{"n":3}}`, `{"status":{"replicas":1}}`, `{"metadata":{"finalizers":["example.com/a"]}}`, `{"spec":{"template":{"spec":{"containers":[{"name":"c","image":"j"}]}}}}`)
	switch contentType = pickOf(r, mergePatch, jsonPatch, strategicPatch, applyPatch); contentType {
	case jsonPatch:
		body = pickOf(r, `[{"op":"add","path":"/metadata/labels/y","value":"1"}]`, `[{"op":"remove","path":"/metadata/labels"}]`,
			`[{"op":"replace","path":"/metadata/labels/l","value":"q"},{"op":"test","path":"/metadata/labels/l","value":"q"}]`,
			`[{"op":"add","path":"/spec/replicas","value":3}]`, `[{"op":"copy","from":"/metadata/labels","path":"/metadata/annotations"}]`)
	case applyPatch:
		body = fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":{"name":%q,"labels":{"l":"z","m":"n"}}}`, apiVersion, kind, name)
	default:
		body = merge
	}
	return contentType, body
}

// object returns an object, most often a valid one.
func (r *besideRandom) object(apiVersion, kind, name, content string) string {
	metadata := fmt.Sprintf(`"name":%q,"labels":{"l":"a"}`, name)
	switch r.IntN(12) {
	case 0:
		metadata += `,"unknown":1`
	case 1:
		metadata += `,"name":"twice"`
	case 2:
		metadata += `,"resourceVersion":"1"`
	case 3:
		metadata += `,"uid":"x"`
	case 4:
		metadata = `"labels":{"l":"a"}`
	case 5:
		metadata = `"generateName":"gen-"`
	case 6:
		metadata += `,"namespace":"other"`
	case 7:
		content += `,"unknown":1`
	case 8:
		apiVersion = "other/v1"
	}
	return fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":{%s},%s}`, apiVersion, kind, metadata, content)
}
