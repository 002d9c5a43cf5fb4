package limits

import (
	"context"
	"errors"
	"sync"
)

// A Lane admits work up to a total weight. The rest waits in order of arrival, so that heavy work does not starve.
type Lane struct {
	most int64

	mu    sync.Mutex
	taken int64
	line  []*waiting
}

type waiting struct {
	weight int64
	in     chan struct{} // closed when it is admitted
}

// NewLane returns a lane for that total weight.
func NewLane(most int64) *Lane { return &Lane{most: most} }

// ErrFull is the error if too much work is waiting already.
var ErrFull = errors.New("too much work is waiting")

// Enter waits for a place of that weight, or of the whole lane if it is heavier. The caller gives the place back with
// leave. It returns an error if ctx ends before. If queue is not 0 and that much work is waiting already, it returns
// ErrFull.
func (l *Lane) Enter(ctx context.Context, weight int64, queue int) (leave func(), err error) {
	weight = min(weight, l.most)
	w := &waiting{weight, make(chan struct{})}
	l.mu.Lock()
	l.line = append(l.line, w)
	l.admit()
	if queue > 0 && len(l.line) > queue {
		l.line = l.line[:len(l.line)-1] // it is the last one
		l.mu.Unlock()
		return nil, ErrFull
	}
	l.mu.Unlock()

	leave = func() { l.leave(weight) }
	select {
	case <-w.in:
		return leave, nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, other := range l.line {
		if other == w {
			l.line = append(l.line[:i], l.line[i+1:]...)
			l.admit() // the next may be lighter
			return nil, ctx.Err()
		}
	}
	l.taken -= weight // it was admitted at the same time
	l.admit()
	return nil, ctx.Err()
}

// TryEnter is Enter without waiting: ok is false if there is no place.
func (l *Lane) TryEnter(weight int64) (leave func(), ok bool) {
	weight = min(weight, l.most)
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.line) > 0 || l.taken+weight > l.most {
		return nil, false
	}
	l.taken += weight
	return func() { l.leave(weight) }, true
}

func (l *Lane) leave(weight int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken -= weight
	l.admit()
}

// Taken returns the weight of the work in the lane.
func (l *Lane) Taken() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.taken
}

// Wanted reports whether work is waiting.
func (l *Lane) Wanted() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.line) > 0
}

// admit admits work from the front of the queue while it fits. The lane is locked.
func (l *Lane) admit() {
	for len(l.line) > 0 && l.taken+l.line[0].weight <= l.most {
		l.taken += l.line[0].weight
		close(l.line[0].in)
		l.line[0] = nil
		l.line = l.line[1:]
	}
}
