package server

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"sync"
	"time"
)

// RoundTripper returns a transport for clients in the same process. The server answers their requests without a network
// and without a token, and ignores the host in their URLs. Watches are streams, as over a network. The transport is
// safe for concurrent use. After [Server.Close], requests are answered with 503.
func (s *Server) RoundTripper() http.RoundTripper { return transport{s} }

type transport struct{ s *Server }

// RoundTrip implements [http.RoundTripper].
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	body := r.Body
	if body == nil {
		body = http.NoBody
	}
	if err := r.Context().Err(); err != nil {
		body.Close()
		return nil, err
	}
	ctx, cancel := context.WithCancel(r.Context())
	in := r.Clone(ctx)
	in.Body = body
	in.URL = &url.URL{Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}
	in.RequestURI, in.RemoteAddr = in.URL.RequestURI(), localAddress
	if in.Host == "" {
		in.Host = r.URL.Host
	}
	a := newAnswer(r.Context(), cancel)
	a.bodiless = r.Method == http.MethodHead
	end, ok := t.s.begin() // Close also waits for the rest of the goroutine below
	if !ok {
		end = func() {}
	}
	go func() {
		defer end()
		defer a.finish()
		defer body.Close()
		t.s.serve(a, in, true)
	}()
	select {
	case <-a.headerSent:
	case <-r.Context().Done():
		a.Close()
		return nil, r.Context().Err()
	}
	return a.response(r), nil
}

// localAddress is the remote address of requests without a network.
const localAddress = "127.0.0.1:0"

// maxUnread is the size of the unread part of a stream at which writes wait for the reader.
const maxUnread = 64 << 10

// An answer is both sides of a response: an [http.ResponseWriter] for the server, and the body of the response for the
// client. Without a flush the body is buffered as a whole. After the first flush it is a stream, and writes wait for
// the reader.
type answer struct {
	client     context.Context    // ends reads
	cancel     context.CancelFunc // ends the request
	stop       func() bool        // of context.AfterFunc(client)
	bodiless   bool               // HEAD
	header     http.Header        // the writer's
	headerSent chan struct{}      // closed when code and sent are set
	code       int
	sent       http.Header

	mu       sync.Mutex
	changed  sync.Cond // a field below has changed
	unread   []byte
	stream   bool
	deadline time.Time // of writes
	timer    *time.Timer
	err      error // of writes, and of reads once unread is empty
}

// errClosed is the error after the reader has closed the body.
var errClosed = errors.New("http: read on closed response body")

func newAnswer(client context.Context, cancel context.CancelFunc) *answer {
	a := &answer{client: client, cancel: cancel, header: http.Header{}, headerSent: make(chan struct{})}
	a.changed.L = &a.mu
	a.stop = context.AfterFunc(client, func() { a.fail(context.Cause(client)) })
	return a
}

// response returns the client's side of the answer. The header must have been written.
func (a *answer) response(r *http.Request) *http.Response {
	length := int64(-1)
	if n, err := strconv.ParseInt(a.sent.Get("Content-Length"), 10, 64); err == nil {
		length = n
	}
	return &http.Response{
		Status: strconv.Itoa(a.code) + " " + http.StatusText(a.code), StatusCode: a.code,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: a.sent, Body: a, ContentLength: length, Request: r,
	}
}

// fail ends reads and writes with err, unless they have already ended.
func (a *answer) fail(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err == nil {
		a.err = err
	}
	a.changed.Broadcast()
}

// finish is called after the last write.
func (a *answer) finish() {
	if p := recover(); p != nil { // http.ErrAbortHandler
		a.fail(io.ErrUnexpectedEOF)
	}
	a.WriteHeader(http.StatusOK)
	if err := a.client.Err(); err != nil { // the handler may return before the function in stop has run
		a.fail(err)
	}
	a.fail(io.EOF)
	_ = a.SetWriteDeadline(time.Time{}) // stops the timer
	a.stop()
	a.cancel()
}

// Header implements [http.ResponseWriter].
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements [http.ResponseWriter].
func (a *answer) WriteHeader(code int) {
	select {
	case <-a.headerSent:
		return
	default:
	}
	a.code, a.sent = code, a.header.Clone()
	close(a.headerSent)
}

// Write implements [http.ResponseWriter].
func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.stream && len(a.unread) >= maxUnread && a.err == nil {
		if !a.deadline.IsZero() && !time.Now().Before(a.deadline) {
			return 0, os.ErrDeadlineExceeded
		}
		a.changed.Wait()
	}
	if a.err != nil {
		return 0, a.err
	}
	if !a.bodiless {
		a.unread = append(a.unread, b...)
		a.changed.Broadcast()
	}
	return len(b), nil
}

// FlushError is called by [http.ResponseController].
func (a *answer) FlushError() error {
	a.WriteHeader(http.StatusOK)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stream = true
	return a.err
}

// SetReadDeadline is called by [http.ResponseController]. It does nothing, since requests are in memory.
func (a *answer) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline is called by [http.ResponseController].
func (a *answer) SetWriteDeadline(t time.Time) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.deadline = t
	if a.timer != nil {
		a.timer.Stop()
	}
	if !t.IsZero() {
		a.timer = time.AfterFunc(time.Until(t), a.changed.Broadcast)
	}
	return nil
}

// Read implements [io.Reader] for the client.
func (a *answer) Read(b []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(a.unread) == 0 && a.err == nil && len(b) > 0 {
		a.changed.Wait()
	}
	if a.err == errClosed || len(a.unread) == 0 && len(b) > 0 {
		return 0, a.err
	}
	n := copy(b, a.unread)
	if a.unread = a.unread[n:]; len(a.unread) == 0 {
		a.unread = nil
	}
	a.changed.Broadcast()
	return n, nil
}

// Close implements [io.Closer] for the client. It ends the request.
func (a *answer) Close() error {
	a.mu.Lock()
	a.err, a.unread = errClosed, nil
	a.changed.Broadcast()
	a.mu.Unlock()
	a.cancel()
	return nil
}
