package guard

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
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
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			if secure, ok := c.(*tls.Conn); ok {
				c = secure.NetConn()
			}
			if c, ok := c.(*connection); ok {
				return context.WithValue(ctx, connectionKey{}, c)
			}
			return ctx
		},
	}
}

// Listen returns a listener with a limited number of connections.
func (g *Guard) Listen(l net.Listener) net.Listener { return &listener{l, &g.connections} }

type listener struct {
	net.Listener
	open *crowd
}

func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if m := l.open.enter(func() { c.Close() }); m != nil {
			return &connection{Conn: c, member: m}, nil
		}
		c.Close()
	}
}

// A connection is a member of its crowd until it is closed.
type connection struct {
	net.Conn
	member *member
	heard  sync.Once
}

type connectionKey struct{}

func (c *connection) Read(p []byte) (n int, err error) {
	n, err = c.Conn.Read(p)
	if n > 0 {
		c.heard.Do(func() { c.member.reach(heard) })
	}
	return n, err
}

func (c *connection) Close() error {
	c.member.leave()
	return c.Conn.Close()
}
