package server

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// No request makes the server panic.
func FuzzRequest(f *testing.F) {
	s, err := New(f.Context(), Options{Token: testToken})
	require.NoError(f, err)
	f.Cleanup(func() { s.Close() })
	send := func(ctx context.Context, method, target, contentType, accept, body string) *httptest.ResponseRecorder {
		r := &http.Request{Method: method, URL: &url.URL{}, Header: http.Header{}, Body: http.NoBody}
		r.URL.Path, r.URL.RawQuery, _ = strings.Cut(target, "?")
		r.Header.Set("Authorization", "Bearer "+testToken)
		r.Header.Set("Content-Type", contentType)
		r.Header.Set("Accept", accept)
		r.Body = http.MaxBytesReader(nil, readCloser{strings.NewReader(body)}, 1<<20)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r.WithContext(ctx))
		return w
	}
	require.Equal(f, http.StatusCreated, send(f.Context(), "POST", definitions, "", "", kiteDefinition).Code)
	require.Equal(f, http.StatusCreated, send(f.Context(), "POST", kites, "", "", kite("a", "red")).Code)
	const table = "application/json;as=Table;v=v1;g=meta.k8s.io"
	for _, path := range []string{kites, kites + "/a", kites + "/a/status", allKites, definitions, definitions + "/kites.wind.example.com", "/api/v1/namespaces/default",
		"/api", "/apis", "/openapi/v3/apis/wind.example.com/v1?hash=x", kites + "?limit=1&continue=abc&resourceVersion=1", allKites + "?watch=1&sendInitialEvents=1"} {
		f.Add("GET", path, "", table, "")
		f.Add("PATCH", path, mergePatch, "", `{"metadata":{"labels":{"a":null}},"spec":{"n":1}}`)
		f.Add("PATCH", path, "application/json-patch+json", "application/yaml", `[{"op":"add","path":"/spec/n","value":7}]`)
		f.Add("PUT", path, "", "", kite("a", "blue"))
		f.Add("POST", path, "application/yaml", "", "apiVersion: wind.example.com/v1\nkind: Kite\nmetadata: {generateName: x}")
		f.Add("DELETE", path, "", "", `{"dryRun":["All"],"preconditions":{"uid":"x"}}`)
	}
	f.Fuzz(func(t *testing.T, method, target, contentType, accept, body string) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		require.NotContains(t, send(ctx, method, target, contentType, accept, body).Body.String(), "panic:")
	})
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }
