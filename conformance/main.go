package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/crdkit/crdkit/internal/scenario"
	"github.com/crdkit/crdkit/server"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var o flags
	flag.IntVar(&o.cases, "cases", 2000, "how many requests to compare, at least")
	flag.Uint64Var(&o.seed, "seed", 1, "chooses other definitions and requests")
	flag.IntVar(&o.only, "scenario", -1, "compare only the scenario with this number")
	flag.StringVar(&o.record, "record", "", "write the requests with the answers of the real server to this file")
	flag.IntVar(&o.show, "show", 5, "how many differences to print")
	flag.DurationVar(&o.shrink, "shrink", 30*time.Second, "how long to make each of them smaller")
	flag.Parse()
	if flag.NArg() > 0 || o.cases < 1 {
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

// run starts both servers, compares them, and reports whether all answers are equal.
func run(ctx context.Context, o flags, w io.Writer) (equal bool, err error) {
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
	ours, err := server.New(ctx, server.Options{CustomOnly: true, KeepGarbage: true})
	if err != nil {
		return false, err
	}
	defer ours.Close()
	library := &http.Client{Transport: ours.RoundTripper()}
	answer, err := library.Post("http://library/api/v1/namespaces", "application/json", strings.NewReader(`{"metadata":{"name":"ns"}}`))
	if err != nil {
		return false, err
	}
	answer.Body.Close()
	c := &comparison{
		flags: o, w: w,
		real:    scenario.Player{Client: real.client, Base: real.base},
		library: scenario.Player{Client: library, Base: "http://library"},
	}
	return c.run(ctx)
}
