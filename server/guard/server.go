package guard

import (
	"crypto/tls"
	"net"
	"net/http"
	"time"

	"github.com/crdkit/crdkit/internal/limits"
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
