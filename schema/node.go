package schema

import (
	"iter"
	"slices"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
)

// Root returns the node of the whole object. If s is nil, it returns the zero Node.
func (s *Structural) Root() Node {
	if s == nil {
		return Node{}
	}
	return view(plan.Root(s))
}

func view(n *plan.Node) Node { return Node{plan.NewPlace(n)} }

// A Node is one position of a compiled schema outside of combinators: for example a property, or the items of a list.
// Functions that work on a single value take one. Nodes are values, comparable with ==, and safe for concurrent use.
// The zero Node is no node: it has no keywords and nothing below it.
//
// It has the keywords that a walk along an object needs. [JSONSchemaProps] has all keywords of a schema.
type Node struct{ place }

type place = plan.Place // unexported, so that its fields are not part of the API

// IsZero reports whether n is the zero Node.
func (n Node) IsZero() bool { return plan.Of(n) == nil }

// keywords returns the underlying node, or one without keywords.
func (n Node) keywords() *plan.Node {
	if node := plan.Of(n); node != nil {
		return node
	}
	return plan.Empty
}

// Child returns the node for the value of key in an object at n, and whether key is a declared property. If it is not,
// the node is that of additionalProperties. The node is zero if the key has no schema.
func (n Node) Child(key string) (child Node, declared bool) {
	c, declared := n.keywords().Child(key)
	return view(c), declared
}

// Property returns the node of a declared property, or the zero Node. It takes constant time, or logarithmic time if
// names were chosen to collide.
func (n Node) Property(name string) Node {
	if child, declared := n.Child(name); declared {
		return child
	}
	return Node{}
}

// Properties iterates over the declared properties, sorted by name.
func (n Node) Properties() iter.Seq2[string, Node] {
	return func(yield func(string, Node) bool) {
		for _, p := range n.keywords().Props {
			if !yield(p.Name, view(p.Node)) {
				return
			}
		}
	}
}

// AdditionalProperties returns the schema for the keys that are not declared properties. It is zero if there is none.
func (n Node) AdditionalProperties() Node {
	return view(n.keywords().Additional)
}

// Items returns the schema of the items of a list. It is zero if there is none.
func (n Node) Items() Node {
	return view(n.keywords().Items)
}

// Type returns the declared type, empty for none. It has no effect if [Node.IntOrString] is true.
func (n Node) Type() string { return n.keywords().Type }

// Format returns the format if it is checked for values of the type, otherwise the empty string.
func (n Node) Format() string { return n.keywords().Format }

// Nullable reports whether n has nullable: true.
func (n Node) Nullable() bool { return n.keywords().Has&plan.Nullable != 0 }

// IntOrString reports whether n has x-kubernetes-int-or-string: true.
func (n Node) IntOrString() bool { return n.keywords().Has&plan.IntOrString != 0 }

// PreserveUnknownFields reports whether n has x-kubernetes-preserve-unknown-fields: true.
func (n Node) PreserveUnknownFields() bool { return n.keywords().Has&plan.PreserveFields != 0 }

// IsResource reports whether an object at n is a resource: the whole object, or an embedded one. A resource has an
// apiVersion, a kind and metadata, declared or not, and pruning keeps them whole.
func (n Node) IsResource() bool { return n.keywords().IsResource() }

// ListType returns the value of x-kubernetes-list-type: atomic, set or map, or the empty string for none.
func (n Node) ListType() string { return n.keywords().List.String() }

// ListMapKeys returns a copy of x-kubernetes-list-map-keys.
func (n Node) ListMapKeys() []string { return slices.Clone(n.keywords().ListMapKeys) }

// MapType returns the value of x-kubernetes-map-type, the empty string for none.
func (n Node) MapType() string { return n.keywords().MapType }

// Required returns a copy of the names of the required fields, in the schema's order.
func (n Node) Required() []string { return slices.Clone(n.keywords().Required) }

// Enum returns a copy of the allowed values, nil if there is no enum. Numbers are as they are after storage.
func (n Node) Enum() []any {
	e := n.keywords().Enum
	if e == nil {
		return nil
	}
	return jsonval.Clone(e.Values).([]any)
}

// Default returns a copy of the default value, nil for none. Numbers are as they are after storage.
func (n Node) Default() any { return jsonval.Clone(n.keywords().Default) }

// Rules returns a copy of the x-kubernetes-validations.
func (n Node) Rules() []ValidationRule {
	var rules []ValidationRule
	for _, r := range n.keywords().Rules {
		rules = append(rules, ValidationRule(r))
	}
	return rules
}
