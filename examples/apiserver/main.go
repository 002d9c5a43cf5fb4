// Apiserver is a small API server for CustomResourceDefinitions, for use with kubectl. It stores everything in one
// file, in etcd or in memory:
//
//	go run . -data objects.db
//
// It creates a certificate and a token, which are valid while it runs, writes a kubeconfig with them next to the file,
// and prints some commands to try. -h lists the flags. See README.md for more. The server itself is package server of
// this repository.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/crdkit/crdkit/examples/apiserver/internal/storage/bolt"
	"github.com/crdkit/crdkit/examples/apiserver/internal/storage/etcd"
	"github.com/crdkit/crdkit/server"
	"github.com/crdkit/crdkit/server/storage"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// Options are the options of the command line.
type options struct {
	data, kubeconfig string // files
	listen           string
	certificates     string // directory; empty: none
	memory           bool   // instead of data
	rbac             bool
	etcd, prefix     string // comma-separated endpoints, instead of data; and the prefix of keys
	connections      int
	memoryLimit      int64 // MiB
}

// run runs the program until ctx is done, and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("apiserver", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var o options
	flags.StringVar(&o.data, "data", "apiserver.db", "`FILE` that holds all objects; it is made if it is not there")
	flags.StringVar(&o.listen, "listen", "127.0.0.1:0", "`ADDRESS` to listen on; port 0 is a free one")
	flags.StringVar(&o.certificates, "certificates", "",
		"`DIR` of certificates and token, which are made if they are not there (default: new ones at each start)")
	flags.StringVar(&o.etcd, "etcd", "", "`ENDPOINTS` of an etcd cluster to keep objects in, instead of the file: 127.0.0.1:2379,...")
	flags.StringVar(&o.prefix, "etcd-prefix", "", "what the keys in etcd begin with (default /crdkit)")
	flags.BoolVar(&o.memory, "memory", false, "keep objects in memory, for as long as the server runs")
	flags.BoolVar(&o.rbac, "rbac", false, "let roles and bindings decide what users may do who have not the token")
	flags.StringVar(&o.kubeconfig, "kubeconfig", "", "`FILE` to write for kubectl (default: the data file with .kubeconfig behind)")
	flags.IntVar(&o.connections, "connections", 2000, "how many there may be at once; at most half of them for watches")
	flags.Int64Var(&o.memoryLimit, "memory-limit", 0, "`MiB` of memory to use, besides stored objects; 0 is what GOMEMLIMIT says, or 512 without it")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case flags.NArg() > 0 || o.connections <= 0 || o.memoryLimit < 0 || o.memory && o.etcd != "" || o.prefix != "" && o.etcd == "":
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
	host, _, err := net.SplitHostPort(o.listen)
	if err != nil {
		return err
	}
	credentials, err := o.credentials(host)
	if err != nil {
		return err
	}
	api, err := server.New(ctx, server.Options{
		Store: store, Token: credentials.Token, RBAC: o.rbac, Log: slog.New(slog.NewTextHandler(stderr, nil)),
		Connections: o.connections, Watches: max(1, o.connections/2), Memory: o.limitMemory() / 4, // connections and the collector need as much
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, api.Close()) }()
	listener, err := net.Listen("tcp", o.listen)
	if err != nil {
		return err
	}
	// Clients may use the kubeconfig now: the listener queues connections until Serve.
	if err := writeFile(o.kubeconfig, credentials.Kubeconfig("https://"+listener.Addr().String())); err != nil {
		listener.Close()
		return err
	}
	o.greet(stdout, listener.Addr())
	return api.Serve(ctx, listener, credentials.ServerTLS())
}

// limitMemory sets the soft limit of the runtime, and returns it in bytes.
func (o options) limitMemory() int64 {
	limit := o.memoryLimit << 20
	if limit == 0 {
		if limit = debug.SetMemoryLimit(-1); limit == math.MaxInt64 {
			limit = 512 << 20
		}
	}
	debug.SetMemoryLimit(limit)
	return limit
}

// credentials returns the credentials in the directory of the flag or, without the flag, new ones that are not saved.
func (o options) credentials(host string) (*server.Credentials, error) {
	if net.ParseIP(host).IsUnspecified() {
		host = "" // NewCredentials ignores it
	}
	if o.certificates == "" {
		return server.NewCredentials(host)
	}
	return server.LoadCredentials(o.certificates, host)
}

func (o options) store(ctx context.Context) (storage.Store, error) {
	switch {
	case o.memory:
		return storage.NewMemory(storage.MemoryOptions{}), nil
	case o.etcd != "":
		return etcd.Open(ctx, strings.Split(o.etcd, ","), etcd.Options{Prefix: o.prefix})
	}
	return bolt.Open(o.data, bolt.Options{})
}

// greet prints the server's address and how to use it.
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

// writeFile writes a file that only its owner can read. It creates a new file, so the mode and the owner of an old one
// do not matter.
func writeFile(name string, text []byte) error {
	temporary, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name())
	_, err = temporary.Write(text)
	if err := errors.Join(err, temporary.Close()); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), name) // CreateTemp made it 0600
}
