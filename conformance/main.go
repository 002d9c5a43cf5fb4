// Conformance asks a running Kubernetes API server and this library the same, and compares the answers.
//
//	go run . -cases 2000                   # the counts, and what differs
//	go run . -seed 2 -cases 10000          # other scenarios
//	go run . -seed 2 -scenario 17          # one of them
//	go run . -webhooks                     # with conversion webhooks that misbehave
//	go run . -cases 400 -record FILE       # also write the server's answers
//
// The server is apiextensions-apiserver v0.37.2 on an embedded etcd. Both run in this process and listen on 127.0.0.1
// only; their data is deleted at the end. The program ends with 1 if an answer differs.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/crdkit/crdkit/conformance/internal/comparison"
	"github.com/crdkit/crdkit/internal/test/scenario"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var o comparison.Options
	flag.IntVar(&o.Cases, "cases", 2000, "how many requests to compare, at least")
	flag.Uint64Var(&o.Seed, "seed", 1, "chooses other definitions and requests")
	flag.IntVar(&o.Only, "scenario", -1, "compare only the scenario with this number")
	flag.BoolVar(&o.Hooks, "webhooks", false, "compare the answers with conversion webhooks that misbehave")
	flag.StringVar(&o.Record, "record", "", "write the requests with the answers of the real server to this file")
	flag.IntVar(&o.Show, "show", 5, "how many differences to print")
	flag.DurationVar(&o.Shrink, "shrink", 30*time.Second, "how long to make each of them smaller")
	flag.Parse()
	if flag.NArg() > 0 || o.Cases < 1 {
		flag.Usage()
		os.Exit(2)
	}
	equal, err := run(ctx, o, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
	}
	if err != nil || !equal {
		os.Exit(1)
	}
}

// run starts the real server, compares, and reports whether all answers are equal.
func run(ctx context.Context, o comparison.Options, w io.Writer) (equal bool, err error) {
	dir, err := os.MkdirTemp("", "conformance-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	start := time.Now()
	real, err := startReal(dir)
	if err != nil {
		return false, err
	}
	defer func() {
		if stopped := real.stop(); err == nil {
			err = stopped
		}
	}()
	fmt.Fprintf(w, "apiextensions-apiserver v0.37.2 at %s, started in %v\n", real.base, time.Since(start).Round(100*time.Millisecond))
	return comparison.Run(ctx, o, scenario.Player{Client: real.client, Base: real.base}, w)
}
