package guard

import (
	"context"
	"sync"
)

// A lane admits work up to a total weight. The rest waits in order of arrival, so that heavy work does not starve.
type lane struct {
	most int64

	mu    sync.Mutex
	taken int64
	line  []*waiting
}

type waiting struct {
	weight int64
	in     chan struct{} // closed when it is admitted
}

// enter waits for a place of that weight, or of the whole lane if it is heavier. The caller gives the place back with
// leave. It returns an error if ctx ends before.
func (l *lane) enter(ctx context.Context, weight int64) (leave func(), err error) {
	weight = min(weight, l.most)
	w := &waiting{weight, make(chan struct{})}
	l.mu.Lock()
	l.line = append(l.line, w)
	l.admit()
	l.mu.Unlock()

	leave = func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.taken -= weight
		l.admit()
	}
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

// wanted reports whether work is waiting.
func (l *lane) wanted() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.line) > 0
}

// admit admits work from the front of the queue while it fits. The lane is locked.
func (l *lane) admit() {
	for len(l.line) > 0 && l.taken+l.line[0].weight <= l.most {
		l.taken += l.line[0].weight
		close(l.line[0].in)
		l.line[0] = nil
		l.line = l.line[1:]
	}
}
