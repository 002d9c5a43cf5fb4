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
	"os"
	"os/signal"
	"syscall"

	"github.com/crdkit/crdkit/admission"
	"github.com/crdkit/crdkit/registry"
	"github.com/crdkit/crdkit/server"
	"github.com/crdkit/crdkit/server/guard"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	if stop(); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends. It prints the address to stdout.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("webhook (-cert FILE -key FILE | -self-signed) [flags] CRD...", flag.ContinueOnError)
	flags.SetOutput(stderr)
	listen := flags.String("listen", "127.0.0.1:8443", "`ADDRESS` to listen on")
	cert := flags.String("cert", "", "`FILE` with the certificate, in PEM; it may be renewed while the webhook runs")
	key := flags.String("key", "", "`FILE` with the certificate's key, in PEM")
	selfSigned := flags.Bool("self-signed", false, "for trying out: make a certificate, and print the caBundle for it")
	options := &admission.Options{Log: stderr}
	flags.BoolVar(&options.FailClosed, "fail-closed", false, "deny objects of resources that no CRD defines, instead of a warning")
	memory := flags.Int64("memory", 0, "`MiB` of memory to use; 0 is what GOMEMLIMIT says, or 512 without it")
	if err := flags.Parse(args); err != nil {
		return err
	}
	options.Limits.Memory = *memory << 20
	definitions, err := registry.Load(flags.Args()...)
	if err != nil {
		return err
	}
	webhook, err := admission.Compile(definitions, options)
	if err != nil {
		return err
	}
	config, caBundle, err := certificate(*selfSigned, *cert, *key)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", *listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "listening on https://%s%s and %s\n%s", listener.Addr(), admission.MutatePath, admission.ValidatePath, caBundle)
	return webhook.Serve(ctx, listener, config)
}

// certificate returns the TLS configuration, and what to print about a certificate that it makes.
func certificate(selfSigned bool, cert, key string) (config *tls.Config, caBundle string, err error) {
	if !selfSigned {
		config, err = guard.CertificateFiles(cert, key)
		return config, "", err
	}
	c, err := server.NewCredentials()
	if err != nil {
		return nil, "", err
	}
	return c.ServerTLS(), fmt.Sprintf("caBundle: %s\n", base64.StdEncoding.EncodeToString(c.Authority)), nil
}
