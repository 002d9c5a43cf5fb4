package servertest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/crdkit/crdkit/crdtest"
	"github.com/crdkit/crdkit/server"
	"github.com/crdkit/crdkit/server/protocol"
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

// Serve starts a server with the definitions of a set, which may be nil, and with initial objects. These are Go values,
// or YAML or JSON in a string or a []byte, possibly with several documents. Serve creates their namespaces, and sets
// their status through the status subresource if the kind has one. If the server refuses an object, the test fails.
func Serve(t testing.TB, crds *crdtest.Set, objects ...any) *Server {
	t.Helper()
	return ServeWith(t, server.Options{}, crds, objects...)
}

// ServeWith is [Serve] with options. The defaults are those of package server, except that the default clock is
// controlled by [Server.SetTime] and [Server.Advance], the default token is random, 10,000 requests may be in progress,
// and the converters of the set are used for definitions that have none in the options. A set and definitions in the
// options exclude each other.
func ServeWith(t testing.TB, o server.Options, crds *crdtest.Set, objects ...any) *Server {
	t.Helper()
	if crds != nil && o.Definitions != nil {
		t.Fatalf("servertest: a server has the definitions of a set or those in the options, not both")
	}
	s := &Server{t: t}
	if o.Now == nil {
		o.Now = s.Now
	}
	if crds != nil {
		converters := crds.Converters()
		maps.Copy(converters, o.Converters)
		o.Converters = converters
	}
	o.Requests = cmp.Or(o.Requests, 10_000) // no client of a test is hostile
	if o.Unsupported == nil {
		o.Unsupported = func(text string) { t.Logf("servertest: a cluster would answer otherwise: %s", text) }
	}
	credentials, err := server.NewCredentials()
	if err != nil {
		t.Fatalf("servertest: %v", err)
	}
	o.Token = cmp.Or(o.Token, credentials.Token)
	credentials.Token = o.Token
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
			if _, err := s.do(http.MethodPost, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", d); err != nil {
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
	root := "/apis/" + apiVersion
	if !strings.Contains(apiVersion, "/") {
		root = "/api/" + apiVersion
	}
	found, err := s.do(http.MethodGet, root, nil)
	if err != nil {
		return fmt.Errorf("apiVersion %q: %w", apiVersion, err)
	}
	var list protocol.APIResourceList
	if err := unstructured.ToStruct(found, &list); err != nil {
		return err
	}
	i := slices.IndexFunc(list.Resources, func(r protocol.APIResource) bool { return r.Kind == kind && !strings.Contains(r.Name, "/") })
	if i < 0 {
		return fmt.Errorf("the server has no kind %s in %s", kind, apiVersion)
	}
	r := list.Resources[i]
	hasStatus := slices.ContainsFunc(list.Resources, func(sub protocol.APIResource) bool { return sub.Name == r.Name+"/status" })
	if r.Namespaced {
		namespace := cmp.Or(metadata(obj, "namespace"), "default")
		if err := s.createNamespace(namespace); err != nil {
			return err
		}
		root += "/namespaces/" + url.PathEscape(namespace)
	}
	root += "/" + r.Name
	made, err := s.do(http.MethodPost, root, obj)
	if err != nil || obj["status"] == nil || !hasStatus {
		return err
	}
	made["status"] = obj["status"]
	_, err = s.do(http.MethodPut, root+"/"+url.PathEscape(metadata(made, "name"))+"/status", made)
	return err
}

// metadata returns a string in the metadata of an object, or "".
func metadata(obj map[string]any, key string) string {
	meta, _ := obj["metadata"].(map[string]any)
	text, _ := meta[key].(string)
	return text
}

func (s *Server) createNamespace(name string) error {
	if _, err := s.do(http.MethodGet, "/api/v1/namespaces/"+url.PathEscape(name), nil); err == nil {
		return nil
	}
	namespace := map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name}}
	_, err := s.do(http.MethodPost, "/api/v1/namespaces", namespace)
	return err
}

// do sends a request with a JSON body, or without a body if it is nil, and returns the object in the response.
func (s *Server) do(method, path string, body any) (map[string]any, error) {
	var sent []byte
	if body != nil {
		var err error
		if sent, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	r, err := http.NewRequest(method, "http://server"+path, bytes.NewReader(sent))
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

// Client returns a client whose requests are answered without a network. The host in their URLs is ignored.
func (s *Server) Client() *http.Client { return &http.Client{Transport: s.RoundTripper()} }

// URL returns the HTTPS URL of the server, on a free port of 127.0.0.1. The first call of URL, [Server.Credentials] or
// [Server.Kubeconfig] starts the listener. Clients need the token and the authority of [Server.Credentials].
func (s *Server) URL() string { return s.network().url }

// Credentials returns the token and certificates for clients of [Server.URL].
func (s *Server) Credentials() *server.Credentials { return s.network().credentials }

// Kubeconfig returns the name of a new kubeconfig file for [Server.URL], in a temporary directory of the test.
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

// Now returns the time of the server's clock. The clock runs until [Server.SetTime] stops it.
func (s *Server) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now.IsZero() {
		return time.Now().Add(s.ahead)
	}
	return s.now
}

// SetTime stops the clock at now.
func (s *Server) SetTime(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = now
}

// Advance moves the clock forward by d, whether it is stopped or not.
func (s *Server) Advance(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now.IsZero() {
		s.ahead += d
	} else {
		s.now = s.now.Add(d)
	}
}
