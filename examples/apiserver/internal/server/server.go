// Package server is an API server for custom resources: HTTP in front, a store behind, and between them package resource, which says
// what becomes of an object. What there is to know of a kind comes from package catalog.
//
// A request goes from [Server.ServeHTTP], which lets it in, to route, which finds the kind, to one of the files named after what it does:
// read, watch, write, delete. The server's own kinds go the same way, and at two places, prepare and remove, to definitions and
// namespaces. Sweep does what is left to do when something is being deleted.
package server

import (
	"context"
	"crypto/subtle"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/crdkit/crdkit/examples/apiserver/internal/catalog"
	"github.com/crdkit/crdkit/examples/apiserver/internal/storage"
	"github.com/crdkit/crdkit/protocol"
)

// Options of a server. The zero value lets nobody in.
type Options struct {
	Token    string        // that every request has to have as a bearer token
	Requests int           // how many may be under way at once; 0 is 200
	Watches  int           // how many watches there may be; 0 is 1000
	Timeout  time.Duration // of a request that is no watch; 0 is a minute
	Bookmark time.Duration // how often a watch says how far it has come; 0 is a minute
	Log      *slog.Logger  // nil: nothing is logged
}

// A Server answers requests. It is safe for concurrent use.
type Server struct {
	options Options
	store   storage.Store
	keeper  *catalog.Keeper
	log     *slog.Logger

	requests, watches chan struct{} // a place for each that is under way
	ending            chan struct{} // closed when watches have to end
	end               sync.Once

	// existence is held for reading by those who create an object, from looking whether its kind and its namespace are there until it
	// is stored, and for writing by those who take these away.
	existence sync.RWMutex
	// definitions is held by those who write definitions: names are accepted by looking at all the others.
	definitions sync.Mutex
	// deleted wakes the sweeper.
	deleted chan struct{}
}

// New returns a server of what is in the store.
func New(ctx context.Context, store storage.Store, o Options) (*Server, error) {
	if o.Requests <= 0 {
		o.Requests = 200
	}
	if o.Watches <= 0 {
		o.Watches = 1000
	}
	if o.Timeout <= 0 {
		o.Timeout = time.Minute
	}
	if o.Bookmark <= 0 {
		o.Bookmark = time.Minute
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	keeper, err := catalog.NewKeeper(ctx, store, o.Log)
	if err != nil {
		return nil, err
	}
	s := &Server{
		options: o, store: store, keeper: keeper, log: o.Log,
		requests: make(chan struct{}, o.Requests), watches: make(chan struct{}, o.Watches),
		ending: make(chan struct{}), deleted: make(chan struct{}, 1),
	}
	return s, s.makeDefaultNamespace(ctx)
}

// Run does what the server does by itself, until ctx is done: definitions are not served without it.
func (s *Server) Run(ctx context.Context) {
	var wg sync.WaitGroup
	wg.Go(func() { s.keeper.Run(ctx) })
	wg.Go(func() { s.sweep(ctx) })
	wg.Wait()
}

// EndWatches ends all watches, for a graceful stop: their clients come back, to another server or later.
func (s *Server) EndWatches() { s.end.Do(func() { close(s.ending) }) }

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := &request{s: s, w: w, r: r, query: r.URL.Query()}
	defer func() {
		if p := recover(); p != nil {
			if p == http.ErrAbortHandler {
				panic(p)
			}
			s.log.Error("panic", "method", r.Method, "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
			q.refuse(protocol.Internal(fmt.Errorf("panic: %v", p)))
		}
	}()
	switch r.URL.Path {
	case "/healthz", "/livez", "/readyz":
		fmt.Fprint(w, "ok")
		return
	}
	if !s.authenticated(r) {
		q.refuse(protocol.Unauthorized())
		return
	}
	places := s.requests
	if q.flag("watch") {
		places = s.watches
	} else {
		ctx, cancel := context.WithTimeout(r.Context(), s.options.Timeout)
		defer cancel()
		q.r = r.WithContext(ctx)
	}
	select {
	case places <- struct{}{}:
		defer func() { <-places }()
	default:
		q.refuse(protocol.TooManyRequests("The server has received too many requests and has asked us to try again later", 1))
		return
	}
	q.route()
}

// authenticated reports whether a request has the token. How long that takes says nothing about it.
func (s *Server) authenticated(r *http.Request) bool {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return ok && s.options.Token != "" && subtle.ConstantTimeCompare([]byte(token), []byte(s.options.Token)) == 1
}
