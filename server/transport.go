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

// RoundTripper returns a transport for clients in the same process: the server answers their requests without a network, whatever the
// host in their URLs, and without a token. Watches are streams, as over a network. It is safe for concurrent use. After [Server.Close],
// requests are answered with 503.
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
	end, ok := t.s.begin() // so that Close also waits for what comes after the request
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
	case <-a.headed:
	case <-r.Context().Done():
		a.Close()
		return nil, r.Context().Err()
	}
	return a.response(r), nil
}

// localAddress is where requests without a network come from.
const localAddress = "127.0.0.1:0"

// mostUnread is how much of a stream waits for its reader, at most.
const mostUnread = 64 << 10

// An answer is both sides of one: an [http.ResponseWriter] for the server, and the body of the response for the client. A body that is
// written as a whole is kept as a whole; once the writer has flushed, it is a stream, and writes wait for the reader.
type answer struct {
	client   context.Context    // ends reads
	cancel   context.CancelFunc // ends the request
	stop     func() bool        // releases what waits for client
	bodiless bool               // HEAD
	header   http.Header        // the writer's
	headed   chan struct{}      // closed when code and sent are set
	code     int
	sent     http.Header

	mu       sync.Mutex
	changed  sync.Cond // of what is below
	unread   []byte
	stream   bool
	deadline time.Time // of writes
	timer    *time.Timer
	err      error // of writes, and of reads once unread is empty
}

// errClosed is the error after the reader has closed the body.
var errClosed = errors.New("http: read on closed response body")

func newAnswer(client context.Context, cancel context.CancelFunc) *answer {
	a := &answer{client: client, cancel: cancel, header: http.Header{}, headed: make(chan struct{})}
	a.changed.L = &a.mu
	a.stop = context.AfterFunc(client, func() { a.fail(context.Cause(client)) })
	return a
}

// response returns the client's side of the answer, once its header has been written.
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

// fail ends reads with an error, unless they have ended.
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
	if err := a.client.Err(); err != nil { // the handler may end before this is noticed elsewhere
		a.fail(err)
	}
	a.fail(io.EOF)
	a.mu.Lock()
	if a.timer != nil {
		a.timer.Stop()
	}
	a.mu.Unlock()
	a.stop()
	a.cancel()
}

// Header implements [http.ResponseWriter].
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements [http.ResponseWriter].
func (a *answer) WriteHeader(code int) {
	select {
	case <-a.headed:
		return
	default:
	}
	a.code, a.sent = code, a.header.Clone()
	close(a.headed)
}

// Write implements [http.ResponseWriter].
func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.stream && len(a.unread) >= mostUnread && a.err == nil {
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

// SetReadDeadline is called by [http.ResponseController]. Requests are in memory.
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
