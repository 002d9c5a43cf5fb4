package crdtest

import (
	"sync"

	"github.com/crdkit/crdkit/field"
)

// Notes record the requests of a set's tests, for the coverage. Several tests may add to them concurrently.
type notes struct {
	mu   sync.Mutex
	seen map[*version][]note
}

// A note is a validated object.
type note struct {
	obj, old map[string]any // old as the server read it; nil for a create
	errs     field.List
	ruled    bool // the rules were evaluated
}

func (n *notes) add(a *answer) {
	if a.Object == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.seen == nil {
		n.seen = map[*version][]note{}
	}
	n.seen[a.ver] = append(n.seen[a.ver], note{a.Object, a.read, a.Errors, a.ruled()})
}

func (n *notes) of(v *version) []note {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.seen[v]
}
