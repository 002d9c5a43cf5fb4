package constraint

import (
	"slices"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/schema"
)

// Of returns the constraint of s that e is about, and false for other errors: those of a type, a combinator, a rule, or
// metadata without a schema. It goes by the error's type, its path, and the text of a server's message.
func Of(s *schema.Structural, e *field.Error) (ID, bool) {
	if s == nil || e == nil {
		return ID{}, false
	}
	at := e.Path.Segments()
	if e.Type == field.ErrorTypeRequired || e.Type == field.ErrorTypeDuplicate {
		return ofParent(s, at, e.Type)
	}
	n := NodeAt(plan.Root(s), at)
	if n == nil {
		return ID{}, false
	}
	kind, ok := kindOf(n, e)
	return ID{Node: n.ID, Kind: kind}, ok
}

// ofParent is Of for an error about the last element of its path: a missing field, or a duplicate item.
func ofParent(s *schema.Structural, at []field.Segment, typ field.ErrorType) (ID, bool) {
	if len(at) == 0 {
		return ID{}, false
	}
	last := at[len(at)-1]
	n := NodeAt(plan.Root(s), at[:len(at)-1])
	switch {
	case n == nil:
		return ID{}, false
	case typ == field.ErrorTypeDuplicate:
		return ID{Node: n.ID, Kind: ListType}, last.IsIndex && (n.List == plan.ListSet || n.List == plan.ListMap)
	}
	return ID{n.ID, Required, last.Key}, !last.IsIndex && slices.Contains(n.Required, last.Key)
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

// wording has a server's texts for the constraints whose errors are all of type Invalid. Package report writes them; a
// test compares the two.
var wording = []struct {
	within, end string
	kind        Kind
}{
	{" in body should be at least ", " chars long", MinLength},
	{" in body should have at least ", " items", MinItems},
	{" in body should have at least ", " properties", MinProperties},
	{" in body should match '", "", Pattern},
	{" in body should be greater than ", "", Minimum},
	{" in body should be less than ", "", Maximum},
	{" in body should be a multiple of ", "", MultipleOf},
}

func kindOf(n *plan.Node, e *field.Error) (Kind, bool) {
	switch e.Type {
	case field.ErrorTypeNotSupported:
		return Enum, n.Enum != nil
	case field.ErrorTypeTooLong:
		return MaxLength, n.String != nil
	case field.ErrorTypeTooMany:
		if n.Items != nil {
			return MaxItems, true
		}
		return MaxProperties, true
	case field.ErrorTypeTypeInvalid:
		if v := e.BadValue; v == "int64" || v == "float64" { // a type
			return "", false
		}
		return Format, n.String != nil && n.String.Format != nil && strings.Contains(e.Detail, " in body must be of type "+n.Format+": ")
	case field.ErrorTypeInvalid:
		for _, w := range wording {
			if strings.Contains(e.Detail, w.within) && strings.HasSuffix(e.Detail, w.end) {
				return w.kind, has(n, w.kind)
			}
		}
	}
	return "", false
}

// has reports whether n has a constraint of a kind: the message of a rule may have the same text.
func has(n *plan.Node, k Kind) bool {
	return slices.ContainsFunc(keywords(n), func(own keyword) bool { return own.kind == k })
}
