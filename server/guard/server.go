package guard

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/crdkit/crdkit/server/internal/limits"
)

// Server returns a server with timeouts against slow and silent clients. It serves a listener of [Guard.Listen], and a
// handler of [Guard.Handler].
func (g *Guard) Server(handler http.Handler, config *tls.Config) *http.Server {
	return &http.Server{
		Handler: handler, TLSConfig: config, ErrorLog: g.log,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,             // bodies have a shorter one
		WriteTimeout:      longest + 2*toRead + toWrite, // from the end of the header
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		HTTP2: &http.HTTP2Config{
			// The unread bytes of all streams of a connection: streams that wait for memory must not block others.
			MaxConcurrentStreams:          50,
			MaxReceiveBufferPerStream:     64 << 10,
			MaxReceiveBufferPerConnection: 50 * 64 << 10,
		},
		ConnContext: limits.ConnContext,
	}
}

// Listen returns a listener with a limited number of connections.
func (g *Guard) Listen(l net.Listener) net.Listener { return limits.Listen(l, g.connections) }

// grace is how long Serve waits for requests in progress.
const grace = 10 * time.Second

// Serve serves HTTPS on a listener, with the limits of the guard, until ctx ends. Then it waits up to ten seconds for the
// requests in progress. It closes the listener.
func (g *Guard) Serve(ctx context.Context, l net.Listener, handler http.Handler, config *tls.Config) error {
	h := g.Server(handler, config)
	failed := make(chan error, 1)
	go func() { failed <- h.ServeTLS(g.Listen(l), "", "") }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if err := h.Shutdown(wait); err != nil {
		return errors.Join(err, h.Close())
	}
	return nil
}

// ListenAndServeTLS listens on a TCP address, such as :8443, and serves HTTPS there as [Guard.Serve] does, with the
// certificate and the key in two files: see [CertificateFiles]. It logs the address first.
func (g *Guard) ListenAndServeTLS(ctx context.Context, address string, handler http.Handler, cert, key string) error {
	config, err := CertificateFiles(cert, key)
	if err != nil {
		return err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	g.log.Printf("listening on https://%s", l.Addr())
	return g.Serve(ctx, l, handler, config)
}

// CertificateFiles returns a configuration for the certificate and the key in two files of PEM. They are read at each
// handshake (there are few), so that a renewed certificate needs no restart.
func CertificateFiles(cert, key string) (*tls.Config, error) {
	read := func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		pair, err := tls.LoadX509KeyPair(cert, key)
		return &pair, err
	}
	if _, err := read(nil); err != nil {
		return nil, err
	}
	return &tls.Config{GetCertificate: read, MinVersion: tls.VersionTLS12}, nil
}
