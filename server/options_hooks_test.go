package server

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/server/storage"
)

func TestRequestInfoOf(t *testing.T) {
	for _, c := range []struct {
		method, target string
		want           RequestInfo
	}{
		{"GET", "/version", RequestInfo{Verb: "get"}},
		{"POST", "/apis/apps", RequestInfo{Verb: "post"}},
		{"GET", "/api/v1/pods", RequestInfo{Verb: "list", Version: "v1", Resource: "pods"}},
		{"HEAD", "/api/v1/pods?watch=0", RequestInfo{Verb: "list", Version: "v1", Resource: "pods"}},
		{"GET", "/apis/apps/v1/namespaces/a/deployments?watch=1", RequestInfo{Verb: "watch", Group: "apps", Version: "v1", Resource: "deployments", Namespace: "a"}},
		{"PATCH", "/apis/apps/v1/namespaces/a/deployments/b/scale?watch=1", RequestInfo{Verb: "patch", Group: "apps", Version: "v1", Resource: "deployments", Namespace: "a", Name: "b", Subresource: "scale"}},
		{"GET", "/apis/apps/v1/namespaces/a/deployments/b?watch=1", RequestInfo{Verb: "get", Group: "apps", Version: "v1", Resource: "deployments", Namespace: "a", Name: "b"}},
		{"PUT", "/api/v1/namespaces/a/status", RequestInfo{Verb: "update", Version: "v1", Resource: "namespaces", Namespace: "a", Name: "a", Subresource: "status"}},
		{"DELETE", "/api/v1/namespaces/a", RequestInfo{Verb: "delete", Version: "v1", Resource: "namespaces", Namespace: "a", Name: "a"}},
		{"DELETE", "/api/v1/namespaces", RequestInfo{Verb: "deletecollection", Version: "v1", Resource: "namespaces"}},
		{"POST", "/api/v1/namespaces/a/pods", RequestInfo{Verb: "create", Version: "v1", Resource: "pods", Namespace: "a"}},
		{"OPTIONS", "/api/v1/pods", RequestInfo{Verb: "options", Version: "v1", Resource: "pods"}},
	} {
		c.want.Path, _, _ = strings.Cut(c.target, "?")
		require.Equal(t, c.want, RequestInfoOf(httptest.NewRequest(c.method, c.target, nil)), c.target)
	}
}

// Functions in the options decide who sends a request, and whether it is allowed, and see how it was answered.
func TestAuthorizationAndObservation(t *testing.T) {
	var mu sync.Mutex
	var seen []Observation
	s := serve(t, Options{
		Authenticate: func(r *http.Request) (User, bool) {
			name, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
			return User{Name: name, UID: "7", Groups: []string{"g"}, Extra: map[string][]string{"k": {"v"}}}, ok && name != "nobody"
		},
		Authorize: func(_ context.Context, user User, r RequestInfo) (bool, string) {
			return user.Name != "guest" || r.Verb == "get", map[bool]string{true: "guests only read"}[r.Resource == "kites"]
		},
		Observe: func(o Observation) {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, o)
		},
	}, storage.MemoryOptions{})
	as := func(user string) []string { return []string{"Authorization", "Bearer " + user} }
	s.must(t, 401, "GET", kites+"/a", "", as("nobody")...)
	s.must(t, 201, "POST", kites, kite("a", "red"), as("owner")...)
	s.must(t, 200, "GET", kites+"/a", "", as("guest")...)
	for path, want := range map[string]string{
		kites:               `kites.wind.example.com is forbidden: User "guest" cannot deletecollection resource "kites" in API group "wind.example.com" in the namespace "default": guests only read`,
		kites + "/a/status": `kites.wind.example.com "a" is forbidden: User "guest" cannot delete resource "kites/status" in API group "wind.example.com" in the namespace "default": guests only read`,
		"/api/v1/nodes/a":   `nodes "a" is forbidden: User "guest" cannot delete resource "nodes" in API group "" at the cluster scope`,
		"/version":          `forbidden: User "guest" cannot delete path "/version"`,
	} {
		refused := s.must(t, 403, "DELETE", path, "", as("guest")...)
		require.Equal(t, want, refused["message"])
		require.Equal(t, "Forbidden", refused["reason"])
	}
	review := s.must(t, 201, "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", `{}`, as("owner")...)
	require.Equal(t, object{"username": "owner", "uid": "7", "groups": []any{"g"}, "extra": object{"k": []any{"v"}}}, at(review, "status", "userInfo"))

	_, text := s.call(t, "GET", kites+"/a", "", as("owner")...)
	mu.Lock()
	defer mu.Unlock()
	last := seen[len(seen)-1]
	require.Positive(t, last.Duration)
	last.Duration = 0
	require.Equal(t, Observation{
		RequestInfo: RequestInfoOf(httptest.NewRequest("GET", kites+"/a", nil)), Method: "GET", User: last.User, Code: 200, Bytes: int64(len(text)),
	}, last)
	require.Equal(t, "owner", last.User.Name)
	unknown := seen[1] // the first one creates the definition
	require.Equal(t, []any{401, ""}, []any{unknown.Code, unknown.User.Name})
}

// An observed watch is a stream as others are.
func TestObservedWatch(t *testing.T) {
	observed := make(chan Observation, 100)
	_, c := start(t, Options{Observe: func(o Observation) { observed <- o }})
	must(t, c, 201, "POST", kites, kite("a", "red"))
	answer := send(t, c, "GET", kites+"?watch=1&timeoutSeconds=1", "")
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	answer.Body.Close()
	for o := range observed {
		if o.Verb == "watch" {
			require.EqualValues(t, len(text), o.Bytes)
			return
		}
	}
}

// A graceful stop ends watches and refuses later requests, but waits for those in progress.
func TestShutdown(t *testing.T) {
	reached, leave := make(chan bool), make(chan bool)
	s, c := start(t, Options{Webhooks: []Webhook{{Name: "a", Resources: []string{"kites.wind.example.com"}, Admit: func(context.Context, *AdmissionRequest) (map[string]any, error) {
		reached <- true
		<-leave
		return nil, nil
	}}}})
	watch := send(t, c, "GET", kites+"?watch=1", "")
	defer watch.Body.Close()
	code := make(chan int)
	go func() {
		answer, err := c.Post("http://any"+kites, jsonType, strings.NewReader(kite("a", "red")))
		if err != nil {
			code <- 0
			return
		}
		answer.Body.Close()
		code <- answer.StatusCode
	}()
	<-reached
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, s.Shutdown(ctx), context.DeadlineExceeded)
	_, err := io.ReadAll(watch.Body)
	require.NoError(t, err, "the watch has ended")
	must(t, c, 503, "GET", kites, "")
	for path, want := range map[string]int{"/readyz": 500, "/healthz": 200} {
		answer := send(t, c, "GET", path, "")
		answer.Body.Close()
		require.Equal(t, want, answer.StatusCode)
	}
	close(leave)
	require.Equal(t, 201, <-code)
	require.NoError(t, s.Shutdown(t.Context()))
}
