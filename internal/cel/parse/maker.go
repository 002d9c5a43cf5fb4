package parse

import (
	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/types"
)

// The following methods create nodes for macros. Each node gets a new id when it is created.

// Copy copies e. Each node gets its id before its children, and the target of a method after its arguments.
func (r *reader) Copy(e *ast.Expr) *ast.Expr {
	id := r.newID()
	switch e.Kind() {
	case ast.LiteralKind:
		return ast.NewLiteral(id, e.AsLiteral())
	case ast.IdentKind:
		return ast.NewIdent(id, e.AsIdent())
	case ast.SelectKind:
		s := e.AsSelect()
		if s.IsTestOnly() {
			return ast.NewPresenceTest(id, r.Copy(s.Operand()), s.FieldName())
		}
		return ast.NewSelect(id, r.Copy(s.Operand()), s.FieldName())
	case ast.CallKind:
		c := e.AsCall()
		args := r.copies(c.Args())
		if c.IsMemberFunction() {
			return ast.NewMemberCall(id, c.FunctionName(), r.Copy(c.Target()), args...)
		}
		return ast.NewCall(id, c.FunctionName(), args...)
	case ast.ListKind:
		return ast.NewList(id, r.copies(e.AsList().Elements()), e.AsList().OptionalIndices())
	case ast.MapKind:
		entries := make([]ast.MapEntry, e.AsMap().Size())
		for i, entry := range e.AsMap().Entries() {
			id := r.newID()
			key := r.Copy(entry.Key())
			entries[i] = ast.NewMapEntry(id, key, r.Copy(entry.Value()), entry.IsOptional())
		}
		return ast.NewMap(id, entries)
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		parts := r.copies([]*ast.Expr{c.IterRange(), c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()})
		return ast.NewComprehensionTwoVar(id, parts[0], c.IterVar(), c.IterVar2(), c.AccuVar(), parts[1], parts[2], parts[3], parts[4])
	}
	return r.fail()
}

func (r *reader) copies(all []*ast.Expr) []*ast.Expr {
	out := make([]*ast.Expr, len(all))
	for i, e := range all {
		out[i] = r.Copy(e)
	}
	return out
}

func (r *reader) NewLiteral(v types.Value) *ast.Expr { return ast.NewLiteral(r.newID(), v) }

func (r *reader) NewList(elems ...*ast.Expr) *ast.Expr {
	return ast.NewList(r.newID(), elems, nil)
}

func (r *reader) NewMap(entries ...ast.MapEntry) *ast.Expr {
	return ast.NewMap(r.newID(), entries)
}

func (r *reader) NewComprehension(over *ast.Expr, variable, accumulator string, start, condition, step, result *ast.Expr) *ast.Expr {
	return ast.NewComprehension(r.newID(), over, variable, accumulator, start, condition, step, result)
}

func (r *reader) NewComprehensionTwoVar(
	over *ast.Expr, key, value, accumulator string, start, condition, step, result *ast.Expr,
) *ast.Expr {
	return ast.NewComprehensionTwoVar(r.newID(), over, key, value, accumulator, start, condition, step, result)
}

func (r *reader) NewIdent(name string) *ast.Expr { return ast.NewIdent(r.newID(), name) }

func (r *reader) NewAccuIdent() *ast.Expr { return ast.NewIdent(r.newID(), accumulator) }

func (r *reader) AccuIdentName() string { return accumulator }

func (r *reader) NewCall(function string, args ...*ast.Expr) *ast.Expr {
	return ast.NewCall(r.newID(), function, args...)
}

func (r *reader) NewMemberCall(function string, target *ast.Expr, args ...*ast.Expr) *ast.Expr {
	return ast.NewMemberCall(r.newID(), function, target, args...)
}

func (r *reader) NewPresenceTest(operand *ast.Expr, field string) *ast.Expr {
	return ast.NewPresenceTest(r.newID(), operand, field)
}

func (r *reader) NewError(id int64, text string) *Error { return &Error{id, text} }
