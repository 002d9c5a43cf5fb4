package servertest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/crdkit/crdkit/crdtest"
	"github.com/crdkit/crdkit/protocol"
	"github.com/crdkit/crdkit/server"
	"github.com/crdkit/crdkit/unstructured"
)

// A Server is an API server of a test. It is safe for concurrent use.
type Server struct {
	*server.Server
	t      testing.TB
	listen func() listening

	mu    sync.Mutex
	now   time.Time     // the time of a stopped clock; zero: it runs
	ahead time.Duration // how far a running clock is ahead
}

// listening is the network side of a server, started when needed.
type listening struct {
	url         string
	credentials *server.Credentials
	err         error
}

// Serve starts a server with the definitions of a set, which may be nil, and with initial objects: YAML or JSON in a string or a []byte,
// possibly with several documents, or Go values. It creates their namespaces, and sets their status through the status subresource, if the
// kind has one. A refusal of the server ends the test.
func Serve(t testing.TB, crds *crdtest.Set, objects ...any) *Server {
	t.Helper()
	return ServeWith(t, server.Options{}, crds, objects...)
}

// ServeWith is [Serve] with options. Zero options have the defaults of package server; the default clock is that of [Server.SetTime], and the
// default token is random.
func ServeWith(t testing.TB, o server.Options, crds *crdtest.Set, objects ...any) *Server {
	t.Helper()
	s := &Server{t: t}
	if o.Now == nil {
		o.Now = s.Now
	}
	if o.Unsupported == nil {
		o.Unsupported = func(text string) { t.Logf("servertest: a cluster would answer otherwise: %s", text) }
	}
	credentials, err := server.NewCredentials()
	if err != nil {
		t.Fatalf("servertest: %v", err)
	}
	if o.Token == "" {
		o.Token = credentials.Token
	} else {
		credentials.Token = o.Token
	}
	if s.Server, err = server.New(context.Background(), o); err != nil {
		t.Fatalf("servertest: %v", err)
	}
	var serving sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(func() {
		err := s.Close()
		cancel()
		serving.Wait()
		if err != nil {
			t.Errorf("servertest: %v", err)
		}
	})
	s.listen = sync.OnceValue(func() listening {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return listening{err: err}
		}
		serving.Go(func() { _ = s.Serve(ctx, l, credentials.ServerTLS()) })
		return listening{url: "https://" + l.Addr().String(), credentials: credentials}
	})
	if crds != nil {
		for _, d := range crds.Definitions() {
			body, err := json.Marshal(d)
			if err == nil {
				_, err = s.do(http.MethodPost, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", body)
			}
			if err != nil {
				t.Fatalf("servertest: definition %s: %v", d.Name(), err)
			}
		}
	}
	for i, o := range objects {
		all, err := decode(o)
		for _, obj := range all {
			if err == nil {
				err = s.create(obj)
			}
		}
		if err != nil {
			t.Fatalf("servertest: object %d: %v", i+1, err)
		}
	}
	return s
}

// decode returns the objects in a text, or the object of a Go value.
func decode(v any) ([]map[string]any, error) {
	switch x := v.(type) {
	case string:
		return unstructured.DecodeAll([]byte(x))
	case []byte:
		return unstructured.DecodeAll(x)
	}
	obj, err := unstructured.FromStruct(v)
	return []map[string]any{obj}, err
}

// create creates the namespace of an object, the object, and its status.
func (s *Server) create(obj map[string]any) error {
	apiVersion, _ := obj["apiVersion"].(string)
	kind, _ := obj["kind"].(string)
	r, err := s.resource(apiVersion, kind)
	if err != nil {
		return err
	}
	meta, _ := obj["metadata"].(map[string]any)
	root := "/apis/" + apiVersion
	if !strings.Contains(apiVersion, "/") {
		root = "/api/" + apiVersion
	}
	if r.Namespaced {
		namespace, _ := meta["namespace"].(string)
		if namespace == "" {
			namespace = "default"
		}
		if err := s.createNamespace(namespace); err != nil {
			return err
		}
		root += "/namespaces/" + url.PathEscape(namespace)
	}
	root += "/" + r.Name
	body, err := json.Marshal(obj)
	if err != nil {
		return err
	}
	made, err := s.do(http.MethodPost, root, body)
	if err != nil || obj["status"] == nil || !r.status {
		return err
	}
	made["status"] = obj["status"]
	if body, err = json.Marshal(made); err != nil {
		return err
	}
	meta, _ = made["metadata"].(map[string]any)
	name, _ := meta["name"].(string)
	_, err = s.do(http.MethodPut, root+"/"+url.PathEscape(name)+"/status", body)
	return err
}

func (s *Server) createNamespace(name string) error {
	if _, err := s.do(http.MethodGet, "/api/v1/namespaces/"+url.PathEscape(name), nil); err == nil {
		return nil
	}
	body, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name}})
	if err != nil {
		return err
	}
	_, err = s.do(http.MethodPost, "/api/v1/namespaces", body)
	return err
}

// A served is a resource in discovery.
type served struct {
	protocol.APIResource
	status bool // it has a status subresource
}

// resource finds the resource of a kind in discovery.
func (s *Server) resource(apiVersion, kind string) (*served, error) {
	path := "/apis/" + apiVersion
	if !strings.Contains(apiVersion, "/") {
		path = "/api/" + apiVersion
	}
	found, err := s.do(http.MethodGet, path, nil)
	if err != nil {
		return nil, fmt.Errorf("apiVersion %q: %w", apiVersion, err)
	}
	var list protocol.APIResourceList
	if err := unstructured.ToStruct(found, &list); err != nil {
		return nil, err
	}
	var out *served
	for _, r := range list.Resources {
		name, sub, isSub := strings.Cut(r.Name, "/")
		switch {
		case !isSub && r.Kind == kind:
			out = &served{APIResource: r}
		case out != nil && name == out.Name && sub == "status":
			out.status = true
		}
	}
	if out == nil {
		return nil, fmt.Errorf("the server has no kind %s in %s", kind, apiVersion)
	}
	return out, nil
}

// do makes a request and returns the object of the answer.
func (s *Server) do(method, path string, body []byte) (map[string]any, error) {
	r, err := http.NewRequest(method, "http://server"+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "servertest")
	answer, err := s.RoundTripper().RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	obj, err := unstructured.DecodeJSON(text)
	switch message, _ := obj["message"].(string); {
	case answer.StatusCode < 300:
		return obj, err
	case message != "":
		return nil, fmt.Errorf("%s", message)
	}
	return nil, fmt.Errorf("%s: %s", answer.Status, bytes.TrimSpace(text))
}

// Client returns a client whose requests are answered without a network. The host in their URLs does not matter.
func (s *Server) Client() *http.Client { return &http.Client{Transport: s.RoundTripper()} }

// URL returns the URL of the server: HTTPS, on a free port of 127.0.0.1. The first call of URL or [Server.Kubeconfig] starts the listener. Clients
// need the token and the authority of [Server.Credentials].
func (s *Server) URL() string { return s.network().url }

// Credentials returns the token and certificates for clients of [Server.URL].
func (s *Server) Credentials() *server.Credentials { return s.network().credentials }

// Kubeconfig returns the name of a new kubeconfig for [Server.URL], in a temporary directory of the test.
func (s *Server) Kubeconfig() string {
	s.t.Helper()
	n := s.network()
	file := filepath.Join(s.t.TempDir(), "kubeconfig")
	if err := os.WriteFile(file, n.credentials.Kubeconfig(n.url), 0o600); err != nil {
		s.t.Fatalf("servertest: %v", err)
	}
	return file
}

func (s *Server) network() listening {
	s.t.Helper()
	n := s.listen()
	if n.err != nil {
		s.t.Fatalf("servertest: %v", n.err)
	}
	return n
}

// Now returns the time of the server's clock. It runs until [Server.SetTime] stops it.
func (s *Server) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now.IsZero() {
		return time.Now().Add(s.ahead)
	}
	return s.now
}

// SetTime stops the clock at a time.
func (s *Server) SetTime(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = now
}

// Advance sets the clock forward, whether it runs or not.
func (s *Server) Advance(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now.IsZero() {
		s.ahead += d
	} else {
		s.now = s.now.Add(d)
	}
}
