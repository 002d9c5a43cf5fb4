package pattern

import (
	"sync"
	"weak"
)

// maxKept is how much memory the automata and trees of all patterns in use may take together. A schema can have any number of patterns,
// and a short one can need much. Beyond it those that were made first are dropped, and made again when they are needed.
const maxKept = 64 << 20

// A holding is what one automaton takes. All but the owner is guarded by keeper.mu.
type holding struct {
	owner   weak.Pointer[Pattern]
	bytes   int
	dropped bool // it does not count any longer
}

// keeping counts holdings. It keeps no pattern alive.
type keeping struct {
	mu    sync.Mutex
	queue []*holding // the oldest first
	total int
}

var keeper keeping // of all patterns

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
	if h.dropped {
		return
	}
	h.bytes += n
	if k.total += n; k.total <= maxKept {
		return
	}
	// Those whose patterns are gone are dropped first.
	var kept []*holding
	for _, other := range k.queue {
		switch {
		case other == h:
		case other.owner.Value() == nil:
			k.drop(other)
		default:
			kept = append(kept, other)
		}
	}
	// Dropping a quarter more than needed makes this rare.
	for len(kept) > 0 && k.total > maxKept*3/4 {
		k.drop(kept[0])
		kept = kept[1:]
	}
	k.queue = append(kept, h)
}

func (k *keeping) drop(h *holding) {
	k.total -= h.bytes
	h.dropped = true
	if p := h.owner.Value(); p != nil {
		p.drop(h)
	}
}
