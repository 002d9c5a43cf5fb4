package servertest_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crdtest"
	"github.com/crdkit/crdkit/crdtest/servertest"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/server"
)

var widgets = given.KindWithStatus("Namespaced", "widgets.demo.example.com", "Widget",
	"{type: object, properties: {size: {type: integer, maximum: 10}, color: {type: string, default: red}}}",
	"{type: object, properties: {ready: {type: boolean}}}")

const (
	path = "/apis/demo.example.com/v1/namespaces/shop/widgets"
	one  = `
apiVersion: demo.example.com/v1
kind: Widget
metadata: {name: one, namespace: shop}
spec: {size: 3}
status: {ready: true}
`
)

type object = map[string]any

// get reads an object.
func get(t testing.TB, c *http.Client, url string) object {
	t.Helper()
	answer, err := c.Get(url)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	var obj object
	require.NoError(t, json.Unmarshal(text, &obj), "%s", text)
	return obj
}

func TestServe(t *testing.T) {
	type widget struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Metadata   object `json:"metadata"`
	}
	s := servertest.Serve(t, crdtest.Parse(t, widgets), one+"---"+strings.ReplaceAll(one, "one", "two"),
		&widget{"demo.example.com/v1", "Widget", object{"name": "three"}})
	obj := get(t, s.Client(), "http://server"+path+"/one")
	require.Equal(t, object{"size": 3.0, "color": "red"}, obj["spec"], "with its default")
	require.Equal(t, object{"ready": true}, obj["status"])
	require.Len(t, get(t, s.Client(), "http://server/apis/demo.example.com/v1/widgets")["items"], 3)
}

func TestNetwork(t *testing.T) {
	s := servertest.Serve(t, crdtest.Parse(t, widgets), one)
	c := &http.Client{Transport: &http.Transport{TLSClientConfig: s.Credentials().ClientTLS()}}
	defer c.CloseIdleConnections()
	require.Equal(t, "Unauthorized", get(t, c, s.URL()+path)["message"])
	r, err := http.NewRequest("GET", s.URL()+path, nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+s.Credentials().Token)
	answer, err := c.Do(r)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.StatusCode)
	answer.Body.Close()
	file := s.Kubeconfig()
	text := given.File(t, file)
	require.Contains(t, string(text), s.URL())
	require.Contains(t, string(text), s.Credentials().Token)
}

// A test may send many requests at once.
func TestBurst(t *testing.T) {
	s := servertest.Serve(t, crdtest.Parse(t, widgets), one)
	transport := &http.Transport{TLSClientConfig: s.Credentials().ClientTLS(), ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	c := &http.Client{Transport: bearer{transport, s.Credentials().Token}}
	codes := make([]int, 1000)
	var all sync.WaitGroup
	for i := range codes {
		all.Go(func() {
			body := fmt.Sprintf(`{"apiVersion":"demo.example.com/v1","kind":"Widget","metadata":{"name":"w%d"},"spec":{}}`, i)
			answer, err := c.Post(s.URL()+path, "application/json", strings.NewReader(body))
			if err == nil {
				codes[i] = answer.StatusCode
				err = answer.Body.Close()
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for i, code := range codes {
		require.Equal(t, http.StatusCreated, code, i)
	}
}

func TestClock(t *testing.T) {
	s := servertest.Serve(t, crdtest.Parse(t, widgets))
	require.WithinDuration(t, time.Now(), s.Now(), time.Minute)
	s.Advance(time.Hour)
	require.WithinDuration(t, time.Now().Add(time.Hour), s.Now(), time.Minute)
	s.SetTime(time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC))
	s.Advance(time.Second)
	create(t, s.Client(), "default", "a")
	obj := get(t, s.Client(), "http://server/apis/demo.example.com/v1/namespaces/default/widgets/a")
	require.Equal(t, "2030-01-02T03:04:06Z", obj["metadata"].(object)["creationTimestamp"])
}

func create(t testing.TB, c *http.Client, namespace, name string) {
	t.Helper()
	answer, err := c.Post("http://server/apis/demo.example.com/v1/namespaces/"+namespace+"/widgets", "application/json",
		strings.NewReader(`{"apiVersion":"demo.example.com/v1","kind":"Widget","metadata":{"name":"`+name+`"},"spec":{"size":1}}`))
	require.NoError(t, err)
	defer answer.Body.Close()
	require.Equal(t, http.StatusCreated, answer.StatusCode)
}

// A recorder is a testing.TB that records log messages and failures.
type recorder struct {
	testing.TB
	mu       sync.Mutex
	logged   []string
	failures []string
}

func (r *recorder) Logf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.logged = append(r.logged, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
	runtime.Goexit()
}

func TestUnsupportedIsLoggedOnce(t *testing.T) {
	r := &recorder{TB: t}
	s := servertest.Serve(r, nil)
	for range 3 {
		for _, path := range []string{"/api/v1/nothings", "/apis/nothing.k8s.io/v1/things", "/apis/demo.example.com/v1/widgets", "/apis"} {
			answer, err := s.Client().Get("http://server" + path)
			require.NoError(t, err)
			answer.Body.Close()
		}
	}
	require.Equal(t, []string{
		"servertest: a cluster would answer otherwise: there is no resource nothings in v1",
		"servertest: a cluster would answer otherwise: there is no resource things in nothing.k8s.io/v1",
	}, r.logged)
}

func TestFailures(t *testing.T) {
	for _, c := range []struct {
		name, definition string
		objects          []any
		want             string
	}{
		{"a refused object", widgets, []any{strings.Replace(one, "3", "11", 1)}, "object 1: Widget.demo.example.com \"one\" is invalid: spec.size: Invalid value: 11"},
		{"an unknown kind", widgets, []any{one, strings.Replace(one, "Widget", "Gadget", 1)}, "object 2: the server has no kind Gadget in demo.example.com/v1"},
		{"an unknown group", widgets, []any{strings.Replace(one, "demo.", "other.", 1)}, `object 1: apiVersion "other.example.com/v1": 404`},
		{"not an object", widgets, []any{"- a"}, "object 1: "},
		{"a refused definition", strings.Replace(widgets, "Namespaced", "Universal", 1), nil, "definition widgets.demo.example.com: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &recorder{TB: t}
			done := make(chan struct{})
			go func() {
				defer close(done)
				servertest.Serve(r, crdtest.Parse(t, c.definition), c.objects...)
			}()
			<-done
			require.Len(t, r.failures, 1)
			require.Contains(t, r.failures[0], c.want)
		})
	}
}

// A hundred concurrent tests, each with a server, a watch and a write. No goroutine is left when they have ended.
func TestNothingIsLeft(t *testing.T) {
	crds := crdtest.Parse(t, widgets)
	before := runtime.NumGoroutine()
	t.Run("servers", func(t *testing.T) {
		for i := range 100 {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				s := servertest.Serve(t, crds, one)
				c := s.Client()
				url := "http://server"
				if i%4 == 0 { // over the network
					url = s.URL()
					c = &http.Client{Transport: bearer{&http.Transport{TLSClientConfig: s.Credentials().ClientTLS()}, s.Credentials().Token}}
				}
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
				defer cancel()
				r, err := http.NewRequestWithContext(ctx, "GET", url+path+"?watch=true", nil)
				require.NoError(t, err)
				watch, err := c.Do(r)
				require.NoError(t, err)
				lines := bufio.NewScanner(watch.Body) // not closed on purpose
				require.True(t, lines.Scan())
				require.Contains(t, lines.Text(), `"type":"ADDED"`)
				create(t, s.Client(), "shop", "two")
				require.True(t, lines.Scan())
				require.Contains(t, lines.Text(), `"name":"two"`)
			})
		}
	})
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+1 }, 10*time.Second, 10*time.Millisecond, "goroutines are left")
}

// A bearer adds a token to requests.
type bearer struct {
	*http.Transport
	token string
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.Transport.RoundTrip(r)
}

func TestOptions(t *testing.T) {
	now := time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC)
	s := servertest.ServeWith(t, server.Options{Now: func() time.Time { return now }, Token: "known"}, crdtest.Parse(t, widgets), one)
	obj := get(t, s.Client(), "http://server"+path+"/one")
	require.Equal(t, "2031-01-01T00:00:00Z", obj["metadata"].(object)["creationTimestamp"])
	require.Equal(t, "known", s.Credentials().Token)
}

// BenchmarkServe starts a server with a definition, and creates an object.
func BenchmarkServe(b *testing.B) {
	crds := crdtest.Parse(b, widgets)
	b.ReportAllocs()
	for b.Loop() {
		s := servertest.Serve(b, crds)
		create(b, s.Client(), "default", "a")
		require.NoError(b, s.Close())
	}
}
