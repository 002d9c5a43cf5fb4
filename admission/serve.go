package admission

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// The paths of [Webhook.Handler].
const (
	MutatePath   = "/mutate"
	ValidatePath = "/validate"
)

// Handler answers POSTs of reviews at [MutatePath] and [ValidatePath], within the limits of the options: see package
// guard. It can be part of another server; [Webhook.Serve] adds limits for connections.
func (w *Webhook) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST "+MutatePath, w.observed(true, w.guard.Handler(w.RespondMutating)))
	mux.Handle("POST "+ValidatePath, w.observed(false, w.guard.Handler(w.RespondValidating)))
	return mux
}

// ListenAndServeTLS listens on a TCP address, such as :8443, and serves HTTPS there until ctx ends. Then it waits up to
// ten seconds for the requests in progress. The certificate and its key are files of PEM, which may be renewed at any
// time. It is all that the program of a webhook needs; [Webhook.Serve] is for other listeners and certificates.
func (w *Webhook) ListenAndServeTLS(ctx context.Context, address, cert, key string) error {
	return w.guard.ListenAndServeTLS(ctx, address, w.Handler(), cert, key)
}

// Serve serves HTTPS on a listener until ctx ends, and then waits up to ten seconds for the requests in progress.
func (w *Webhook) Serve(ctx context.Context, l net.Listener, config *tls.Config) error {
	return w.guard.Serve(ctx, l, w.Handler(), config)
}

// An Observation is what [Options.Observe] learns of a request.
type Observation struct {
	Mutating bool
	Code     int           // of the HTTP response: 200 for every review that was answered
	Duration time.Duration // from the end of the header to the end of the response

	// The rest is about the review. It is empty if the body is not a review, or was not read.
	Resource    GroupVersionResource
	Subresource string
	Operation   string
	DryRun      bool

	// The rest is about the answer. It is empty unless Code is 200.
	Allowed  bool
	Patched  bool
	Reason   string // of a denial: Invalid, Forbidden ...
	Warnings int
}

// A note is what is known about the review of a request. The work for it may go on after the response, so each note is
// a new one.
type note = atomic.Pointer[Observation]

type noteKey struct{}

// noted notes a request, and returns a function that notes its answer.
func noted(ctx context.Context, r *request) func(response) {
	to, ok := ctx.Value(noteKey{}).(*note)
	if !ok {
		return func(response) {}
	}
	o := Observation{Resource: r.Resource, Subresource: r.SubResource, Operation: r.Operation, DryRun: r.DryRun}
	seen := o
	to.Store(&seen)
	return func(a response) {
		o.Allowed, o.Patched, o.Warnings = a.Allowed, a.Patch != nil, len(a.Warnings)
		if a.Status != nil {
			o.Reason = a.Status.Reason
		}
		to.Store(&o)
	}
}

// observed calls Observe after each request of h.
func (w *Webhook) observed(mutating bool, h http.Handler) http.Handler {
	observe := w.options.Observe
	if observe == nil {
		return h
	}
	return http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) {
		start, to, code := time.Now(), new(note), &coded{ResponseWriter: out, code: http.StatusOK}
		h.ServeHTTP(code, in.WithContext(context.WithValue(in.Context(), noteKey{}, to)))
		var o Observation
		if seen := to.Load(); seen != nil {
			o = *seen
		}
		if code.code != http.StatusOK {
			o = Observation{Resource: o.Resource, Subresource: o.Subresource, Operation: o.Operation, DryRun: o.DryRun}
		}
		o.Mutating, o.Code, o.Duration = mutating, code.code, time.Since(start)
		observe(o)
	})
}

// A coded writer knows the status code.
type coded struct {
	http.ResponseWriter
	code int
}

func (c *coded) WriteHeader(code int) {
	c.code = code
	c.ResponseWriter.WriteHeader(code)
}

// Unwrap is for [http.ResponseController].
func (c *coded) Unwrap() http.ResponseWriter { return c.ResponseWriter }
