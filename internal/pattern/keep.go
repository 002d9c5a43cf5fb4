package pattern

import (
	"sync"
	"weak"
)

// maxKept is how much memory the automata and trees of all patterns in use may take together. A schema can have any number of patterns,
// and a short one can need much. Beyond it those that were made first are dropped, and made again when they are needed.
const maxKept = 64 << 20

// A holding is what one automaton takes.
type holding struct {
	owner weak.Pointer[Pattern]
	bytes int // guarded by keeper.mu
}

// keeper counts the holdings of all patterns. It keeps no pattern alive.
var keeper struct {
	mu    sync.Mutex
	queue []*holding // the oldest first
	total int
}

// newHolding returns a holding of p that takes nothing yet.
func newHolding(p *Pattern) *holding {
	h := &holding{owner: weak.Make(p)}
	keeper.mu.Lock()
	defer keeper.mu.Unlock()
	keeper.queue = append(keeper.queue, h)
	return h
}

// add counts n more bytes. If that is too much in total, other holdings are dropped.
func (h *holding) add(n int) {
	k := &keeper
	k.mu.Lock()
	defer k.mu.Unlock()
	h.bytes += n
	if k.total += n; k.total <= maxKept {
		return
	}
	// Those whose patterns are gone are dropped first. Dropping a quarter more than needed makes this rare.
	kept := k.queue[:0]
	for _, other := range k.queue {
		if other.owner.Value() != nil {
			kept = append(kept, other)
		} else {
			k.total -= other.bytes
		}
	}
	clear(k.queue[len(kept):])
	k.queue = kept
	drop := 0
	for ; drop < len(k.queue) && k.total > maxKept*3/4; drop++ {
		other := k.queue[drop]
		if other == h { // It is in use, and goes behind.
			k.queue = append(k.queue, h)
			if drop == len(k.queue)-2 {
				drop++
				break
			}
			continue
		}
		k.total -= other.bytes
		other.bytes = 0
		if p := other.owner.Value(); p != nil {
			p.drop(other)
		}
	}
	k.queue = append(k.queue[:0:0], k.queue[drop:]...)
}
