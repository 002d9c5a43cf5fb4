package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/server"
	"github.com/crdkit/crdkit/server/guard"
)

// A running is a running instance of the program.
type running struct {
	url    string
	output *bufio.Scanner // the unread output
	stop   context.CancelFunc
	code   chan int
	stderr bytes.Buffer // valid after the program has ended
}

// start runs the program on a free port.
func start(t *testing.T, args ...string) *running {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	stdout, in := io.Pipe()
	r := &running{output: bufio.NewScanner(stdout), stop: cancel, code: make(chan int, 1)}
	go func() {
		r.code <- run(ctx, append([]string{"-listen", "127.0.0.1:0"}, args...), in, &r.stderr)
		in.Close()
	}()
	line := r.line(t)
	url, isURL := strings.CutPrefix(line, "listening on ")
	require.True(t, isURL, line)
	r.url, isURL = strings.CutSuffix(url, "/mutate and /validate")
	require.True(t, isURL, line)
	return r
}

// line returns the next line of the output.
func (r *running) line(t *testing.T) string {
	t.Helper()
	if !r.output.Scan() {
		t.Fatalf("no more output; exit code %d, %s", <-r.code, &r.stderr)
	}
	return r.output.Text()
}

// end stops the program as an interrupt does.
func (r *running) end(t *testing.T) {
	t.Helper()
	r.stop()
	require.Equal(t, 0, <-r.code)
	require.False(t, r.output.Scan(), "more output: %s", r.output.Text())
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

func TestRunWithFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "certificate")
	certFile, keyFile := filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	cert := writeCertificate(t, dir)
	r := start(t, "-cert", certFile, "-key", keyFile, "testdata/crds.yaml")

	body, uid := review(t, "create")
	code, _, got := post(t, client(t, cert), r.url+"/validate", body)
	require.Equal(t, answer(uid, allowed), got)
	require.Equal(t, http.StatusOK, code)

	// The next handshake uses a renewed certificate.
	renewed := writeCertificate(t, dir)
	_, err := client(t, cert).Post(r.url+"/validate", "application/json", strings.NewReader(body))
	var untrusted x509.UnknownAuthorityError
	require.ErrorAs(t, err, &untrusted)
	_, _, got = post(t, client(t, renewed), r.url+"/validate", body)
	require.Equal(t, answer(uid, allowed), got)
	r.end(t)
}

func TestRunSelfSigned(t *testing.T) {
	r := start(t, "-self-signed", "-fail-closed", "../quickstart/crd.yaml", "testdata/crds.yaml")
	caBundle, printed := strings.CutPrefix(r.line(t), "caBundle: ")
	require.True(t, printed)
	cert, err := base64.StdEncoding.DecodeString(caBundle)
	require.NoError(t, err)
	trusting := client(t, cert)

	body, uid := review(t, "status")
	_, _, got := post(t, trusting, strings.Replace(r.url, "127.0.0.1", "localhost", 1)+"/validate", body)
	require.Equal(t, answer(uid, allowed+`,"warnings":["unknown field \"status.seen\""]`), got)

	body, uid = review(t, "create", change{"request.resource.resource", `"gadgets"`})
	_, _, got = post(t, trusting, r.url+"/mutate", body)
	require.Equal(t, answer(uid, denied(`"no CustomResourceDefinition of example.org/v1 gadgets to check the object by"`,
		`,"reason":"Forbidden","code":403`)), got)

	_, err = new(http.Client).Post(r.url+"/validate", "application/json", strings.NewReader(body))
	require.Error(t, err, "no other client trusts the certificate")
	r.end(t)
	require.Contains(t, r.stderr.String(), "TLS handshake error")
}

// A request in progress is answered before the program ends.
func TestEndsGracefully(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	credentials, err := server.NewCredentials()
	require.NoError(t, err)
	begun, goOn := make(chan bool), make(chan bool)
	g := guard.New(guard.Limits{}, io.Discard)
	served := g.Server(http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
		close(begun)
		<-goOn
		_, _ = io.WriteString(out, "done")
	}), credentials.ServerTLS())

	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, g.Listen(listener), served) }()
	type reply struct {
		text string
		err  error
	}
	replied := make(chan reply, 1)
	requester := client(t, credentials.Authority)
	go func() {
		response, err := requester.Get("https://" + listener.Addr().String())
		if err != nil {
			replied <- reply{err: err}
			return
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		replied <- reply{string(text), err}
	}()
	<-begun
	cancel()
	select {
	case err := <-ended:
		t.Fatalf("ended before the request: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	close(goOn)
	require.Equal(t, reply{text: "done"}, <-replied)
	require.NoError(t, <-ended)
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
	writeCertificate(t, "certificate")

	busy, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer busy.Close()
	for _, tt := range []struct {
		name   string
		args   []string
		code   int
		stderr string // prefix
	}{
		{"help", []string{"-h"}, 0, "Usage: webhook "},
		{"unknown flag", []string{"-f"}, 2, "flag provided but not defined: -f\nUsage: "},
		{"no certificate", []string{"crd.yaml"}, 2, "either -cert and -key are needed or -self-signed\nUsage: "},
		{
			"two certificates", []string{"-self-signed", "-cert", "certificate/tls.crt", "-key", "certificate/tls.key", "crd.yaml"}, 2,
			"either -cert and -key are needed or -self-signed\nUsage: ",
		},
		{"no key", []string{"-cert", "certificate/tls.crt", "crd.yaml"}, 2, "-cert and -key go together\nUsage: "},
		{"key alone", []string{"-self-signed", "-key", "certificate/tls.key", "crd.yaml"}, 2, "-cert and -key go together\nUsage: "},
		{"too little memory", []string{"-self-signed", "-memory", "63", "crd.yaml"}, 2, "-memory must be 64 or more\nUsage: "},
		{"no definitions", []string{"-self-signed"}, 2, "a file of CustomResourceDefinitions is needed\nUsage: "},

		{"definitions: no such file", []string{"-self-signed", "missing.yaml"}, 1, "error: stat missing.yaml: "},
		{"definitions: no YAML", []string{"-self-signed", "crd.yaml", "broken.yaml"}, 1, "error: broken.yaml:1: crd: "},
		{"definitions: none", []string{"-self-signed", "none.yaml"}, 1, "error: no CustomResourceDefinition in none.yaml"},
		{"definitions: none served", []string{"-self-signed", "unserved.yaml"}, 1, "error: no CustomResourceDefinition with a served version\n"},
		{
			"definitions: not structural", []string{"-self-signed", "untyped.yaml"}, 1,
			"error: untyped.yaml:1: widgets.example.org: resource: version v1: ",
		},
		{
			"definitions: one twice", []string{"-self-signed", "crd.yaml", "copy.yaml"}, 1,
			"error: copy.yaml:1: two definitions are called widgets.example.org",
		},
		{"certificate: no such file", []string{"-cert", "missing.crt", "-key", "certificate/tls.key", "crd.yaml"}, 1, "error: open missing.crt: "},
		{"certificate: none", []string{"-cert", "certificate/tls.key", "-key", "certificate/tls.key", "crd.yaml"}, 1, "error: tls: "},
		{
			"address: no port", []string{"-self-signed", "-listen", "localhost", "crd.yaml"}, 1,
			"error: address localhost: missing port in address\n",
		},
		{"address: taken", []string{"-self-signed", "-listen", busy.Addr().String(), "crd.yaml"}, 1, "error: listen tcp 127.0.0.1:"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Second, errors.New("it serves"))
			defer cancel()
			var stdout, stderr bytes.Buffer
			require.Equal(t, tt.code, run(ctx, tt.args, &stdout, &stderr))
			require.Truef(t, strings.HasPrefix(stderr.String(), tt.stderr), "%s", &stderr)
			require.Empty(t, stdout.String())
			require.NoError(t, ctx.Err())
		})
	}
}
