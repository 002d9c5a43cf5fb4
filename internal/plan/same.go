package plan

import (
	"reflect"
	"slices"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// This file has the equality of nodes. [SameKeywords] compares all keywords but rules, and [SameType] those that matter
// to rules. Neither looks at the nodes below, for which there is [SameBelow].

// SameBelow reports whether same is true for two nodes and for all nodes below them, except in combinators, and whether
// these are at the same places. same is true for a node and itself.
func SameBelow(a, b *Node, same func(a, b *Node) bool) bool {
	if a == nil || b == nil || a == b {
		return a == b
	}
	return len(a.Props) == len(b.Props) && same(a, b) && SameBelow(a.Items, b.Items, same) && SameBelow(a.Additional, b.Additional, same) &&
		slices.EqualFunc(a.Props, b.Props, func(p, q Prop) bool { return p.Name == q.Name && SameBelow(p.Node, q.Node, same) })
}

// SameKeywords reports whether two nodes have the same keywords, except for rules. The branches of combinators are
// compared with all nodes below them, in their order.
func SameKeywords(a, b *Node) bool {
	const ignored = HasRules | Sized
	return sameInBoth(a, b) && a.Accept == b.Accept && a.Has&^ignored == b.Has&^ignored &&
		a.MinItems == b.MinItems && a.MinProperties == b.MinProperties && jsonval.Equal(a.Default, b.Default) &&
		sameString(a.String, b.String) && reflect.DeepEqual(a.Number, b.Number) && sameCombinators(a.Combine, b.Combine)
}

// SameType reports whether expressions compile, cost and evaluate the same for the values of two nodes, apart from the
// nodes below them.
func SameType(a, b *Node) bool {
	return sameInBoth(a, b) && a.TypeFlags() == b.TypeFlags() && (a.Default == nil) == (b.Default == nil)
}

// TypeFlags returns the flags that matter to expressions. Whether a node is an embedded resource or a root makes no
// difference.
func (n *Node) TypeFlags() Flags {
	f := n.Has & (Nullable | PreserveFields | IntOrString | OtherKeys | Sized)
	if n.IsResource() {
		f |= HasEmbedded
	}
	return f
}

// sameInBoth compares the keywords that both equalities compare.
func sameInBoth(a, b *Node) bool {
	return a.Type == b.Type && a.Format == b.Format && a.List == b.List && a.MapType == b.MapType &&
		a.MaxItems == b.MaxItems && a.MaxProperties == b.MaxProperties && a.MaxLength() == b.MaxLength() &&
		slices.Equal(a.Required, b.Required) && slices.Equal(a.ListMapKeys, b.ListMapKeys) &&
		(a.Enum == nil) == (b.Enum == nil) && (a.Enum == nil || slices.EqualFunc(a.Enum.Values, b.Enum.Values, jsonval.Equal))
}

func sameString(a, b *StringChecks) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.MinLength == b.MinLength && a.MaxLength == b.MaxLength && a.PatternText == b.PatternText && a.Format == b.Format
}

func sameCombinators(a, b *Combinators) bool {
	if a == nil || b == nil {
		return a == b
	}
	same := func(a, b *Node) bool { return SameBelow(a, b, SameKeywords) }
	all := func(a, b []*Node) bool { return slices.EqualFunc(a, b, same) }
	return all(a.AllOf, b.AllOf) && all(a.AnyOf, b.AnyOf) && all(a.OneOf, b.OneOf) && same(a.Not, b.Not)
}
