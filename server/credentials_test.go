package server

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Credentials in a directory can be loaded again, and only their owner can read them.
func TestLoadCredentials(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made")
	first, err := LoadCredentials(dir, "server.example.com", "192.0.2.1")
	require.NoError(t, err)
	again, err := LoadCredentials(dir)
	require.NoError(t, err)
	require.Equal(t, first.Token, again.Token)
	require.Equal(t, first.Kubeconfig("https://a"), again.Kubeconfig("https://a"))
	require.Equal(t, []string{"localhost", "server.example.com"}, again.certificate.Leaf.DNSNames)
	require.WithinDuration(t, time.Now().AddDate(1, 0, 0), again.certificate.Leaf.NotAfter, time.Hour)
	require.Equal(t, "[127.0.0.1 ::1 192.0.2.1]", fmt.Sprint(again.certificate.Leaf.IPAddresses))
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 4)
	for _, f := range files {
		info, err := f.Info()
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode(), f.Name())
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, tokenFile), nil, 0o600))
	_, err = LoadCredentials(dir)
	require.ErrorContains(t, err, "the token is empty")
	for _, file := range []string{tokenFile, authorityFile} {
		require.NoError(t, os.Remove(filepath.Join(dir, file)))
		_, err = LoadCredentials(dir)
		require.ErrorContains(t, err, file)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, certificateFile), []byte("x"), 0o600))
	_, err = LoadCredentials(dir)
	require.Error(t, err)
}

func TestServe(t *testing.T) {
	c, err := NewCredentials()
	require.NoError(t, err)
	s, err := New(t.Context(), Options{Token: c.Token})
	require.NoError(t, err)
	defer s.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, l, c.ServerTLS()) }()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: c.ClientTLS()}}
	defer client.CloseIdleConnections()
	get := func(token string) int {
		r, err := http.NewRequest("GET", "https://"+l.Addr().String()+"/api/v1/namespaces?watch=true", nil)
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer "+token)
		answer, err := client.Do(r)
		require.NoError(t, err)
		return answer.StatusCode // the watch continues
	}
	require.Equal(t, http.StatusUnauthorized, get("wrong"))
	require.Equal(t, http.StatusOK, get(c.Token))
	cancel()
	select {
	case err := <-served:
		require.NoError(t, err)
	case <-time.After(soon):
		t.Fatal("a watch keeps the server")
	}
}

// A client needs no token if the listener has verified its certificate.
func TestCertificate(t *testing.T) {
	s, _ := start(t, Options{Token: testToken})
	for _, c := range []struct {
		tls  *tls.ConnectionState
		want int
	}{
		{nil, http.StatusUnauthorized},
		{&tls.ConnectionState{PeerCertificates: []*x509.Certificate{{}}}, http.StatusUnauthorized},
		{&tls.ConnectionState{VerifiedChains: [][]*x509.Certificate{{{}}}}, http.StatusOK},
	} {
		r := httptest.NewRequest(http.MethodGet, namespaces, nil)
		r.TLS = c.tls
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		require.Equal(t, c.want, w.Code)
	}
}

// The certificate is valid for this machine and for a given host.
func TestCredentialsForHost(t *testing.T) {
	for _, host := range []string{"", "localhost", "192.0.2.7", "2001:db8::7", "webhook.example.org"} {
		c, err := NewCredentials(host)
		require.NoError(t, err)
		leaf, err := x509.ParseCertificate(c.ServerTLS().Certificates[0].Certificate[0])
		require.NoError(t, err)
		require.NotContains(t, leaf.DNSNames, "")
		for _, name := range []string{"localhost", "127.0.0.1", "::1", host} {
			if name != "" {
				require.NoError(t, leaf.VerifyHostname(name), "%q for %q", name, host)
			}
		}
		require.Error(t, leaf.VerifyHostname("other.example.org"))
	}
}
