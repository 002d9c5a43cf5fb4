package constraint

import (
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/origin"
	"github.com/crdkit/crdkit/internal/plan"
)

// Of returns the constraint that e is about, and false for other errors: those of a type, a combinator, a rule, or
// metadata without a schema. The constraint may be one that [List] does not list: one in a combinator, or the format of
// a number.
func Of(e *field.Error) (ID, bool) {
	c := e.Cause()
	id := ID{Schema: c.Schema, Kind: Kind(c.Keyword)}
	if id.Kind == Required {
		if at := e.Path.Segments(); len(at) > 0 {
			id.Name = at[len(at)-1].Key
		}
	}
	return id, kinds[id.Kind]
}

var kinds = map[Kind]bool{
	Required: true, Enum: true, Pattern: true, Format: true, MinLength: true, MaxLength: true, Minimum: true, Maximum: true,
	MultipleOf: true, MinItems: true, MaxItems: true, MinProperties: true, MaxProperties: true, ListType: true,
}

// RuleOf returns the rule that e comes from, or nil.
func RuleOf(e *field.Error) *plan.Rule {
	r, _ := origin.Rule(e).(*plan.Rule)
	return r
}

// NodeAt returns the node for the value at a path in an object, or nil if the schema does not describe it. n is the
// node of the object; it may be nil.
func NodeAt(n *plan.Node, path []field.Segment) *plan.Node {
	for _, step := range path {
		switch {
		case n == nil:
			return nil
		case step.IsIndex:
			n = n.Items
		default:
			n, _ = n.Child(step.Key)
		}
	}
	return n
}
