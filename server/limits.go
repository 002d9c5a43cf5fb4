package server

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/server/internal/limits"
)

// This file limits the memory and the places that all clients use together. Requests, and the bytes of large texts, have
// a limit each. What waits for a client to send or to read gives way to others.
//
// A request may hold a place among the bodies, and then one in the work, but not the other way round. It holds neither
// while it waits for a place among the answers. So no requests wait for each other.

const (
	// small is the size of a text, in bytes, up to which it does not count towards the limits.
	small = 16 << 10
	// growth is the memory for objects and errors, as a multiple of the size of their text.
	growth = 32
	// queued is how many requests may wait for each limit. Together they are fewer than the requests in progress, so that
	// requests for small objects always have a place.
	queued = 32
	// stalled is how long a client may take to send or to read a large text while others wait for its place.
	stalled = 3 * time.Second
	// compressor is the memory of a gzip.Writer.
	compressor = 1200 << 10
)

// A budget limits the bytes of large texts in progress.
type budget struct {
	bodies  *limits.Lane // bodies of requests
	work    *limits.Lane // objects that are decoded, with their errors
	answers *limits.Lane // parts of responses that clients have not read
	events  *limits.Lane // events of watches that clients have not read

	compressors *limits.Lane // of long lists
}

// newBudget divides an amount of memory.
func newBudget(memory int64) budget {
	return budget{
		bodies: limits.NewLane(memory / 8), work: limits.NewLane(memory / 2), answers: limits.NewLane(memory / 4), events: limits.NewLane(memory / 8),
		compressors: limits.NewLane(max(compressor, memory/16)),
	}
}

// tooMany refuses a request because of a limit.
func tooMany() *field.Status {
	return &field.Status{
		Code: http.StatusTooManyRequests, Reason: "TooManyRequests", RetryAfterSeconds: 1,
		Message: "The server has received too many requests and has asked us to try again later",
	}
}

// A slot is the place of a request. While the client sends or reads, the request may have to leave for others.
type slot struct {
	request, connection *limits.Member // nil: not limited
	control             *http.ResponseController
	cancel              context.CancelFunc
	busy                bool
	sending             atomic.Bool
	leaveBodies         func() // nil without a place
	leaveWork           func()
	working             int // the size for which it has a place in the work, without parameters of policies; 0: none
}

// enter takes a place among the requests in progress. Without one it returns false.
func (p *slot) enter(of *limits.Crowd) bool {
	p.request = of.Enter(func() {
		_ = p.control.SetReadDeadline(time.Now())
		if p.sending.Load() {
			p.cancel()
			_ = p.control.SetWriteDeadline(time.Now())
		}
	})
	return p.request != nil
}

// begin is called when the body has been read. The request does not have to leave until end. It returns false if it had
// to leave already.
func (p *slot) begin() (ok bool) {
	if p.busy {
		return true
	}
	p.busy, ok = true, true
	if p.request != nil {
		ok = p.request.Begin()
	}
	if p.connection != nil {
		p.connection.Begin()
	}
	return ok
}

func (p *slot) end() {
	if !p.busy {
		return
	}
	p.busy = false
	if p.request != nil {
		p.request.End()
	}
	if p.connection != nil {
		p.connection.End()
	}
}

// releaseWork gives back the memory for the work.
func (p *slot) releaseWork() {
	if p != nil && p.leaveWork != nil {
		p.leaveWork()
		p.leaveWork, p.working = nil, 0
	}
}

// release gives back the memory for the body and the work.
func (p *slot) release() {
	p.releaseWork()
	if p.leaveBodies != nil {
		p.leaveBodies()
		p.leaveBodies = nil
	}
}

// leave ends the request.
func (p *slot) leave() {
	p.release()
	p.end()
	if p.request != nil {
		p.request.Leave()
	}
}

// reserve waits for the memory to work with texts of that size. It does nothing if they are small, if the request has a
// place already, or if it is the server's own.
func (q *request) reserve(size int) *field.Status {
	if size <= small || q.slot == nil || q.slot.leaveWork != nil {
		return nil
	}
	leave, err := q.s.budget.work.Enter(q.r.Context(), growth*int64(size), queued)
	switch {
	case errors.Is(err, limits.ErrFull):
		return tooMany()
	case err != nil:
		return failed(err)
	}
	q.slot.leaveWork, q.slot.working = leave, size
	return nil
}

// reserveInstead is reserve for a request that may have a place, which it gives up while it waits.
func (q *request) reserveInstead(size int) *field.Status {
	q.slot.releaseWork()
	return q.reserve(size)
}

// deliver writes a part of the response, of that size. A large part waits for its place. If queue is not 0, it returns
// limits.ErrFull if more than that wait already.
func (q *request) deliver(size, queue int, write func() error) error {
	q.slot.release()
	q.slot.sending.Store(true)
	q.slot.end()
	defer func() {
		q.slot.begin()
		q.slot.sending.Store(false)
	}()
	if size <= small {
		return write()
	}
	leave, err := q.s.budget.answers.Enter(q.r.Context(), int64(size), queue)
	if err != nil {
		return err
	}
	defer leave()
	defer q.s.hurry(q.s.budget.answers, q.s.options.Timeout+q.s.patience, q.slot.control.SetWriteDeadline)()
	return write()
}

// hurry sets a deadline for an operation that waits for a client, and moves it to the present when other operations have
// been waiting for the lane. The caller calls stop after the operation, which sets another deadline, or none for 0.
// Errors are ignored: without support for deadlines there is none.
func (s *Server) hurry(l *limits.Lane, after time.Duration, setDeadline func(time.Time) error) (stop func()) {
	_ = setDeadline(time.Now().Add(s.patience))
	done := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		tick := time.NewTicker(s.stalled)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				if l.Wanted() {
					_ = setDeadline(time.Now())
				}
			}
		}
	})
	return func() {
		close(done)
		watching.Wait()
		if after == 0 {
			_ = setDeadline(time.Time{})
		} else {
			_ = setDeadline(time.Now().Add(after))
		}
	}
}
