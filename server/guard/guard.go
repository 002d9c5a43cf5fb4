package guard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"net/http"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/crdkit/crdkit/server/internal/limits"
)

// Work takes the body of a request and returns that of the answer, which is JSON. An error means that the body is not a
// review: the answer is 400. When ctx ends, the answer is no longer needed.
type Work func(ctx context.Context, review []byte) (answer []byte, err error)

// Limits are the limits of a server. A zero field means the default.
type Limits struct {
	// Memory is the number of bytes that the process may use. An eighth is left for what the runtime does not count,
	// such as the program itself: the runtime's limit is the rest. The default is the runtime's own limit, which the
	// environment variable GOMEMLIMIT sets and which stays as it is, or 512 MiB if there is none. A second guard
	// without Memory has the runtime's limit as the first one has set it.
	Memory int64
	// Body is the maximum length of a body, in bytes. The default is 8 MiB: enough for the new and the old object,
	// since a request has at most 3 MiB.
	Body int64
	// Connections is the maximum number of open connections. The default is 1,024.
	Connections int
	// Requests is the maximum number of requests in progress. The default is 512.
	Requests int
	// Timeout applies to requests without a timeout. The default is 10 seconds, as in webhook configurations.
	Timeout time.Duration
}

// Constants that do not depend on a server's limits.
const (
	// SmallBody is the maximum length of the body of a small review, in bytes.
	SmallBody = 64 << 10
	// Brief is how long the work for a small review may take while others wait. After that it starts again with the
	// large ones.
	Brief = 200 * time.Millisecond
	// Long is how long other work may take while others wait.
	Long = 3 * time.Second

	defaultMemory = 512 << 20
	longest       = 30 * time.Second // the maximum timeout of a webhook
	toRead        = 5 * time.Second  // for a body
	toWrite       = 5 * time.Second  // for an answer
	growth        = 32               // memory for the objects and errors of a text, as a multiple of its size
	maxText       = 1 << 10          // bytes of an HTTP error, which may quote the body
	uncounted     = 8                // the divisor for the part of the memory that the runtime does not count
)

// A Guard enforces limits. All its servers, listeners and handlers share them.
type Guard struct {
	limits      Limits
	log         *log.Logger
	connections *limits.Crowd
	requests    *limits.Crowd
	texts       *limits.Lane // bodies and answers that are not small, in bytes
	brief       *limits.Lane // small reviews
	long        *limits.Lane // all others, in bytes
	least       int64        // the minimum weight of each of those
}

// New returns a guard with these limits, and sets the memory limit of the runtime: see [Limits.Memory]. It logs
// problems, at most a few lines a second.
func New(l Limits, logTo io.Writer) *Guard {
	own := debug.SetMemoryLimit(-1)
	if l.Memory == 0 && own < math.MaxInt64 {
		l.Memory = own
	} else {
		l.Memory = cmp.Or(l.Memory, defaultMemory)
		debug.SetMemoryLimit(l.Memory - l.Memory/uncounted)
	}
	l.Body = cmp.Or(l.Body, 8<<20)
	l.Connections = cmp.Or(l.Connections, 1024)
	l.Requests = cmp.Or(l.Requests, 512)
	l.Timeout = cmp.Or(l.Timeout, 10*time.Second)
	g := &Guard{
		limits: l, log: log.New(limits.NewLog(logTo), "", log.LstdFlags),
		connections: limits.NewCrowd(l.Connections), requests: limits.NewCrowd(l.Requests),
		texts: limits.NewLane(l.Memory / 8), brief: limits.NewLane(2 * int64(runtime.GOMAXPROCS(0))), long: limits.NewLane(l.Memory / 2),
	}
	// Long work occupies a processor, and may need more memory than its size indicates. With few processors, one runs
	// at a time.
	g.least = l.Memory / 4
	if runtime.GOMAXPROCS(0) < 4 {
		g.least = l.Memory / 2
	}
	return g
}

// Handler returns a handler that answers requests with the results of the work.
func (g *Guard) Handler(work Work) http.Handler {
	return http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) {
		ctx, cancel := context.WithTimeout(in.Context(), g.patience(in))
		defer cancel()
		answer, err := g.answer(ctx, out, in, work)
		if err == nil && len(answer) > SmallBody {
			var leave func()
			if leave, err = g.texts.Enter(ctx, int64(len(answer)), 0); err == nil {
				defer leave()
			}
		}
		// Without support for it, the server's deadline applies.
		_ = http.NewResponseController(out).SetWriteDeadline(time.Now().Add(toWrite))
		if err != nil {
			g.refuse(out, err)
			return
		}
		out.Header().Set("Content-Type", "application/json")
		_, _ = out.Write(answer) // the client may be gone
	})
}

// patience returns how long the answer may take: the client's timeout minus a tenth, for the network.
func (g *Guard) patience(in *http.Request) time.Duration {
	timeout, err := time.ParseDuration(in.URL.Query().Get("timeout"))
	if err != nil || timeout <= 0 {
		timeout = g.limits.Timeout
	}
	timeout = min(timeout, longest)
	return timeout - timeout/10
}

// A refusal is an answer with an HTTP error.
type refusal struct {
	code int
	text string
}

func (r *refusal) Error() string { return r.text }

var (
	errFull   = &refusal{http.StatusServiceUnavailable, "there was no place for the review: too many others are under way"}
	errLate   = &refusal{http.StatusGatewayTimeout, "the review was not finished in time"}
	errUnread = &refusal{http.StatusRequestTimeout, "the body did not arrive in time"}
	errFailed = &refusal{http.StatusInternalServerError, "the review ended in a panic"}
)

func (g *Guard) refuse(out http.ResponseWriter, err error) {
	code := http.StatusBadRequest
	var r *refusal
	switch {
	case errors.As(err, &r):
		code = r.code
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		err, code = errFull, errFull.code
	}
	if code == http.StatusServiceUnavailable {
		out.Header().Set("Retry-After", "1")
	}
	text := err.Error()
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") + "..."
	}
	http.Error(out, text, code)
}

// answer reads the body and runs the work, but waits for it no longer than ctx.
func (g *Guard) answer(ctx context.Context, out http.ResponseWriter, in *http.Request, work Work) ([]byte, error) {
	c, ok := limits.Connection(in.Context())
	if ok {
		c.Reach(limits.Begun)
	}
	body, done, err := g.read(ctx, out, in)
	if err != nil {
		return nil, err
	}
	if ok {
		c.Begin()
		defer c.End()
	}
	type result struct {
		answer []byte
		err    error
	}
	ended := make(chan result, 1)
	var atWork atomic.Bool
	go func() {
		defer done()
		answer, err := g.schedule(ctx, body, work, &atWork)
		ended <- result{answer, err}
	}()
	select {
	case r := <-ended:
		return r.answer, r.err
	case <-ctx.Done():
		if atWork.Load() {
			return nil, errLate
		}
		return nil, errFull
	}
}

// schedule runs the work when there is a place for it.
func (g *Guard) schedule(ctx context.Context, body []byte, work Work, atWork *atomic.Bool) ([]byte, error) {
	if len(body) <= SmallBody {
		answer, err := g.run(ctx, g.brief, 1, Brief, body, work, atWork)
		if !errors.Is(err, errLate) || ctx.Err() != nil {
			return answer, err
		}
	}
	return g.run(ctx, g.long, max(g.least, growth*int64(len(body))), Long, body, work, atWork)
}

// run runs the work in a lane, for so long or until others wait for its place. The work occupies the place until it
// returns, even if it ignores its context.
func (g *Guard) run(
	ctx context.Context, l *limits.Lane, weight int64, atLeast time.Duration, body []byte, work Work, atWork *atomic.Bool,
) (answer []byte, err error) {
	leave, err := l.Enter(ctx, weight, 0)
	if err != nil {
		return nil, errFull
	}
	defer leave()
	atWork.Store(true)
	defer atWork.Store(false)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		tick := time.NewTicker(atLeast)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if l.Wanted() {
					cancel()
				}
			}
		}
	}()
	defer func() {
		if p := recover(); p != nil {
			g.log.Printf("panic: %v\n%s", p, debug.Stack())
			answer, err = nil, errFailed
		}
	}()
	answer, err = work(ctx, body)
	if ctx.Err() != nil { // the work may have been interrupted
		return nil, errLate
	}
	return answer, err
}

func tooLarge(limit int64) error {
	return &refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("the body has more than %d bytes", limit)}
}
