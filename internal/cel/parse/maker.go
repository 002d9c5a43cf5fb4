package parse

import (
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/parser"
)

// A noHelper has the methods of parser.ExprHelper that no macro calls. They fail.
type noHelper interface{ parser.ExprHelper }

// The following methods create nodes for macros. Each node gets a new id when it is created.

// Copy copies e. Each node gets its id before its children, and the target of a method after its arguments.
func (r *reader) Copy(e ast.Expr) ast.Expr {
	id := r.newID()
	switch e.Kind() {
	case ast.LiteralKind:
		return r.made.NewLiteral(id, e.AsLiteral())
	case ast.IdentKind:
		return r.made.NewIdent(id, e.AsIdent())
	case ast.SelectKind:
		s := e.AsSelect()
		if s.IsTestOnly() {
			return r.made.NewPresenceTest(id, r.Copy(s.Operand()), s.FieldName())
		}
		return r.made.NewSelect(id, r.Copy(s.Operand()), s.FieldName())
	case ast.CallKind:
		c := e.AsCall()
		args := r.copies(c.Args())
		if c.IsMemberFunction() {
			return r.made.NewMemberCall(id, c.FunctionName(), r.Copy(c.Target()), args...)
		}
		return r.made.NewCall(id, c.FunctionName(), args...)
	case ast.ListKind:
		return r.made.NewList(id, r.copies(e.AsList().Elements()), e.AsList().OptionalIndices())
	case ast.MapKind:
		entries := make([]ast.EntryExpr, e.AsMap().Size())
		for i, entry := range e.AsMap().Entries() {
			id, from := r.newID(), entry.AsMapEntry()
			key := r.Copy(from.Key())
			entries[i] = r.made.NewMapEntry(id, key, r.Copy(from.Value()), from.IsOptional())
		}
		return r.made.NewMap(id, entries)
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		parts := r.copies([]ast.Expr{c.IterRange(), c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()})
		return r.made.NewComprehensionTwoVar(id, parts[0], c.IterVar(), c.IterVar2(), c.AccuVar(), parts[1], parts[2], parts[3], parts[4])
	}
	return r.fail()
}

func (r *reader) copies(all []ast.Expr) []ast.Expr {
	out := make([]ast.Expr, len(all))
	for i, e := range all {
		out[i] = r.Copy(e)
	}
	return out
}

func (r *reader) NewLiteral(v ref.Val) ast.Expr { return r.made.NewLiteral(r.newID(), v) }

func (r *reader) NewList(elems ...ast.Expr) ast.Expr {
	return r.made.NewList(r.newID(), elems, nil)
}

func (r *reader) NewMap(entries ...ast.EntryExpr) ast.Expr {
	return r.made.NewMap(r.newID(), entries)
}

func (r *reader) NewComprehension(over ast.Expr, variable, accumulator string, start, condition, step, result ast.Expr) ast.Expr {
	return r.made.NewComprehension(r.newID(), over, variable, accumulator, start, condition, step, result)
}

func (r *reader) NewComprehensionTwoVar(
	over ast.Expr, key, value, accumulator string, start, condition, step, result ast.Expr,
) ast.Expr {
	return r.made.NewComprehensionTwoVar(r.newID(), over, key, value, accumulator, start, condition, step, result)
}

func (r *reader) NewIdent(name string) ast.Expr { return r.made.NewIdent(r.newID(), name) }

func (r *reader) NewAccuIdent() ast.Expr { return r.made.NewIdent(r.newID(), accumulator) }

func (r *reader) AccuIdentName() string { return accumulator }

func (r *reader) NewCall(function string, args ...ast.Expr) ast.Expr {
	return r.made.NewCall(r.newID(), function, args...)
}

func (r *reader) NewMemberCall(function string, target ast.Expr, args ...ast.Expr) ast.Expr {
	return r.made.NewMemberCall(r.newID(), function, target, args...)
}

func (r *reader) NewPresenceTest(operand ast.Expr, field string) ast.Expr {
	return r.made.NewPresenceTest(r.newID(), operand, field)
}

func (r *reader) NewError(id int64, message string) *common.Error {
	return common.NewError(id, message, common.NoLocation)
}
