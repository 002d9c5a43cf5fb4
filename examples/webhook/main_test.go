package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/server"
)

// A running is a running instance of the program.
type running struct {
	url   string
	stop  context.CancelFunc
	ended chan error
	log   log
}

// A log is written by the program while a test reads it.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

var listening = regexp.MustCompile(` listening on (https://127\.0\.0\.1:[0-9]+)\n`)

// start runs the program on a free port.
func start(t *testing.T, args ...string) *running {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	r := &running{stop: cancel, ended: make(chan error, 1)}
	go func() { r.ended <- run(ctx, append([]string{"-listen", "127.0.0.1:0"}, args...), &r.log) }()
	require.Eventually(t, func() bool {
		if m := listening.FindStringSubmatch(r.log.String()); m != nil {
			r.url = m[1]
		}
		return r.url != ""
	}, 10*time.Second, time.Millisecond)
	return r
}

// end stops the program as an interrupt does.
func (r *running) end(t *testing.T) {
	t.Helper()
	r.stop()
	require.NoError(t, <-r.ended)
}

// client returns a client that trusts only the given certificate.
func client(t *testing.T, cert []byte) *http.Client {
	t.Helper()
	trusted := x509.NewCertPool()
	require.True(t, trusted.AppendCertsFromPEM(cert))
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: 10 * time.Second}
}

// writeCertificate writes a certificate and its key to files in a directory, and returns the certificate of the
// authority.
func writeCertificate(t *testing.T, dir string) (authority []byte) {
	t.Helper()
	require.NoError(t, os.RemoveAll(dir))
	c, err := server.LoadCredentials(dir)
	require.NoError(t, err)
	return c.Authority
}

const (
	body = `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"1","operation":"CREATE","namespace":"team",
		"kind":{"group":"example.org","version":"v1","kind":"Widget"},"resource":{"group":"example.org","version":"v1","resource":"widgets"},
		"object":{"apiVersion":"example.org/v1","kind":"Widget","metadata":{"name":"a","namespace":"team"},"spec":{"size":0}}}}`
	answerStart = `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"1",`
)

func post(t *testing.T, client *http.Client, url, body string) (code int, answer string) {
	t.Helper()
	response, err := client.Post(url, "application/json", strings.NewReader(body))
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(text)
}

func TestRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "certificate")
	cert := writeCertificate(t, dir)
	r := start(t, "-certs", dir, "../../admission/testdata/crds.yaml")
	code, got := post(t, client(t, cert), r.url+"/validate", body)
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, got, answerStart+`"allowed":false,`)
	require.Contains(t, got, "spec.size: Invalid value: 0: ")
	code, got = post(t, client(t, cert), r.url+"/mutate?timeout=10s", body)
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, got, answerStart+`"allowed":true`)
	r.end(t)
}

// -self-signed makes a certificate once.
func TestRunSelfSigned(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "certificate")
	args := []string{"-certs", dir, "-self-signed", "-fail-closed", "../quickstart/crd.yaml", "../../admission/testdata/crds.yaml"}
	r := start(t, args...)
	cert, err := os.ReadFile(filepath.Join(dir, "ca.crt"))
	require.NoError(t, err)
	_, got := post(t, client(t, cert), strings.Replace(r.url, "127.0.0.1", "localhost", 1)+"/mutate", strings.ReplaceAll(body, "widgets", "gadgets"))
	require.Contains(t, got, answerStart+`"allowed":false,`)
	require.Contains(t, got, "no CustomResourceDefinition of example.org/v1 gadgets to check the object by")

	_, err = new(http.Client).Post(r.url+"/validate", "application/json", strings.NewReader(body))
	require.Error(t, err, "no other client trusts the certificate")
	r.end(t)
	require.Contains(t, r.log.String(), "TLS handshake error")

	r = start(t, args...)
	code, _ := post(t, client(t, cert), r.url+"/validate", body)
	require.Equal(t, http.StatusOK, code, "the certificate is still that of ca.crt")
	r.end(t)
}

// Invalid flags or files end the program at once.
func TestFailures(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write := func(name, text string) {
		t.Helper()
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	const crd = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
`
	write("crd.yaml", crd)
	write("copy.yaml", crd)
	write("none.yaml", "apiVersion: v1\nkind: ConfigMap\n")
	write("unserved.yaml", strings.Replace(crd, "served: true", "served: false", 1))
	write("untyped.yaml", strings.Replace(crd, "{type: object}", "{properties: {a: {}}}", 1))
	write("broken.yaml", "a: ]")
	writeCertificate(t, "keys")
	key, err := os.ReadFile("keys/tls.key")
	require.NoError(t, err)
	write("keys/tls.crt", string(key))

	busy, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer busy.Close()
	for _, tt := range []struct {
		name string
		args []string
		want string // the start of the error
	}{
		{"help", []string{"-h"}, "flag: help requested"},
		{"unknown flag", []string{"-f"}, "flag provided but not defined: -f"},
		{"no certificate", []string{"crd.yaml"}, "open certs/tls.crt: "},
		{"no definitions", []string{"-self-signed"}, "no CustomResourceDefinition"},

		{"definitions: no such file", []string{"-self-signed", "missing.yaml"}, "stat missing.yaml: "},
		{"definitions: no YAML", []string{"-self-signed", "crd.yaml", "broken.yaml"}, "broken.yaml:1: crd: "},
		{"definitions: none", []string{"-self-signed", "none.yaml"}, "no CustomResourceDefinition in none.yaml"},
		{"definitions: none served", []string{"-self-signed", "unserved.yaml"}, "no CustomResourceDefinition with a served version"},
		{
			"definitions: not structural", []string{"-self-signed", "untyped.yaml"},
			"untyped.yaml:1: widgets.example.org: resource: version v1: ",
		},
		{
			"definitions: one twice", []string{"-self-signed", "crd.yaml", "copy.yaml"},
			"copy.yaml:1: two definitions are called widgets.example.org",
		},
		{"certificate: no such file", []string{"-certs", "missing", "crd.yaml"}, "open missing/tls.crt: "},
		{"certificate: none", []string{"-certs", "keys", "crd.yaml"}, "tls: "},
		{
			"address: no port", []string{"-self-signed", "-listen", "localhost", "crd.yaml"},
			"listen tcp: address localhost: missing port in address",
		},
		{"address: taken", []string{"-self-signed", "-listen", busy.Addr().String(), "crd.yaml"}, "listen tcp 127.0.0.1:"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Second, errors.New("it serves"))
			defer cancel()
			err := run(ctx, tt.args, io.Discard)
			require.Error(t, err)
			require.Truef(t, strings.HasPrefix(err.Error(), tt.want), "%v", err)
			require.NoError(t, ctx.Err())
		})
	}
}
