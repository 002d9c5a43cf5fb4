package catalog

import (
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The errors for responses that are not successes.
func TestRefusedBy(t *testing.T) {
	plain, other := http.Header{"Content-Type": {"text/plain; charset=utf-8"}}, http.Header{"Content-Type": {"application/json"}}
	for _, c := range []struct {
		code   int
		header http.Header
		answer string
		want   string
	}{
		{422, other, `{"kind":"Status","message":"why"}`, "why"},
		{422, other, `{"kind":"Status"}`, "the server rejected our request due to an error in our request"},
		{500, other, `{"kind":"Other","message":"why"}`, `an error on the server ("unknown") has prevented the request from succeeding`},
		{500, plain, " why\n", `an error on the server ("why") has prevented the request from succeeding`},
		{500, nil, "why", `an error on the server ("why") has prevented the request from succeeding`},
		{599, plain, strings.Repeat("x", maxErrorText+1), fmt.Sprintf("an error on the server (%q) has prevented the request from succeeding", strings.Repeat("x", maxErrorText))},
		{403, plain, "no", "no"},
		{403, other, "no", "unknown"},
		{415, plain, "no", "no"},
		{406, plain, "no", "no"},
		{406, other, "no", "the server was unable to respond with a content type that the client supports"},
		{400, plain, "no", "the server rejected our request for an unknown reason"},
		{401, nil, "", "the server has asked for the client to provide credentials"},
		{404, nil, "", "the server could not find the requested resource"},
		{405, nil, "", "the server does not allow this method on the requested resource"},
		{409, nil, "", "the server reported a conflict"},
		{429, nil, "", "the server has received too many requests and has asked us to try again later"},
		{503, nil, "", "the server is currently unable to handle the request"},
		{504, nil, "", "the server was unable to return a response in the time allotted, but may still be processing the request"},
		{302, nil, "", "the server responded with the status code 302 but did not return more information"},
		{418, nil, "", "the server responded with the status code 418 but did not return more information"},
	} {
		require.EqualError(t, refusedBy(c.code, c.header, []byte(c.answer)), c.want)
	}
	for _, code := range []int{200, 201, 299} {
		require.NoError(t, refusedBy(code, nil, []byte("x")))
	}
}

// A webhook receives JSON, and the size of its response is limited.
func TestPost(t *testing.T) {
	answer := strings.Repeat("x", MaxAnswer)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" ||
			r.Header.Get("Accept") != "application/json, */*" || r.URL.RequestURI() != "/convert?timeout=30s" {
			http.Error(w, r.URL.RequestURI(), http.StatusForbidden)
			return
		}
		fmt.Fprint(w, answer)
	}))
	defer server.Close()
	w := newWebhook(server.URL+"/convert", nil)
	defer w.client.CloseIdleConnections()
	got, err := w.post(t.Context(), []byte("{}"))
	require.NoError(t, err)
	require.Len(t, got, MaxAnswer)
	answer += "x"
	_, err = w.post(t.Context(), []byte("{}"))
	require.EqualError(t, err, "the answer is too long")

	_, err = newWebhook(server.URL+"/other", nil).post(t.Context(), nil)
	require.EqualError(t, err, "/other?timeout=30s")
	_, err = newWebhook("http://a b", nil).post(t.Context(), nil)
	require.Error(t, err)
	server.Close()
	_, err = w.post(t.Context(), nil)
	require.Error(t, err)
}

// A webhook's certificate must be signed by an authority in the CA bundle.
func TestCABundle(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") }))
	defer server.Close()
	_, err := newWebhook(server.URL, nil).post(t.Context(), nil)
	require.ErrorContains(t, err, "certificate")
	_, err = newWebhook(server.URL, []byte("none")).post(t.Context(), nil)
	require.ErrorContains(t, err, "certificate")
	w := newWebhook(server.URL, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	defer w.client.CloseIdleConnections()
	answer, err := w.post(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, "ok", string(answer))
}

func TestUID(t *testing.T) {
	require.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, UID())
	require.NotEqual(t, UID(), UID())
}

// A redirect within a webhook's host is followed, to another host or without TLS it is not.
func TestRedirects(t *testing.T) {
	reached := false
	reach := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reached = true
		body, _ := io.ReadAll(r.Body)
		_, _ = w.Write(body)
	})
	plain, other := httptest.NewServer(reach), httptest.NewTLSServer(reach)
	defer plain.Close()
	defer other.Close()
	var to string
	mux := http.NewServeMux()
	mux.HandleFunc("/convert", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusTemporaryRedirect) })
	mux.Handle("/moved", reach)
	for _, start := range []func(http.Handler) *httptest.Server{httptest.NewServer, httptest.NewTLSServer} {
		own := start(mux)
		defer own.Close()
		var ca []byte
		if c := own.Certificate(); c != nil {
			ca = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})
		}
		w := newWebhook(own.URL+"/convert", ca)
		for target, want := range map[string]string{
			"/moved":           "",
			own.URL + "/moved": "",
			"/convert":         "stopped after 10 redirects",
			plain.URL:          "the webhook redirects",
			other.URL:          "the webhook redirects to another host",
			"http://" + own.Listener.Addr().String() + "/moved": map[bool]string{true: "the webhook redirects from https to http"}[ca != nil],
			"file:///etc/passwd": "the webhook redirects",
		} {
			to, reached = target, false
			answer, err := w.post(t.Context(), []byte("review"))
			if want == "" {
				require.NoError(t, err, target)
				require.Equal(t, "review", string(answer))
				continue
			}
			require.ErrorContains(t, err, want, target)
			require.False(t, reached, target)
		}
	}
}
