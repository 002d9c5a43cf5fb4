package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/crdkit/crdkit/admission"
	"github.com/crdkit/crdkit/registry"
	"github.com/crdkit/crdkit/server"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stderr)
	if stop(); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends.
func run(ctx context.Context, args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("webhook [flags] CRD...", flag.ContinueOnError)
	flags.SetOutput(stderr)
	listen := flags.String("listen", "127.0.0.1:8443", "`ADDRESS` to listen on")
	certs := flags.String("certs", "certs", "`DIR` with tls.crt and tls.key, which may be renewed while the webhook runs")
	selfSigned := flags.Bool("self-signed", false, "for trying out: make them if DIR does not have them, and ca.crt for clients")
	options := &admission.Options{Log: stderr}
	flags.BoolVar(&options.FailClosed, "fail-closed", false, "deny objects of resources that no CRD defines, instead of a warning")
	if err := flags.Parse(args); err != nil {
		return err
	}
	definitions, err := registry.Load(flags.Args()...)
	if err != nil {
		return err
	}
	webhook, err := admission.Compile(definitions, options)
	if err != nil {
		return err
	}
	if *selfSigned {
		if _, err := server.LoadCredentials(*certs); err != nil {
			return err
		}
	}
	return webhook.ListenAndServeTLS(ctx, *listen, filepath.Join(*certs, "tls.crt"), filepath.Join(*certs, "tls.key"))
}
