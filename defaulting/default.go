package defaulting

import (
	"github.com/crdkit/crdkit/internal/fill"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/schema"
)

// Default returns obj without the nulls that a server drops, and with its defaults filled in. It does not modify obj.
// If there is nothing to do, it returns obj itself and does not allocate. Otherwise the result shares unchanged parts
// with obj, and nothing with the schema. A nil s has no defaults. A nil obj is an empty object.
//
// If the defaults exceed the default [Limit], none are filled in. [DefaultWithin] reports this.
func Default(s *schema.Structural, obj map[string]any) map[string]any {
	out, _ := DefaultWithin(s, obj, Limit{})
	return out
}

// Value is [Default] for a value of any kind that n, a node of a compiled schema, describes. The default of n itself is
// not used. A zero n has no defaults.
func Value(n schema.Node, v any) any {
	node, left := plan.Of(n), Limit{}.budget()
	if out := (fill.Filler{Nulls: true, Defaults: true, Left: left}).Value(node, v); !left.Spent() {
		return out
	}
	return fill.Filler{Nulls: true, Left: left}.Value(node, v)
}

// Fill fills in defaults like [Default], but drops no nulls: a null without a default stays. A server does this with an
// object that a mutating webhook has changed.
func Fill(s *schema.Structural, obj map[string]any) map[string]any {
	out, _ := FillWithin(s, obj, Limit{})
	return out
}

// DropNulls drops nulls like [Default], but fills in nothing: a null that has a default stays. A server does this with
// an object that it converts to another version.
func DropNulls(s *schema.Structural, obj map[string]any) map[string]any {
	return fill.Filler{Nulls: true, Left: Limit{}.budget()}.Object(root(s), obj)
}

// root returns the root of s, nil for a nil s.
func root(s *schema.Structural) *plan.Node {
	if s == nil {
		return nil
	}
	return plan.Root(s)
}
