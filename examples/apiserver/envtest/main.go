// Envtest replaces the binaries of envtest, kube-apiserver and etcd, so that suites of controller-runtime run unchanged
// against package server:
//
//	go build -o assets/kube-apiserver ./envtest && cp assets/kube-apiserver assets/etcd
//	KUBEBUILDER_ASSETS=$PWD/assets go test ./...
//
// The name of the binary decides which of the two programs it is. kube-apiserver keeps everything in memory, so etcd
// only answers health checks. It reads the flags that envtest sets for addresses and certificates, and ignores all
// others. Its clients have certificates that the authority of -client-ca-file has signed, or tokens of ServiceAccounts;
// with -authorization-mode=RBAC, which envtest sets, roles and bindings decide what they may do. Deletions reach watches
// after 3 ms. Both programs end with their parent process.
//
// As with envtest's own binaries, there are no controllers: garbage is not collected, namespaces that are deleted stay
// Terminating, and no Pods run. The program writes to standard error what it lacks, once for each kind of request that
// kube-apiserver would have answered differently; KUBEBUILDER_ATTACH_CONTROL_PLANE_OUTPUT=true shows it.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/crdkit/crdkit/server"
	"github.com/crdkit/crdkit/server/storage"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go func() {
		waitForParent(ctx, os.Getppid, time.Second)
		stop()
	}()
	if err := run(ctx, filepath.Base(os.Args[0]), os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// run runs the program with the given name until ctx is done.
func run(ctx context.Context, name string, args []string, stdout, stderr io.Writer) error {
	flags, err := parse(args)
	if err != nil {
		return err
	}
	if _, help := flags["help"]; help { // envtest looks there for flags that not all versions have
		_, err := fmt.Fprintf(stdout, "%s of crdkit reads the flags that envtest sets, and ignores those that it does not know.\n", name)
		return err
	}
	switch name {
	case "kube-apiserver":
		return serve(ctx, flags, stderr)
	case "etcd":
		return beHealthy(ctx, flags)
	}
	return fmt.Errorf("the binary's name says what it is: kube-apiserver or etcd, not %s", name)
}

// waitForParent returns when the parent process has ended, or ctx is done. It is needed because tests that panic or are
// killed do not stop their servers.
func waitForParent(ctx context.Context, parent func() int, interval time.Duration) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for first := parent(); parent() == first; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// parse returns the values of flags of the form --name=value or --name.
func parse(args []string) (map[string]string, error) {
	flags := map[string]string{}
	for _, arg := range args {
		name, ok := strings.CutPrefix(arg, "--")
		if !ok {
			return nil, fmt.Errorf("%q is not of the form --name=value", arg)
		}
		name, value, _ := strings.Cut(name, "=")
		flags[name] = value
	}
	return flags, nil
}

// lacking says what a suite has to know.
const lacking = "in place of kube-apiserver: MutatingAdmissionPolicies have no effect, and no Pods run. " +
	"What is asked for and differs from kube-apiserver follows, once each."

// serve runs kube-apiserver.
func serve(ctx context.Context, flags map[string]string, stderr io.Writer) (err error) {
	certificate, err := tls.LoadX509KeyPair(filepath.Join(flags["cert-dir"], "apiserver.crt"), filepath.Join(flags["cert-dir"], "apiserver.key"))
	if err != nil {
		return err
	}
	text, err := os.ReadFile(flags["client-ca-file"])
	if err != nil {
		return err
	}
	clients := x509.NewCertPool()
	if !clients.AppendCertsFromPEM(text) {
		return fmt.Errorf("%s has no certificate", flags["client-ca-file"])
	}
	credentials, err := server.NewCredentials() // the token is not used: clients have certificates
	if err != nil {
		return err
	}
	notes := log.New(stderr, "crdkit: ", 0) // safe for concurrent use
	notes.Print(lacking)
	store := storage.NewMemory(storage.MemoryOptions{})
	defer func() { err = errors.Join(err, store.Close()) }()
	api, err := server.New(ctx, server.Options{
		Store: slowWatches{store, deletionDelay},
		Token: credentials.Token, Log: slog.New(slog.NewTextHandler(stderr, nil)), Unsupported: func(text string) { notes.Print(text) },
		KeepGarbage: true, KeepNamespaces: true,
		RBAC:     slices.Contains(strings.Split(flags["authorization-mode"], ","), "RBAC"),
		Requests: allRequests,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, api.Close()) }()
	if err := createService(api); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(flags["bind-address"], flags["secure-port"]))
	if err != nil {
		return err
	}
	return api.Serve(ctx, listener, &tls.Config{
		Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12,
		ClientAuth: tls.VerifyClientCertIfGiven, ClientCAs: clients, // none for health checks
	})
}

// allRequests is more than the concurrent requests of any test. The limit is for hostile clients: beyond it, one whose
// body has not arrived gives way to the next.
const allRequests = 10_000

// createService creates the Service kubernetes, which every cluster has for its API.
func createService(api *server.Server) error {
	const service = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"kubernetes","labels":{"component":"apiserver","provider":"kubernetes"}},
		"spec":{"type":"ClusterIP","clusterIP":"10.0.0.1","ports":[{"name":"https","protocol":"TCP","port":443,"targetPort":443}]}}`
	c := &http.Client{Transport: api.RoundTripper()}
	answer, err := c.Post("http://server/api/v1/namespaces/default/services", "application/json", strings.NewReader(service))
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusCreated {
		return fmt.Errorf("the Service kubernetes: %s", answer.Status)
	}
	return nil
}

// beHealthy runs etcd.
func beHealthy(ctx context.Context, flags map[string]string) error {
	address, err := url.Parse(flags["listen-client-urls"])
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", address.Host)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, `{"health":"true"}`) })
	h := &http.Server{Handler: mux}
	stop := context.AfterFunc(ctx, func() { h.Close() })
	defer stop()
	if err := h.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
