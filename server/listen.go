package server

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// grace is how long Serve waits for requests in progress.
const grace = 10 * time.Second

// Serve serves HTTPS on a listener until ctx is done, with timeouts for slow and idle clients. Then it closes the
// listener, ends the watches, waits up to ten seconds for the other requests, and returns nil if they have ended. After
// [Server.Close] it returns without waiting. The caller must call [Server.Close] in any case.
func (s *Server) Serve(ctx context.Context, l net.Listener, config *tls.Config) error {
	h := &http.Server{
		Handler: s, TLSConfig: config,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      s.options.Timeout + patience, // since the header was read; watches set their own deadlines
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    maxURL,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1)
	go func() { failed <- h.ServeTLS(l, "", "") }()
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
