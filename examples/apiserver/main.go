// Apiserver is a small API server for CustomResourceDefinitions that stock kubectl works with. It keeps everything in one file:
//
//	go run . -data objects.db
//
// It makes a certificate and a token for as long as it runs, writes a kubeconfig with them beside the file, and prints what to try first.
// -h lists the flags. README.md says what is there and what is not; start reading at internal/server.
package main

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/crdkit/crdkit/examples/apiserver/internal/server"
	"github.com/crdkit/crdkit/examples/apiserver/internal/storage"
	"github.com/crdkit/crdkit/examples/apiserver/internal/storage/bolt"
	"github.com/crdkit/crdkit/examples/apiserver/internal/storage/etcd"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// Options are what the command line says.
type options struct {
	data, kubeconfig string // files
	listen           string
	etcd             string // endpoints, with commas between; empty: data
	connections      int
}

// run is the program. It ends when ctx does, and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("apiserver", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var o options
	flags.StringVar(&o.data, "data", "apiserver.db", "`FILE` that holds all objects; it is made if it is not there")
	flags.StringVar(&o.listen, "listen", "127.0.0.1:0", "`ADDRESS` to listen on; port 0 is a free one")
	flags.StringVar(&o.etcd, "etcd", "", "`ENDPOINTS` of an etcd cluster to keep objects in, instead of the file: 127.0.0.1:2379,...")
	flags.StringVar(&o.kubeconfig, "kubeconfig", "", "`FILE` to write for kubectl (default: the data file with .kubeconfig behind)")
	flags.IntVar(&o.connections, "connections", 1000, "how many there may be at once")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case flags.NArg() > 0 || o.connections <= 0:
		flags.Usage()
		return 2
	}
	if o.kubeconfig == "" {
		o.kubeconfig = o.data + ".kubeconfig"
	}
	if err := o.run(ctx, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "error:", err)
		return 1
	}
	return 0
}

// run serves until ctx ends.
func (o options) run(ctx context.Context, stdout, stderr io.Writer) (err error) {
	store, err := o.store(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	token, err := randomToken()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", o.listen)
	if err != nil {
		return err
	}
	authority, certificate, err := certificates(listener.Addr())
	if err != nil {
		listener.Close()
		return err
	}
	api, err := server.New(ctx, store, server.Options{Token: token, Log: slog.New(slog.NewTextHandler(stderr, nil))})
	if err != nil {
		listener.Close()
		return err
	}
	if err := writeKubeconfig(o.kubeconfig, listener.Addr(), authority, token); err != nil {
		listener.Close()
		return err
	}
	o.greet(stdout, listener.Addr())

	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	running.Go(func() { api.Run(background) })
	defer running.Wait()
	defer stop()
	config := &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	return serve(ctx, limit(listener, o.connections), newServer(api, config, stderr), api)
}

func (o options) store(ctx context.Context) (storage.Store, error) {
	if o.etcd != "" {
		return etcd.Open(ctx, strings.Split(o.etcd, ","), etcd.Options{})
	}
	return bolt.Open(o.data, bolt.Options{})
}

// greet says where the server is and what to do with it.
func (o options) greet(stdout io.Writer, addr net.Addr) {
	file := o.kubeconfig
	if abs, err := filepath.Abs(file); err == nil {
		file = abs
	}
	fmt.Fprintf(stdout, `Serving at https://%s

    export KUBECONFIG=%s
    kubectl apply -f crd.yaml          # any CustomResourceDefinition
    kubectl api-resources
    kubectl explain RESOURCE --recursive
    kubectl apply -f object.yaml
    kubectl get RESOURCE --watch

`, addr, file)
}

// newServer returns a server with the limits that it takes against slow and silent clients. Watches set their own.
func newServer(handler http.Handler, config *tls.Config, logTo io.Writer) *http.Server {
	return &http.Server{
		Handler: handler, TLSConfig: config,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      90 * time.Second, // since the header was read
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          log.New(logTo, "", log.LstdFlags),
	}
}

// serve serves until ctx ends, and then ends the watches and waits for the other requests under way, but not for long.
func serve(ctx context.Context, listener net.Listener, s *http.Server, api *server.Server) error {
	failed := make(chan error, 1)
	go func() { failed <- s.ServeTLS(listener, "", "") }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	api.EndWatches()
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := s.Shutdown(grace); err != nil {
		return errors.Join(err, s.Close())
	}
	return nil
}

// limit lets no more than n connections be open at once: further ones wait to be accepted.
func limit(l net.Listener, n int) net.Listener {
	return &limited{Listener: l, places: make(chan struct{}, n), closed: make(chan struct{})}
}

type limited struct {
	net.Listener
	places chan struct{}
	once   sync.Once
	closed chan struct{}
}

func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.places
		return nil, err
	}
	return &counted{Conn: c, leave: sync.OnceFunc(func() { <-l.places })}, nil
}

func (l *limited) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// counted is a connection that leaves its place when it is closed.
type counted struct {
	net.Conn
	leave func()
}

func (c *counted) Close() error {
	defer c.leave()
	return c.Conn.Close()
}
