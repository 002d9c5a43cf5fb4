package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// An authority signs certificates.
type authority struct {
	template *x509.Certificate
	key      *ecdsa.PrivateKey
	pem      []byte
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageCertSign, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	return &authority{template, key, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})}
}

// sign returns a certificate and its key, in PEM, for a user in groups, or for a server.
func (a *authority) sign(t *testing.T, usage x509.ExtKeyUsage, groups ...string) (certificate, key []byte) {
	t.Helper()
	own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "user", Organization: groups}, NotBefore: a.template.NotBefore, NotAfter: a.template.NotAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{usage}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.template, &own.PublicKey, a.key)
	require.NoError(t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(own)
	require.NoError(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})
}

// freePort returns an unused port of 127.0.0.1.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	return port
}

// A locked buffer is safe for concurrent use.
type locked struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *locked) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(text)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// start runs a program until the test ends.
func start(t *testing.T, stderr io.Writer, name string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, name, args, io.Discard, stderr) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
	})
}

// get sends requests until there is a response.
func get(t *testing.T, c *http.Client, url string) (code int, body string) {
	t.Helper()
	require.Eventually(t, func() bool {
		answer, err := c.Get(url)
		if err != nil {
			return false
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		code, body = answer.StatusCode, string(text)
		return err == nil
	}, 10*time.Second, 10*time.Millisecond)
	return code, body
}

// The API server answers health checks of all clients, and other requests only of clients whose certificates the
// authority has signed.
func TestAPIServer(t *testing.T) {
	dir := t.TempDir()
	a, clients := newAuthority(t), newAuthority(t)
	write := func(name string, text []byte) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	certificate, key := a.sign(t, x509.ExtKeyUsageServerAuth)
	write("apiserver.crt", certificate)
	write("apiserver.key", key)
	write("ca.crt", clients.pem)
	port := freePort(t)
	stderr := new(locked)
	start(t, stderr, "kube-apiserver", "--cert-dir="+dir, "--client-ca-file="+filepath.Join(dir, "ca.crt"), "--bind-address=127.0.0.1",
		"--secure-port="+port, "--authorization-mode=RBAC", "--allow-privileged")

	client := func(by *authority, groups ...string) *http.Client {
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM(a.pem)
		config := &tls.Config{RootCAs: roots}
		if by != nil {
			pair, err := tls.X509KeyPair(by.sign(t, x509.ExtKeyUsageClientAuth, groups...))
			require.NoError(t, err)
			config.Certificates = []tls.Certificate{pair}
		}
		transport := &http.Transport{TLSClientConfig: config}
		t.Cleanup(transport.CloseIdleConnections)
		return &http.Client{Transport: transport}
	}
	const service = "/api/v1/namespaces/default/services/kubernetes"
	server := "https://127.0.0.1:" + port
	code, body := get(t, client(nil), server+"/healthz")
	require.Equal(t, []any{http.StatusOK, "ok"}, []any{code, body})
	code, body = get(t, client(nil), server+service)
	require.Equal(t, http.StatusForbidden, code)
	require.Contains(t, body, `User \"system:anonymous\" cannot get`)
	code, body = get(t, client(clients, "developers"), server+service)
	require.Equal(t, http.StatusForbidden, code)
	require.Contains(t, body, `User \"user\" cannot get`)
	code, body = get(t, client(clients, "system:masters"), server+service)
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, body, `"clusterIP":"10.0.0.1"`)
	_, err := client(newAuthority(t)).Get(server + service)
	require.Error(t, err, "a certificate of another authority")

	// Nothing is collected, and namespaces stay until their finalizer is removed.
	c := client(clients, "system:masters")
	send := func(method, path, body string) (code int, answer string) {
		t.Helper()
		r, err := http.NewRequest(method, server+"/api/v1/namespaces"+path, strings.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/json")
		response, err := c.Do(r)
		require.NoError(t, err)
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return response.StatusCode, string(text)
	}
	for _, name := range []string{"a", "b"} {
		code, answer := send("POST", "/default/configmaps", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"`+name+`",
			"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"none","uid":"none"}]}}`)
		require.Equal(t, http.StatusCreated, code, answer)
	}
	code, body = send("POST", "", `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"team"}}`)
	require.Equal(t, http.StatusCreated, code, body)
	code, body = send("DELETE", "/team", "")
	require.Equal(t, http.StatusOK, code, body)
	require.Contains(t, body, `"phase":"Terminating"`)
	time.Sleep(100 * time.Millisecond) // enough for a collector, and for the sweeper
	for _, path := range []string{"/default/configmaps/a", "/team"} {
		code, body = send("GET", path, "")
		require.Equal(t, http.StatusOK, code, body)
	}
	code, body = send("PUT", "/team/finalize", `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"team"},"spec":{}}`)
	require.Equal(t, http.StatusOK, code, body)
	code, _ = send("GET", "/team", "")
	require.Equal(t, http.StatusNotFound, code)

	require.Equal(t, 1, strings.Count(stderr.String(), lacking))
	require.LessOrEqual(t, strings.Count(stderr.String(), "ConfigMap"), 1, "each sentence once")
}

func TestEtcd(t *testing.T) {
	url := "http://127.0.0.1:" + freePort(t)
	start(t, io.Discard, "etcd", "--listen-client-urls="+url, "--data-dir="+t.TempDir())
	code, body := get(t, http.DefaultClient, url+"/health")
	require.Equal(t, http.StatusOK, code)
	require.JSONEq(t, `{"health":"true"}`, body)
	http.DefaultClient.CloseIdleConnections()
}

// The programs end with their parent process, or with their context.
func TestWaitForParent(t *testing.T) {
	parent := 0
	waitForParent(t.Context(), func() int {
		parent++
		return parent / 3
	}, time.Millisecond)
	require.Equal(t, 3, parent)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	waitForParent(ctx, func() int { return 1 }, time.Hour)
}

func TestFlags(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), "kube-apiserver", []string{"--help"}, &out, io.Discard))
	require.NotContains(t, out.String(), "--", "envtest looks there for flags of older versions")
	flags, err := parse([]string{"--a=b=c", "--d"})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"a": "b=c", "d": ""}, flags)
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"kube-apiserver", []string{"-a"}, `"-a" is not of the form --name=value`},
		{"kube-apiserver", []string{"--cert-dir=" + t.TempDir()}, "apiserver.crt"},
		{"etcd", []string{"--listen-client-urls=http://a b"}, "invalid character"},
		{"kubelet", nil, "the binary's name says what it is: kube-apiserver or etcd, not kubelet"},
	} {
		require.ErrorContains(t, run(t.Context(), c.name, c.args, io.Discard, io.Discard), c.want)
	}
}
