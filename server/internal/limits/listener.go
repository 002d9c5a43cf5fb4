package limits

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
)

// Listen returns a listener whose connections are members of a crowd. If it is full, an idle connection is closed for a
// new one, or the new one if all are busy.
func Listen(l net.Listener, crowd *Crowd) net.Listener { return &listener{l, crowd} }

type listener struct {
	net.Listener
	open *Crowd
}

func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if m := l.open.Enter(func() { c.Close() }); m != nil {
			return &connection{Conn: c, member: m}, nil
		}
		c.Close()
	}
}

// A connection is a member of its crowd until it is closed.
type connection struct {
	net.Conn
	member *Member
	heard  sync.Once
}

func (c *connection) Read(p []byte) (n int, err error) {
	n, err = c.Conn.Read(p)
	if n > 0 {
		c.heard.Do(func() { c.member.Reach(Heard) })
	}
	return n, err
}

func (c *connection) Close() error {
	c.member.Leave()
	return c.Conn.Close()
}

type connectionKey struct{}

// ConnContext is for [net/http.Server]: it gives the requests of a connection to [Connection].
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	if c, ok := c.(*connection); ok {
		return context.WithValue(ctx, connectionKey{}, c.member)
	}
	return ctx
}

// Connection returns the member that is the connection of a request, if a listener of [Listen] has accepted it.
func Connection(ctx context.Context) (m *Member, ok bool) {
	m, ok = ctx.Value(connectionKey{}).(*Member)
	return m, ok
}
