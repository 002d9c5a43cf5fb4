package main

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/crdkit/crdkit/examples/webhook/admission"
	"github.com/crdkit/crdkit/server"
	"github.com/crdkit/crdkit/server/guard"
)

const usage = `Usage: webhook (-cert FILE -key FILE | -self-signed) [flags] CRD...

An admission webhook that defaults, prunes and validates custom resources as an API server would that has
the CustomResourceDefinitions in the files CRD (YAML or JSON, any number of documents). It answers at the
paths /mutate and /validate, until it is interrupted.

`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run runs the program until ctx is done, and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("webhook", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	var o options
	flags.StringVar(&o.listen, "listen", "127.0.0.1:8443", "`ADDRESS` to listen on")
	flags.StringVar(&o.cert, "cert", "", "`FILE` with the certificate, in PEM; it may be renewed while the webhook runs")
	flags.StringVar(&o.key, "key", "", "`FILE` with the certificate's key, in PEM")
	flags.BoolVar(&o.selfSigned, "self-signed", false, "for trying out: make a certificate, and print the caBundle for it")
	flags.BoolVar(&o.failClosed, "fail-closed", false, "deny objects of resources that no CRD defines, instead of a warning")
	flags.Int64Var(&o.memory, "memory", 0, "`MiB` of memory to use; 0 is what GOMEMLIMIT says, or 512 without it")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	o.definitions = flags.Args()
	if problem := o.problem(); problem != "" {
		fmt.Fprintln(stderr, problem)
		flags.Usage()
		return 2
	}
	if err := o.run(ctx, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "error:", err)
		return 1
	}
	return 0
}

// Options are the options of the command line.
type options struct {
	listen      string
	cert, key   string // files
	selfSigned  bool
	failClosed  bool
	memory      int64    // in MiB
	definitions []string // files
}

// minMemory is enough for the definitions and one large review.
const minMemory = 64

// problem returns an error message if the options cannot be combined, or "".
func (o options) problem() string {
	switch {
	case (o.cert == "") != (o.key == ""):
		return "-cert and -key go together"
	case (o.cert == "") != o.selfSigned:
		return "either -cert and -key are needed or -self-signed"
	case o.memory != 0 && o.memory < minMemory:
		return fmt.Sprintf("-memory must be %d or more", minMemory)
	case len(o.definitions) == 0:
		return "a file of CustomResourceDefinitions is needed"
	}
	return ""
}

// run serves until ctx ends. It prints the address to stdout.
func (o options) run(ctx context.Context, stdout, stderr io.Writer) error {
	served, err := admission.Load(o.definitions)
	if err != nil {
		return err
	}
	config, caBundle, err := o.tls()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", o.listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "listening on https://%s/mutate and /validate\n", listener.Addr())
	if caBundle != nil {
		fmt.Fprintf(stdout, "caBundle: %s\n", base64.StdEncoding.EncodeToString(caBundle))
	}
	g := guard.New(guard.Limits{Memory: o.memory << 20}, stderr)
	return serve(ctx, g.Listen(listener), g.Server(handler(g, admission.Webhook{Served: served, FailClosed: o.failClosed}), config))
}

func handler(g *guard.Guard, w admission.Webhook) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST /mutate", g.Handler(w.Mutate))
	mux.Handle("POST /validate", g.Handler(w.Validate))
	return mux
}

// tls returns the TLS configuration, and the caBundle if it made the certificate.
func (o options) tls() (config *tls.Config, caBundle []byte, err error) {
	if !o.selfSigned {
		config, err = fromFiles(o.cert, o.key)
		return config, nil, err
	}
	host, _, err := net.SplitHostPort(o.listen)
	if err != nil {
		return nil, nil, err
	}
	c, err := server.NewCredentials(host)
	if err != nil {
		return nil, nil, err
	}
	return c.ServerTLS(), c.Authority, nil
}

// fromFiles returns a configuration for the certificate and the key in two files of PEM. They are read at each
// handshake (there are few), so that a renewed certificate needs no restart.
func fromFiles(cert, key string) (*tls.Config, error) {
	read := func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		pair, err := tls.LoadX509KeyPair(cert, key)
		return &pair, err
	}
	if _, err := read(nil); err != nil {
		return nil, err
	}
	return &tls.Config{GetCertificate: read, MinVersion: tls.VersionTLS12}, nil
}

// serve serves until ctx ends, and then waits a short time for the requests in progress.
func serve(ctx context.Context, listener net.Listener, h *http.Server) error {
	failed := make(chan error, 1)
	go func() { failed <- h.ServeTLS(listener, "", "") }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := h.Shutdown(grace); err != nil {
		return errors.Join(err, h.Close())
	}
	return nil
}
