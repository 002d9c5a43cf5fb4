package server

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/internal/since"
	"github.com/crdkit/crdkit/server/internal/catalog"
	"github.com/crdkit/crdkit/server/internal/limits"
	"github.com/crdkit/crdkit/server/protocol"
	"github.com/crdkit/crdkit/server/storage"
)

// Options of a [Server]. The zero value serves all clients, without a token, from memory.
type Options struct {
	// Store keeps the objects. It must stay open until the server is closed; the server does not close it. Nil is a
	// store in memory ([storage.NewMemory]), which the server closes.
	Store storage.Store
	// Token is the bearer token that each HTTP request must have. Without one, every client that reaches the server may
	// do everything, unless RBAC is set. Requests of [Server.RoundTripper] need no token, nor do clients whose certificate
	// the listener's TLS configuration has verified.
	Token string
	// Authenticate returns the user of a request over HTTP, and false for a request that is refused with 401. Nil
	// accepts verified client certificates and the Token. It must be safe for concurrent use. It does not decide about
	// requests of [Server.RoundTripper] that have no Authorization header.
	Authenticate func(r *http.Request) (User, bool)
	// Authorize reports whether a user may send a request, and a reason for the refusal, which may be empty. It also
	// answers the reviews of access (SubjectAccessReview), and says who may impersonate whom. Nil allows everything. It
	// must be safe for concurrent use.
	Authorize func(ctx context.Context, user User, r RequestInfo) (allowed bool, reason string)
	// RBAC lets the stored roles and bindings decide who may send a request, besides Authorize, which then may be nil and
	// allow nothing. [New] creates the roles and bindings of a Kubernetes server that do not exist. The group
	// system:masters may do everything, as the user of the Token may. Whoever writes roles and bindings needs the rights
	// that they give. A request over HTTP without a token or a certificate has the user system:anonymous, unless
	// Authenticate decides. No controller fills in the rules of roles that aggregate others.
	RBAC bool
	// Observe is called after each request, for metrics and audit logs. It may be nil. It must be safe for concurrent
	// use.
	Observe func(Observation)

	Connections int           // open connections of [Server.Serve]; 0 is 2000
	Requests    int           // concurrent requests, not counting watches; beyond it, one is refused with 429; 0 is 200
	Watches     int           // concurrent watches; 0 is 1000
	Memory      int64         // bytes for large bodies, objects and responses in progress, approximately; 0 is 128 MiB
	Timeout     time.Duration // of a request that is not a watch; 0 is a minute
	Bookmark    time.Duration // the interval between the bookmarks of a watch; 0 is a minute

	// Now is the clock for times in objects (creationTimestamp, deletionTimestamp, managedFields, conditions) and for
	// ages in tables. Nil is [time.Now]. It must be safe for concurrent use.
	Now func() time.Time
	// Definitions are the definitions to serve, for an API whose kinds are fixed: clients see no resource
	// customresourcedefinitions, and those in the store are ignored. Of their metadata, only the name and the
	// annotations count, and their status does not. They must not be modified. [New] fails if one of them is invalid or
	// has the name or the kind of another. Nil serves the stored definitions, which clients may write; an empty list
	// serves none.
	Definitions []*crd.CustomResourceDefinition
	// Converters replace the conversion strategies of definitions. The keys are the names of the definitions.
	Converters map[string]conversion.Converter
	// Kubernetes is the minor version whose server answers requests for custom objects and for definitions, "1.30" to
	// "1.38": see [resource.Resource.For] and package kubeversion. The selectableFields of a definition have no effect
	// in 1.30, which drops them; here they are stored. Built-in kinds are served as by the newest release. Empty is
	// that version.
	Kubernetes string
	// CustomOnly serves only definitions, the resources that they define, and namespaces, without the other built-in
	// kinds. With Definitions, it also serves no definitions.
	CustomOnly bool
	// KeepGarbage turns garbage collection off: owner references have no effect, and an object that is deleted with
	// foreground or orphan propagation stays until a client removes the finalizer for it. So do volumes and claims,
	// which get a finalizer when they are created.
	KeepGarbage bool
	// KeepNamespaces leaves the objects in a namespace that is being deleted, as an API server without a controller
	// manager does. The namespace stays Terminating until a client removes its finalizer through the subresource
	// finalize.
	KeepNamespaces bool
	// Unsupported is called with a sentence, once for each kind of request that a Kubernetes server would answer
	// differently, because this server does not have the built-in resource or subresource. It may be nil. It must be
	// safe for concurrent use.
	Unsupported func(text string)
	// Webhooks take part in the admission of writes, in this order, before those of stored configurations.
	Webhooks []Webhook
	// ResolveService returns the address, host:port, at which the port of a Service can be reached, for webhooks whose
	// stored configuration names a Service instead of a URL. Nil resolves none: calls of such webhooks fail. It must be
	// safe for concurrent use.
	ResolveService func(ctx context.Context, namespace, name string, port int) (address string, err error)
	// Log receives internal errors of the server. Nil discards them.
	Log *slog.Logger
}

// withDefaults returns o with the defaults of its fields.
func (o Options) withDefaults() Options {
	o.Connections = cmp.Or(max(o.Connections, 0), 2000)
	o.Memory = cmp.Or(max(o.Memory, 0), 128<<20)
	o.Requests = cmp.Or(max(o.Requests, 0), 200)
	o.Watches = cmp.Or(max(o.Watches, 0), 1000)
	o.Timeout = cmp.Or(max(o.Timeout, 0), time.Minute)
	o.Bookmark = cmp.Or(max(o.Bookmark, 0), time.Minute)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Unsupported == nil {
		o.Unsupported = func(string) {}
	}
	if o.ResolveService == nil {
		o.ResolveService = noServices
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// A Server answers requests as an API server does. It is an [http.Handler], and safe for concurrent use.
type Server struct {
	options  Options
	minor    since.Minor // of Kubernetes
	store    storage.Store
	ownStore bool
	keeper   *catalog.Keeper
	log      *slog.Logger
	views    *views

	unsupported unsupported

	inProcess []*hook // the webhooks of the options
	hooks     *storedHooks
	roles     *storedRoles // nil without RBAC
	tokens    signer

	connections, requests *limits.Crowd
	watches               chan struct{} // a slot for each one in progress
	budget                budget
	patience, stalled     time.Duration // see the constants; tests set others
	ending                chan struct{} // closed when watches have to end
	endWatches            func()
	stopping              atomic.Bool // Shutdown was called

	ctx        context.Context // canceled by Close
	cancel     context.CancelFunc
	background sync.WaitGroup

	mu       sync.Mutex // guards closed, and the additions to underWay
	closed   bool
	underWay sync.WaitGroup // the requests that are being answered

	// definitions is locked while a definition is written, because its names are compared with those of all other
	// definitions.
	definitions sync.Mutex
	nextService atomic.Int64 // from which a free address, or a free port, of a Service is looked for
	// deleted wakes the sweeper.
	deleted chan struct{}
	reading readings
}

// New returns a server for the objects in the store. It reads the definitions first; ctx is for that alone.
// [Server.Close] ends the server.
func New(ctx context.Context, o Options) (*Server, error) {
	o = o.withDefaults()
	minor, err := since.ParseServed(o.Kubernetes)
	if err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	ending := make(chan struct{})
	s := &Server{
		minor:   minor,
		options: o, store: o.Store, log: o.Log, views: newViews(viewBytes), unsupported: unsupported{report: o.Unsupported, reported: map[string]bool{}},
		connections: limits.NewCrowd(o.Connections), requests: limits.NewCrowd(o.Requests), watches: make(chan struct{}, o.Watches),
		budget: newBudget(o.Memory), patience: patience, stalled: stalled,
		ending: ending, endWatches: sync.OnceFunc(func() { close(ending) }), deleted: make(chan struct{}, 1),
		reading: readings{byName: map[string]*reading{}}, inProcess: inProcess(o.Webhooks), tokens: newSigner(),
	}
	if s.store == nil {
		s.store, s.ownStore = storage.NewMemory(storage.MemoryOptions{}), true
	}
	if s.keeper, err = catalog.NewKeeper(ctx, s.store, catalog.Options{
		Log: o.Log, Definitions: o.Definitions, Converters: o.Converters, CustomOnly: o.CustomOnly, Kubernetes: o.Kubernetes,
	}); err != nil {
		return nil, err
	}
	if s.hooks, err = newStoredHooks(ctx, s.store, o.Log, o.ResolveService); err != nil {
		return nil, err
	}
	if err := s.makeNamespaces(ctx); err != nil {
		return nil, err
	}
	if o.RBAC {
		if err := s.makePolicy(ctx); err != nil {
			return nil, err
		}
		if s.roles, err = newStoredRoles(ctx, s.store, o.Log); err != nil {
			return nil, err
		}
	}
	s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	s.background.Go(func() { s.keeper.Run(s.ctx) })
	s.background.Go(func() { s.hooks.run(s.ctx) })
	if s.roles != nil {
		s.background.Go(func() { s.roles.follower.Run(s.ctx) })
	}
	s.background.Go(func() { s.sweep(s.ctx) })
	if !o.KeepGarbage {
		s.background.Go(func() { s.collectGarbage(s.ctx) })
	}
	return s, nil
}

// KeyPrefix returns the prefix of the keys under which a server stores the objects of a definition.
func KeyPrefix(d *crd.CustomResourceDefinition) string { return catalog.Prefix(d, "") }

// EndWatches ends all watches, and new ones at once, for a graceful stop: clients continue at another server, or later.
func (s *Server) EndWatches() { s.endWatches() }

// Shutdown stops gracefully: /readyz fails from now on, watches end, and later requests are refused with 503. It waits
// for the requests in progress until ctx is done, and then returns the context's error. The caller must call
// [Server.Close] in any case. [Server.Serve] does the same for its own requests.
func (s *Server) Shutdown(ctx context.Context) error {
	s.stopping.Store(true)
	s.endWatches()
	ended := make(chan struct{})
	go func() {
		s.underWay.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close cancels all requests and all background work, and waits for them to end. Later requests are refused with 503.
// Closing a second time does nothing.
func (s *Server) Close() error {
	s.mu.Lock()
	closed := s.closed
	s.closed = true
	s.mu.Unlock()
	s.cancel()
	s.underWay.Wait()
	s.background.Wait()
	if closed || !s.ownStore {
		return nil
	}
	return s.store.Close()
}

// begin counts a request as being in progress until the caller calls end. It reports false once the server is closed.
func (s *Server) begin() (end func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, false
	}
	s.underWay.Add(1)
	return s.underWay.Done, true
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.serve(w, r, false) }

// serve answers a request. A trusted request needs no token.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, trusted bool) {
	q := &request{s: s, r: r}
	var observed func()
	q.w, observed = s.observe(w, r, &q.user)
	defer observed()
	w = q.w
	q.slot = &slot{control: http.NewResponseController(w)}
	q.slot.connection, _ = limits.Connection(r.Context())
	defer q.slot.leave()
	end, ok := s.begin()
	if !ok {
		q.refuse(failed(storage.ErrClosed))
		return
	}
	defer end()
	defer func() {
		if p := recover(); p != nil {
			if p == http.ErrAbortHandler {
				panic(p)
			}
			s.log.Error("panic", "method", r.Method, "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
			q.refuse(protocol.Internal(fmt.Errorf("panic: %v", p)))
		}
	}()
	if q.slot.connection != nil {
		q.slot.connection.Reach(limits.Begun)
	}
	if len(r.URL.Path)+len(r.URL.RawQuery) > maxURL {
		http.Error(w, http.StatusText(http.StatusRequestURITooLong), http.StatusRequestURITooLong)
		return
	}
	switch r.URL.Path {
	case "/readyz":
		if s.stopping.Load() {
			http.Error(w, "[-]shutdown failed: the server is shutting down", http.StatusInternalServerError)
			return
		}
		fallthrough
	case "/healthz", "/livez":
		writeHealth(w, r)
		return
	}
	if s.stopping.Load() {
		w.Header().Set("Connection", "close")
		q.refuse(failed(storage.ErrClosed))
		return
	}
	q.query = r.URL.Query()
	timeout, refused := q.timeout()
	if refused != nil && !q.isWatch() {
		q.refuse(refused)
		return
	}
	var known bool
	if q.user, known = s.authenticate(r, trusted); !known {
		q.user = User{}
		q.refuse(&field.Status{Code: http.StatusUnauthorized, Reason: "Unauthorized", Message: "Unauthorized"})
		return
	}
	if q.user, refused = s.impersonate(r, q.user); refused != nil {
		q.refuse(refused)
		return
	}
	if refused := s.authorize(r, q.user); refused != nil {
		q.refuse(refused)
		return
	}
	if q.slot.connection != nil {
		q.slot.connection.Reach(limits.Known)
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	q.slot.cancel = cancel
	if q.isWatch() {
		select {
		case s.watches <- struct{}{}:
			defer func() { <-s.watches }()
		default:
			q.refuse(tooMany())
			return
		}
		if q.slot.connection != nil {
			q.slot.connection.Reach(limits.Watching)
		}
	} else {
		if !q.slot.enter(s.requests) {
			q.refuse(tooMany())
			return
		}
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			q.slot.begin()
		}
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	q.r = r.WithContext(ctx)
	q.route()
}

// maxURL limits the path and the query of a request. It leaves room for long selectors.
const maxURL = 64 << 10

// authenticate returns the user of a request, and whether the request has the token of a ServiceAccount, is trusted, has
// a verified client certificate, or has the token of the options, which is compared in constant time.
func (s *Server) authenticate(r *http.Request, trusted bool) (User, bool) {
	header := r.Header.Get("Authorization")
	scheme, token, hasToken := strings.Cut(header, " ")
	hasToken = hasToken && strings.EqualFold(scheme, "Bearer")
	own := hasToken && strings.HasPrefix(token, tokenHeader)
	if own {
		if user, _, _, ok := s.accountOf(r.Context(), token, []string{issuer}); ok {
			return user, true
		}
	}
	if s.options.Authenticate != nil && !(trusted && header == "") {
		return s.options.Authenticate(r)
	}
	if user, ok := certified(r); ok {
		return user, true
	}
	if (trusted || s.options.Token == "" && s.roles == nil) && !own {
		return admin, true
	}
	if s.roles != nil && !hasToken {
		return User{Name: anonymous, Groups: []string{anonymousGroup}}, true
	}
	return admin, hasToken && s.options.Token != "" && subtle.ConstantTimeCompare([]byte(token), []byte(s.options.Token)) == 1
}

func (s *Server) now() time.Time { return s.options.Now() }

// timestamp returns the current time in the format of metav1.Time.
func (s *Server) timestamp() string { return s.now().UTC().Format(time.RFC3339) }

// failed returns the refusal for err, which is a refusal itself or an error of the store.
func failed(err error) *field.Status {
	var refused *field.Status
	switch {
	case errors.As(err, &refused):
		return refused
	case errors.Is(err, context.DeadlineExceeded):
		return &field.Status{
			Code: http.StatusGatewayTimeout, Reason: refusal.ReasonTimeout, RetryAfterSeconds: 1,
			Message: "request did not complete within the allotted timeout",
		}
	case errors.Is(err, storage.ErrClosed):
		return &field.Status{Code: http.StatusServiceUnavailable, Reason: "ServiceUnavailable", Message: "the server is shutting down"}
	case errors.Is(err, storage.ErrTooLarge):
		return &field.Status{Code: http.StatusRequestEntityTooLarge, Reason: refusal.ReasonRequestEntityTooLarge, Message: err.Error()}
	}
	return protocol.Internal(err)
}

// invalidOptions returns the refusal of a request's options, of the given kind.
func invalidOptions(kind string, errs ...*field.Error) *field.Status {
	return protocol.OptionsStatus(kind, errs)
}
