package server

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// A recordedRequest is a line of a file in testdata/requests: a request, and what a kube-apiserver has answered.
type recordedRequest struct {
	Does    string   `json:"does,omitempty"`
	Method  string   `json:"method"`
	Path    string   `json:"path"` // NAMESPACE is that of the file
	Body    string   `json:"body,omitempty"`
	Type    string   `json:"type,omitempty"` // the content type, if it is not the usual one
	Accept  string   `json:"accept,omitempty"`
	Code    int      `json:"code"`
	Warning []string `json:"warning,omitempty"`
	Retry   string   `json:"retry,omitempty"` // Retry-After
	As      string   `json:"as,omitempty"`    // the content type of the answer, if it is not JSON
	Answer  any      `json:"answer,omitempty"`
}

// TestRequests sends the requests in testdata/requests and compares the answers with those of kube-apiserver 1.37.2. To
// record its answers, after a change of the requests:
//
//	go test ./server -run TestRequests -beside https://127.0.0.1:6443 -beside.token TOKEN -beside.record
//
// In the path and the body, ${uid:PATH} and ${rv:PATH} are the uid and the resourceVersion of an object.
func TestRequests(t *testing.T) {
	files, err := filepath.Glob("testdata/requests/*.jsonl")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lines := readRequests(t, file)
			if *besideRecord {
				recordRequests(t, file, name, lines)
				return
			}
			synctest.Test(t, func(t *testing.T) {
				s, err := New(t.Context(), Options{KeepGarbage: true, KeepNamespaces: true, Timeout: time.Minute})
				require.NoError(t, err)
				t.Cleanup(func() { require.NoError(t, s.Close()) })
				requests := requestClient{http: &http.Client{Transport: s.RoundTripper()}, url: "http://server", namespace: "requests-" + name}
				requests.begin(t)
				for i, line := range lines {
					got := requests.do(t, line)
					want, err := json.MarshalIndent(line, "", "  ")
					require.NoError(t, err)
					text, err := json.MarshalIndent(got, "", "  ")
					require.NoError(t, err)
					require.Equal(t, string(want), string(text), "line %d", i+1)
				}
			})
		})
	}
}

func readRequests(t *testing.T, file string) (lines []recordedRequest) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for line := range bytes.Lines(text) {
		var r recordedRequest
		require.NoError(t, json.Unmarshal(line, &r))
		lines = append(lines, r)
	}
	return lines
}

func recordRequests(t *testing.T, file, name string, lines []recordedRequest) {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	defer transport.CloseIdleConnections()
	requests := requestClient{
		http: &http.Client{Transport: transport}, url: *besideURL, token: *besideToken, namespace: fmt.Sprintf("requests-%s-%d", name, time.Now().Unix()),
	}
	requests.begin(t)
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	for _, line := range lines {
		require.NoError(t, e.Encode(requests.do(t, line)))
		if line.Method == http.MethodPost && (strings.HasSuffix(line.Path, "/nodes") || strings.HasSuffix(line.Path, "/customresourcedefinitions")) {
			time.Sleep(2 * time.Second) // until its plugins see the node, or it serves the resource
		}
	}
	require.NoError(t, os.WriteFile(file, out.Bytes(), 0o644))
}

type requestClient struct {
	http                  *http.Client
	url, token, namespace string
}

// begin creates the namespace.
func (c *requestClient) begin(t *testing.T) {
	t.Helper()
	made := c.do(t, recordedRequest{Method: "POST", Path: "/api/v1/namespaces", Body: `{"metadata":{"name":"NAMESPACE"}}`})
	require.Equal(t, http.StatusCreated, made.Code)
}

var requestVariable = regexp.MustCompile(`\$\{(uid|rv):([^}]+)\}`)

// filled returns a text with the values of its variables.
func (c *requestClient) filled(t *testing.T, text string) string {
	t.Helper()
	text = strings.ReplaceAll(text, "NAMESPACE", c.namespace)
	return requestVariable.ReplaceAllStringFunc(text, func(variable string) string {
		parts := requestVariable.FindStringSubmatch(variable)
		_, body := c.send(t, recordedRequest{Method: "GET", Path: parts[2]})
		meta, _ := besideObject(t, body)["metadata"].(object)
		return fmt.Sprint(meta[map[string]string{"uid": "uid", "rv": "resourceVersion"}[parts[1]]])
	})
}

func (c *requestClient) send(t *testing.T, r recordedRequest) (*http.Response, []byte) {
	t.Helper()
	path, body := c.filled(t, r.Path), c.filled(t, r.Body)
	request, err := http.NewRequestWithContext(t.Context(), r.Method, c.url+path, strings.NewReader(body))
	require.NoError(t, err)
	switch {
	case r.Type == "none":
	case r.Type != "":
		request.Header.Set("Content-Type", r.Type)
	case r.Method == "PATCH":
		request.Header.Set("Content-Type", mergePatch)
	default:
		request.Header.Set("Content-Type", jsonType)
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	request.Header.Set("User-Agent", "requests")
	if r.Accept != "" {
		request.Header.Set("Accept", r.Accept)
	}
	answer, err := c.http.Do(request)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer, text
}

// do returns the request with its answer.
func (c *requestClient) do(t *testing.T, r recordedRequest) recordedRequest {
	t.Helper()
	answer, text := c.send(t, r)
	r.Code, r.Warning, r.Retry = answer.StatusCode, answer.Header["Warning"], answer.Header.Get("Retry-After")
	if r.As = answer.Header.Get("Content-Type"); r.As == jsonType {
		r.As = ""
	}
	switch {
	case r.As == yamlType:
		require.NoError(t, yaml.Unmarshal(text, &r.Answer), string(text))
	case r.Code == http.StatusOK && strings.Contains(r.Path, "watch"):
		r.Answer = eventsOf(text)
	default:
		r.Answer = nil
		if json.Unmarshal(text, &r.Answer) != nil {
			r.Answer = string(text)
		}
	}
	r.Answer = c.comparable(r.Answer)
	return r
}

// eventsOf returns the events of a watch. It leaves out the bookmarks that servers send from time to time, which have no
// annotations.
func eventsOf(text []byte) []any {
	events := []any{}
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var e object
		if d.Decode(&e) != nil {
			return events
		}
		if meta := mapAt(mapAt(e, "object"), "metadata"); e["type"] != "BOOKMARK" || meta["annotations"] != nil {
			events = append(events, e)
		}
	}
}

var (
	requestUID      = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	requestTime     = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
	requestRevision = regexp.MustCompile(`(ResourceVersion in (?:object meta: |record \())\d+`)
)

// comparable returns an answer without what differs between servers that do the same, and without the descriptions of
// columns, which this server has in other words. Of Pods it keeps no more than the tests are about. A server has null for
// times that are missing.
func (c *requestClient) comparable(v any) any {
	switch x := v.(type) {
	case object:
		for key, e := range x {
			x[key] = c.comparable(e)
			if e == nil || key == "managedFields" || key == "resourceVersion" || key == "uid" && e != "" || key == "description" && x["format"] != nil {
				delete(x, key)
			}
		}
		if spec, _ := x["spec"].(object); x["kind"] == "Pod" {
			x["spec"] = keptOfPod(spec)
		}
	case []any:
		for i, e := range x {
			x[i] = c.comparable(e)
		}
	case string:
		x = strings.ReplaceAll(x, c.namespace, "NAMESPACE")
		x = requestTime.ReplaceAllString(requestUID.ReplaceAllString(x, "UID"), "TIME")
		return requestRevision.ReplaceAllString(x, "${1}REVISION")
	}
	return v
}

// keptOfPod returns the node of a Pod and the resources of its containers.
func keptOfPod(spec object) object {
	out := object{}
	for _, name := range []string{"nodeName", "containers", "initContainers"} {
		switch v := spec[name].(type) {
		case string:
			out[name] = v
		case []any:
			list := []any{}
			for _, container := range v {
				list = append(list, container.(object)["resources"])
			}
			out[name] = list
		}
	}
	return out
}
