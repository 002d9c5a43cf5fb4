package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// An instance is a server that runs in the test's process, with the files of a user.
type instance struct {
	kubeconfig, home string
	path             string // the PATH for kubectl
}

// start starts a server that ends with the test.
func start(t *testing.T, args ...string) *instance {
	t.Helper()
	dir := t.TempDir()
	s := &instance{kubeconfig: filepath.Join(dir, "kubeconfig"), home: dir, path: os.Getenv("PATH")}
	s.run(t, append([]string{"-data", filepath.Join(dir, "db"), "-kubeconfig", s.kubeconfig}, args...)...)
	return s
}

// run starts the program and returns a function that ends it. It also ends with the test.
func (s *instance) run(t *testing.T, args ...string) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var stdout, stderr buffer
	code := make(chan int, 1)
	go func() { code <- run(ctx, args, &stdout, &stderr) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if c := <-code; c != 0 {
			t.Errorf("the server ended with %d: %s", c, &stderr)
		}
		for line := range strings.Lines(stderr.String()) {
			if strings.Contains(line, "level=ERROR") {
				t.Error(line)
			}
		}
	})
	t.Cleanup(stop)
	require.Eventually(t, func() bool { return strings.Contains(stdout.String(), "kubectl apply") }, 10*time.Second, time.Millisecond,
		"the server has not started")
	return stop
}

// buffer is a bytes.Buffer that is safe for concurrent use.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// member returns a value of the kubeconfig.
func (s *instance) member(t *testing.T, name string) string {
	t.Helper()
	kubeconfig, err := os.ReadFile(s.kubeconfig)
	require.NoError(t, err)
	_, value, ok := strings.Cut(string(kubeconfig), `"`+name+`": "`)
	require.True(t, ok, name)
	value, _, _ = strings.Cut(value, `"`)
	return value
}

// client returns what a client needs besides the token.
func (s *instance) client(t *testing.T) (config *tls.Config, address string) {
	t.Helper()
	authority, err := base64.StdEncoding.DecodeString(s.member(t, "certificate-authority-data"))
	require.NoError(t, err)
	trusted := x509.NewCertPool()
	require.True(t, trusted.AppendCertsFromPEM(authority))
	return &tls.Config{RootCAs: trusted, ServerName: "localhost"}, strings.TrimPrefix(s.member(t, "server"), "https://")
}

func (s *instance) token(t *testing.T) string { return s.member(t, "token") }

// env is the environment of a user of the server.
func (s *instance) env() []string {
	return append(os.Environ(), "KUBECONFIG="+s.kubeconfig, "HOME="+s.home, "KUBECACHEDIR="+s.home+"/cache", "PATH="+s.path)
}

// kubectlWarning is the warning that some versions of kubectl print for servers that are much newer.
func (s *instance) kubectlWarning() string { return "" }

func needKubectl(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("kubectl"); err != nil {
		t.Skip("there is no kubectl in PATH: what it would do is not tested")
	}
	if testing.Short() {
		t.Skip("kubectl takes its time: not with -short")
	}
}

func TestFilesAreForTheirOwnerOnly(t *testing.T) {
	s := start(t)
	for _, file := range []string{s.kubeconfig, filepath.Join(s.home, "db")} {
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode(), file)
	}
}

func TestRestart(t *testing.T) {
	needKubectl(t)
	dir := t.TempDir()
	s := &instance{kubeconfig: filepath.Join(dir, "kubeconfig"), home: dir, path: os.Getenv("PATH")}
	args := []string{"-data", filepath.Join(dir, "db"), "-kubeconfig", s.kubeconfig}
	stop := s.run(t, args...)
	s.sh(t, dir, "kubectl create namespace kept")
	watch := s.background(t, dir, "kubectl get ns -w")
	require.Eventually(t, func() bool { return strings.Contains(watch.String(), "kept") }, 10*time.Second, 10*time.Millisecond)
	began := time.Now()
	stop()
	require.Less(t, time.Since(began), 5*time.Second, "a watch keeps the server from stopping")

	s.run(t, args...)
	require.Contains(t, strings.Join(s.sh(t, dir, "kubectl get ns -o name"), "\n"), "namespace/kept")
}

// A new client takes the place of an idle connection, the oldest without a token first.
func TestConnectionsAreLimited(t *testing.T) {
	s := start(t, "-memory", "-connections", "2")
	config, address := s.client(t)
	dial := func(token string) *tls.Conn {
		c, err := tls.Dial("tcp", address, config)
		require.NoError(t, err)
		t.Cleanup(func() { c.Close() })
		_, err = fmt.Fprintf(c, "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nGET /version HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\n\r\n", token)
		require.NoError(t, err)
		in := bufio.NewReader(c)
		for range 2 {
			response, err := http.ReadResponse(in, nil)
			require.NoError(t, err)
			_, err = io.Copy(io.Discard, response.Body)
			require.NoError(t, err)
		}
		return c
	}
	closed := func(c *tls.Conn) bool {
		_ = c.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
		_, err := c.Read(make([]byte, 1))
		return !errors.Is(err, os.ErrDeadlineExceeded)
	}
	known := dial(s.token(t))
	for range 20 {
		other := dial("")
		require.False(t, closed(other))
	}
	require.False(t, closed(known))
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"help", []string{"-h"}, 0, "-listen ADDRESS"},
		{"an unknown flag", []string{"-x"}, 2, "-x"},
		{"an argument", []string{"more"}, 2, "-data FILE"},
		{"no connections", []string{"-connections", "0"}, 2, "-connections"},
		{"a file that cannot be", []string{"-data", "/nowhere/db"}, 1, "/nowhere/db"},
		{"an address that cannot be", []string{"-data", filepath.Join(t.TempDir(), "db"), "-listen", "127.0.0.1:x"}, 1, "unknown port"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stdout, stderr buffer
			require.Equal(t, c.code, run(t.Context(), c.args, &stdout, &stderr))
			require.Contains(t, stderr.String(), c.want)
		})
	}
}
