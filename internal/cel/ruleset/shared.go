package ruleset

import (
	"sync"

	"github.com/crdkit/crdkit/internal/cel/check"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/plan"
)

// A shared has the state that the Rules of one definition share, possibly for several versions of Kubernetes. It is
// safe for concurrent use.
type shared struct {
	work check.Work

	mu    sync.Mutex
	known map[expression][]*checked // only expensive ones, of which few fit into the limit
}

// expensive is the minimum work of a type check whose result is kept, in the unit of [check.Total]: a few milliseconds.
const expensive = 50_000

// A checked is the result of a type check.
type checked struct {
	node    *plan.Node // of self
	variant check.Variant
	expr    *check.Expr
	err     error
	spent   uint64
}

// find returns the result for e with a self of type t, or nil.
func (s *shared) find(e expression, t *types.SchemaType, variant func() check.Variant) *checked {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.known[e]
	if len(all) == 0 || t.Node() == nil {
		return nil
	}
	v := variant()
	for _, c := range all {
		if c.variant == v && plan.SameBelow(c.node, t.Node(), plan.SameType) {
			return c
		}
	}
	return nil
}

func (s *shared) add(e expression, c *checked) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = map[expression][]*checked{}
	}
	s.known[e] = append(s.known[e], c)
}
