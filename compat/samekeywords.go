package compat

import (
	"math"
	"reflect"
	"slices"

	"github.com/crdkit/crdkit/internal/constraint"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
)

// sameKeywords reports whether two nodes have the same keywords, apart from rules and from the nodes below them. It
// needs no proof, so the walk is fast where nothing has changed.
func sameKeywords(a, b *plan.Node) bool {
	if a.Accept != b.Accept || a.List != b.List || a.Type != b.Type || a.Format != b.Format || a.MapType != b.MapType ||
		a.Has&^(plan.HasRules|plan.Sized) != b.Has&^(plan.HasRules|plan.Sized) ||
		a.MinItems != b.MinItems || a.MaxItems != b.MaxItems || a.MinProperties != b.MinProperties || a.MaxProperties != b.MaxProperties ||
		!slices.Equal(a.Required, b.Required) || !slices.Equal(a.ListMapKeys, b.ListMapKeys) || !jsonval.Equal(a.Default, b.Default) {
		return false
	}
	for _, name := range a.Required {
		if constraint.Supplied(a, name) != constraint.Supplied(b, name) {
			return false
		}
	}
	if (a.String == nil) != (b.String == nil) || (a.Enum == nil) != (b.Enum == nil) || !reflect.DeepEqual(a.Number, b.Number) {
		return false
	}
	if s, t := a.String, b.String; s != nil && (s.MinLength != t.MinLength || s.MaxLength != t.MaxLength || s.PatternText != t.PatternText || s.Format != t.Format) {
		return false
	}
	if a.Enum != nil && !slices.EqualFunc(a.Enum.Values, b.Enum.Values, jsonval.Equal) {
		return false
	}
	return sameCombinators(a.Combine, b.Combine)
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

func sameCombinators(a, b *plan.Combinators) bool {
	if a == nil || b == nil {
		return a == b
	}
	return sameNodes(a.AllOf, b.AllOf) && sameNodes(a.AnyOf, b.AnyOf) && sameNodes(a.OneOf, b.OneOf) && sameNode(a.Not, b.Not)
}

func sameNodes(a, b []*plan.Node) bool { return slices.EqualFunc(a, b, sameNode) }

func sameNode(a, b *plan.Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	return sameKeywords(a, b) && sameNode(a.Items, b.Items) && sameNode(a.Additional, b.Additional) &&
		slices.EqualFunc(a.Props, b.Props, func(p, q plan.Prop) bool { return p.Name == q.Name && sameNode(p.Node, q.Node) })
}

// sameTree reports whether two nodes are the same, with their rules and everything below them.
func sameTree(a, b *plan.Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	return sameKeywords(a, b) && slices.EqualFunc(a.Rules, b.Rules, func(r, s plan.Rule) bool { return reflect.DeepEqual(r, s) }) &&
		sameTree(a.Items, b.Items) && sameTree(a.Additional, b.Additional) &&
		slices.EqualFunc(a.Props, b.Props, func(p, q plan.Prop) bool { return p.Name == q.Name && sameTree(p.Node, q.Node) })
}
