// Audit reports which stored objects a CustomResourceDefinition breaks, or a change of it:
//
//	kubectl get widgets -A -o json | go run ./audit -crd widgets.yaml
//	go run ./audit -crd new.yaml -old old.yaml -snapshot snapshot.db
//	go run ./audit -crd widgets.yaml -file objects.db
//	go run ./audit -crd widgets.yaml -etcd 127.0.0.1:2379
//
// The exit code is 1 if an object breaks (by the change, with an old definition) or cannot be read.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/crdkit/crdkit/audit"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/examples/apiserver/internal/stored"
	"github.com/crdkit/crdkit/server"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

type options struct {
	crd, old             string // files
	file, snapshot, etcd string // sources
	prefix               string
}

// run is the program. It returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("audit", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var o options
	flags.StringVar(&o.crd, "crd", "", "`FILE` with the definition")
	flags.StringVar(&o.old, "old", "", "`FILE` with the definition that the objects were stored under")
	flags.StringVar(&o.file, "file", "", "`FILE` of an example server that is not running")
	flags.StringVar(&o.snapshot, "snapshot", "", "`FILE` of etcdctl snapshot save")
	flags.StringVar(&o.etcd, "etcd", "", "`ENDPOINTS` of a live etcd, with commas between")
	flags.StringVar(&o.prefix, "prefix", "", "`PREFIX` of the objects' keys (default: that of Kubernetes, or of the example server for -file)")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case o.crd == "" || flags.NArg() > 0:
		flags.Usage()
		return 2
	}
	report, err := o.run(ctx, stdin)
	if report != nil {
		fmt.Fprint(stdout, report)
	}
	switch {
	case err != nil:
		fmt.Fprintln(stderr, "error:", err)
		return 2
	case report.New > 0 || report.Damaged > 0:
		return 1
	}
	return 0
}

func (o *options) run(ctx context.Context, stdin io.Reader) (*audit.Report, error) {
	d, err := definition(o.crd)
	if err != nil {
		return nil, err
	}
	var old *crd.CustomResourceDefinition
	if o.old != "" {
		if old, err = definition(o.old); err != nil {
			return nil, err
		}
	}
	a, err := audit.New(d, &audit.Options{Old: old})
	if err != nil {
		return nil, err
	}
	objects, done, err := o.objects(ctx, d, stdin)
	if err != nil {
		return nil, err
	}
	defer done()
	return a.Run(ctx, objects)
}

func definition(file string) (*crd.CustomResourceDefinition, error) {
	document, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	d, err := crd.Parse(document)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return d, nil
}

// objects returns the source of objects, and a function that closes it.
func (o *options) objects(ctx context.Context, d *crd.CustomResourceDefinition, stdin io.Reader) (_ iter.Seq2[[]byte, error], done func(), err error) {
	kubernetes := cmp.Or(o.prefix, "/registry/"+d.Spec.Group+"/"+d.Spec.Names.Plural+"/")
	done = func() {}
	switch {
	case o.file != "":
		return stored.File(o.file, cmp.Or(o.prefix, server.KeyPrefix(d))), done, nil
	case o.snapshot != "":
		return stored.Snapshot(o.snapshot, kubernetes), done, nil
	case o.etcd != "":
		client, err := clientv3.New(clientv3.Config{Endpoints: strings.Split(o.etcd, ","), DialTimeout: 5 * time.Second, Logger: zap.NewNop()})
		if err != nil {
			return nil, nil, err
		}
		return stored.Etcd(ctx, client, kubernetes), func() { client.Close() }, nil
	}
	return audit.Objects(stdin), done, nil
}
