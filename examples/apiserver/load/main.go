// Load puts the server under load, kills it, and checks that nothing was lost:
//
//	go run ./load
//
// First, clients write and watch for some minutes: all of them increment the same few objects by reading and updating
// them, and create and delete others. In the end no increment may be missing, and each watch must have had every change
// exactly once.
//
// Then the server is repeatedly killed with SIGKILL during writes. After each time, all acknowledged writes must be
// there, and the watch resumes at its position. With several servers on one etcd, one is killed at a time, and the
// clients of the others must see no errors.
//
// The exit code is 1 if a check fails.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
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
	flag.BoolVar(&o.memory, "memory", false, "have the server keep objects in memory; it is not killed then")
	flag.IntVar(&o.servers, "servers", 1, "how many there are, on one etcd")
	flag.StringVar(&o.etcd, "etcd", "", "`ENDPOINTS` of an etcd cluster to use instead of a file")
	flag.Parse()
	if o.servers < 1 || o.clients < o.servers || o.servers > 1 && o.etcd == "" || o.memory && o.etcd != "" {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := o.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

type options struct {
	clients, kills, servers int
	duration                time.Duration
	server, etcd            string
	memory                  bool
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
	prefix := "/" + filepath.Base(dir) // only for this run
	var servers []*process
	for i := range o.servers {
		p := &process{binary: o.server, files: filepath.Join(dir, fmt.Sprint(i)), etcd: o.etcd, prefix: prefix, memory: o.memory}
		defer p.kill()
		if err := p.start(ctx); err != nil {
			return err
		}
		servers = append(servers, p)
	}
	if err := define(ctx, servers); err != nil {
		return err
	}
	err = o.mixed(ctx, servers)
	if o.memory {
		return err
	}
	return errors.Join(err, o.crashes(ctx, servers))
}

// define installs the definition of counters, and returns when all servers know it.
func define(ctx context.Context, servers []*process) error {
	if err := servers[0].client().define(ctx); err != nil {
		return err
	}
	for _, p := range servers {
		for _, _, err := p.client().list(ctx); err != nil; _, _, err = p.client().list(ctx) {
			if !is(err, http.StatusNotFound) {
				return err
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	return nil
}
