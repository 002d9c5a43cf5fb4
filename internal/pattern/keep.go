package pattern

import (
	"sync"
	"weak"
)

// maxKept limits the memory of the automata and trees of all patterns in use together. A schema can have any number of
// patterns, and a short pattern can need much memory. Beyond the limit, the oldest ones are dropped, and built again
// when needed.
const maxKept = 64 << 20

// A holding is the memory of one automaton. Everything but the owner is guarded by keeper.mu.
type holding struct {
	owner   weak.Pointer[Pattern]
	bytes   int
	dropped bool // it no longer counts
}

// keeping counts holdings. It does not keep patterns alive.
type keeping struct {
	mu    sync.Mutex
	queue []*holding // the oldest first
	total int
}

var keeper keeping // of all patterns

// newHolding returns an empty holding of p.
func newHolding(p *Pattern) *holding {
	h := &holding{owner: weak.Make(p)}
	keeper.mu.Lock()
	defer keeper.mu.Unlock()
	keeper.queue = append(keeper.queue, h)
	return h
}

// add counts n more bytes, unless h is nil. If the total exceeds the limit, other holdings are dropped.
func (h *holding) add(n int) {
	if h == nil {
		return
	}
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
	// Those whose patterns have been collected are dropped first.
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
