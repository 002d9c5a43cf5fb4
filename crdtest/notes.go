package crdtest

import (
	"sync"
	"testing"

	"github.com/crdkit/crdkit/field"
)

// Notes record the requests of a set's tests, for the coverage. Several tests may add to them concurrently.
type notes struct {
	mu   sync.Mutex
	seen map[*version][]note
	// unconverted are the definitions with answers that are not known; true: that is logged.
	unconverted map[*definition]bool
}

// A note is a validated object.
type note struct {
	obj, old map[string]any // old as the server read it; nil for a create
	errs     field.List
	ruled    bool // the rules were evaluated
}

func (n *notes) add(a *answer) {
	if a.Unconverted {
		n.addUnconverted(a.d)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if a.Object == nil {
		return
	}
	if n.seen == nil {
		n.seen = map[*version][]note{}
	}
	n.seen[a.ver] = append(n.seen[a.ver], note{a.Object, a.read, a.Errors, a.ruled()})
}

// addUnconverted notes that there is an answer that only the conversion webhook of d knows.
func (n *notes) addUnconverted(d *definition) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.unconverted[d] {
		return
	}
	if n.unconverted == nil {
		n.unconverted = map[*definition]bool{}
	}
	n.unconverted[d] = false
}

// logUnconverted logs, once for each definition, that answers are not known.
func (n *notes) logUnconverted(t testing.TB) {
	t.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	for d, logged := range n.unconverted {
		if !logged {
			n.unconverted[d] = true
			t.Logf("%s: what is stored is not known: %s", d.at(d.line("spec", "conversion", "strategy")), unconverted)
		}
	}
}

func (n *notes) of(v *version) []note {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.seen[v]
}
