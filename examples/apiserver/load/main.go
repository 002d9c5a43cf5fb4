// Load puts the server under load and kills it, and says what came of that:
//
//	go run ./load
//
// First, clients write and watch for some minutes: all of them count up the same few objects, each reading one and writing it back, and
// create and delete others. In the end no increment may be missing, and each watch must have had every change exactly once.
//
// Then the server is killed with SIGKILL in the middle of writes, over and over. After each time, whatever was acknowledged has to be
// there, and the watch goes on where it was.
//
// The exit code is 1 if something is not as it must be.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"
)

func main() {
	var o options
	flag.IntVar(&o.clients, "clients", 8, "how many write, and how many watch")
	flag.DurationVar(&o.duration, "duration", 2*time.Minute, "how long they do")
	flag.IntVar(&o.kills, "kills", 50, "how often the server is killed")
	flag.StringVar(&o.server, "server", "", "the server's `BINARY` (default: it is built)")
	flag.StringVar(&o.etcd, "etcd", "", "`ENDPOINTS` of an etcd cluster to use instead of a file")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := o.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

type options struct {
	clients, kills int
	duration       time.Duration
	server, etcd   string
}

func (o options) run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "apiserver-load-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if o.server == "" {
		o.server = filepath.Join(dir, "apiserver")
		if err := build(ctx, o.server); err != nil {
			return err
		}
	}
	p := &process{binary: o.server, dir: dir, etcd: o.etcd}
	defer p.kill()
	if err := p.start(ctx); err != nil {
		return err
	}
	if err := p.client().define(ctx); err != nil {
		return err
	}
	return errors.Join(o.mixed(ctx, p), o.crashes(ctx, p))
}
