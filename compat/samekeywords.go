package compat

import (
	"math"
	"reflect"
	"slices"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/tool/constraint"
)

// sameKeywords reports whether two nodes have the same keywords and require the same fields, apart from rules and from
// the nodes below them. It needs no proof, so the walk is fast where nothing has changed.
func sameKeywords(a, b *plan.Node) bool {
	if !plan.SameKeywords(a, b) {
		return false
	}
	for _, name := range a.Required {
		if constraint.Supplied(a, name) != constraint.Supplied(b, name) {
			return false
		}
	}
	return true
}

// constrainsPresence reports whether n constrains which fields an object has.
func constrainsPresence(n *plan.Node) bool {
	return len(n.Required) > 0 || n.MinProperties > 0 || n.MaxProperties < math.MaxInt64 || n.Combine != nil
}

// sameFields reports whether two nodes drop, default and keep the same fields. It does not look into their combinators.
func sameFields(a, b *plan.Node) bool {
	same := func(a, b *plan.Node) bool {
		if a == nil || b == nil {
			return a == b
		}
		return sameNullOutcome(&location{node: a}, &location{node: b}, false) && jsonval.Equal(a.Default, b.Default)
	}
	return same(a.Additional, b.Additional) && slices.EqualFunc(a.Props, b.Props, func(p, q plan.Prop) bool { return p.Name == q.Name && same(p.Node, q.Node) })
}

func sameNode(a, b *plan.Node) bool { return plan.SameBelow(a, b, plan.SameKeywords) }

// sameTree reports whether two nodes are the same, with their rules and everything below them.
func sameTree(a, b *plan.Node) bool {
	return plan.SameBelow(a, b, func(a, b *plan.Node) bool {
		return plan.SameKeywords(a, b) && slices.EqualFunc(a.Rules, b.Rules, func(r, s plan.Rule) bool { return reflect.DeepEqual(r, s) })
	})
}
