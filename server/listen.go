package server

import (
	"context"
	"crypto/tls"
	"errors"
	"log"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/crdkit/crdkit/server/internal/limits"
)

// grace is how long Serve waits for requests in progress.
const grace = 10 * time.Second

// Serve serves HTTPS on a listener until ctx is done, with timeouts for slow and idle clients. If there are more than
// [Options].Connections, an idle one is closed for each new one: one that has sent nothing, or else one without a
// request, or else one without a token, or else one without a watch, or else any. Then it closes the
// listener, ends the watches, waits up to ten seconds for the other requests, and returns nil if they have ended. After
// [Server.Close] it returns without waiting. The caller must call [Server.Close] in any case.
func (s *Server) Serve(ctx context.Context, l net.Listener, config *tls.Config) error {
	h := &http.Server{
		Handler: s, TLSConfig: config,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      s.options.Timeout + s.patience, // since the header was read; watches set their own deadlines
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    maxURL,
		ConnContext:       limits.ConnContext,
		HTTP2: &http.HTTP2Config{
			// What a connection sends before the server reads it.
			MaxReceiveBufferPerStream:     64 << 10,
			MaxReceiveBufferPerConnection: 250 * 64 << 10,
		},
		ErrorLog: s.connectionLog(),
	}
	failed := make(chan error, 1)
	go func() { failed <- h.ServeTLS(limits.Listen(l, s.connections), "", "") }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	if s.ctx.Err() != nil { // Close has ended all requests
		err := h.Close()
		<-failed
		return err
	}
	s.EndWatches()
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	err := h.Shutdown(grace)
	if err != nil {
		err = errors.Join(err, h.Close())
	}
	<-failed
	return err
}

// connectionLog returns a log for the errors of connections. Clients cause them, so their rate is limited.
func (s *Server) connectionLog() *log.Logger {
	to := slog.NewLogLogger(s.log.Handler(), slog.LevelWarn)
	return log.New(limits.NewLog(to.Writer()), "", 0)
}
