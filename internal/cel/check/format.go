package check

import (
	"slices"

	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/lib/text"
	"github.com/crdkit/crdkit/internal/cel/types"
)

// kindsOf returns the kinds of types that the clause with that verb accepts, besides dyn.
func kindsOf(verb byte) []types.Kind {
	switch verb {
	case 'd', 'o':
		return []types.Kind{types.IntKind, types.UintKind}
	case 'f', 'e':
		return []types.Kind{types.DoubleKind, types.StringKind} // infinities and NaN may be written as strings
	case 'b':
		return []types.Kind{types.IntKind, types.UintKind, types.BoolKind}
	case 'x', 'X':
		return []types.Kind{types.IntKind, types.UintKind, types.StringKind, types.BytesKind}
	}
	return []types.Kind{
		types.ListKind, types.MapKind, types.IntKind, types.UintKind, types.DoubleKind, types.BoolKind, types.StringKind,
		types.TimestampKind, types.BytesKind, types.DurationKind, types.TypeKind, types.NullTypeKind,
	}
}

// format checks the clauses of a call '<literal>'.format([...]) until the first error: CEN-053. Other forms of calls
// are not checked.
func (v *validator) format(e *ast.Expr) {
	c := e.AsCall()
	if !c.IsMemberFunction() || len(c.Args()) != 1 || c.Args()[0].Kind() != ast.ListKind ||
		c.Target().Kind() != ast.LiteralKind {
		return
	}
	template, ok := c.Target().AsLiteral().Value().(string)
	if !ok {
		return
	}
	args := c.Args()[0].AsList().Elements()
	at := e.ID()
	err := text.ParseFormat(template).Check(len(args), func(c text.Clause, arg int) error {
		bad := v.mismatched(args[arg], c.Verb)
		if bad == nil {
			return nil
		}
		at = bad.ID()
		return text.VerbError(c.Verb, v.GetType(at).TypeName())
	})
	if err != nil {
		v.report(at, err.Error())
	}
}

// mismatched returns the part that the clause does not accept: e itself, or for %s an element, key or value in it; nil
// if there is none.
func (v *validator) mismatched(e *ast.Expr, verb byte) *ast.Expr {
	kind := v.GetType(e.ID()).Kind()
	if kind != types.DynKind && !slices.Contains(kindsOf(verb), kind) {
		return e
	}
	if verb != 's' {
		return nil
	}
	switch e.Kind() {
	case ast.ListKind:
		for _, elem := range e.AsList().Elements() {
			if bad := v.mismatched(elem, verb); bad != nil {
				return bad
			}
		}
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			for _, part := range []*ast.Expr{entry.Key(), entry.Value()} {
				if bad := v.mismatched(part, verb); bad != nil {
					return bad
				}
			}
		}
	}
	return nil
}
