package parse

import (
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/parser"
)

// A maker creates nodes for macros. Each node gets a new id when it is created.
type maker struct {
	parser.ExprHelper // nil: for methods that a newer cel-go may add
	reader            *reader
}

// Copy copies e. Each node gets its id before its children, and the target of a method after its arguments.
func (m *maker) Copy(e ast.Expr) ast.Expr {
	id := m.reader.newID()
	made := m.reader.made
	switch e.Kind() {
	case ast.LiteralKind:
		return made.NewLiteral(id, e.AsLiteral())
	case ast.IdentKind:
		return made.NewIdent(id, e.AsIdent())
	case ast.SelectKind:
		s := e.AsSelect()
		if s.IsTestOnly() {
			return made.NewPresenceTest(id, m.Copy(s.Operand()), s.FieldName())
		}
		return made.NewSelect(id, m.Copy(s.Operand()), s.FieldName())
	case ast.CallKind:
		c := e.AsCall()
		args := m.copies(c.Args())
		if c.IsMemberFunction() {
			return made.NewMemberCall(id, c.FunctionName(), m.Copy(c.Target()), args...)
		}
		return made.NewCall(id, c.FunctionName(), args...)
	case ast.ListKind:
		return made.NewList(id, m.copies(e.AsList().Elements()), e.AsList().OptionalIndices())
	case ast.MapKind:
		entries := make([]ast.EntryExpr, e.AsMap().Size())
		for i, entry := range e.AsMap().Entries() {
			id, from := m.reader.newID(), entry.AsMapEntry()
			key := m.Copy(from.Key())
			entries[i] = made.NewMapEntry(id, key, m.Copy(from.Value()), from.IsOptional())
		}
		return made.NewMap(id, entries)
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		parts := m.copies([]ast.Expr{c.IterRange(), c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()})
		return made.NewComprehensionTwoVar(id, parts[0], c.IterVar(), c.IterVar2(), c.AccuVar(), parts[1], parts[2], parts[3], parts[4])
	}
	return m.reader.fail()
}

func (m *maker) copies(all []ast.Expr) []ast.Expr {
	out := make([]ast.Expr, len(all))
	for i, e := range all {
		out[i] = m.Copy(e)
	}
	return out
}

func (m *maker) NewLiteral(v ref.Val) ast.Expr { return m.reader.made.NewLiteral(m.reader.newID(), v) }

func (m *maker) NewList(elems ...ast.Expr) ast.Expr {
	return m.reader.made.NewList(m.reader.newID(), elems, nil)
}

func (m *maker) NewMap(entries ...ast.EntryExpr) ast.Expr {
	return m.reader.made.NewMap(m.reader.newID(), entries)
}

func (m *maker) NewMapEntry(key, value ast.Expr, optional bool) ast.EntryExpr {
	return m.reader.made.NewMapEntry(m.reader.newID(), key, value, optional)
}

func (m *maker) NewStruct(name string, fields ...ast.EntryExpr) ast.Expr {
	return m.reader.made.NewStruct(m.reader.newID(), name, fields)
}

func (m *maker) NewStructField(name string, value ast.Expr, optional bool) ast.EntryExpr {
	return m.reader.made.NewStructField(m.reader.newID(), name, value, optional)
}

func (m *maker) NewComprehension(over ast.Expr, variable, accumulator string, start, condition, step, result ast.Expr) ast.Expr {
	return m.reader.made.NewComprehension(m.reader.newID(), over, variable, accumulator, start, condition, step, result)
}

func (m *maker) NewComprehensionTwoVar(
	over ast.Expr, key, value, accumulator string, start, condition, step, result ast.Expr,
) ast.Expr {
	return m.reader.made.NewComprehensionTwoVar(m.reader.newID(), over, key, value, accumulator, start, condition, step, result)
}

func (m *maker) NewIdent(name string) ast.Expr { return m.reader.made.NewIdent(m.reader.newID(), name) }

func (m *maker) NewAccuIdent() ast.Expr { return m.reader.made.NewIdent(m.reader.newID(), accumulator) }

func (m *maker) AccuIdentName() string { return accumulator }

func (m *maker) NewCall(function string, args ...ast.Expr) ast.Expr {
	return m.reader.made.NewCall(m.reader.newID(), function, args...)
}

func (m *maker) NewMemberCall(function string, target ast.Expr, args ...ast.Expr) ast.Expr {
	return m.reader.made.NewMemberCall(m.reader.newID(), function, target, args...)
}

func (m *maker) NewPresenceTest(operand ast.Expr, field string) ast.Expr {
	return m.reader.made.NewPresenceTest(m.reader.newID(), operand, field)
}

func (m *maker) NewSelect(operand ast.Expr, field string) ast.Expr {
	return m.reader.made.NewSelect(m.reader.newID(), operand, field)
}

func (m *maker) OffsetLocation(int64) common.Location { return common.NoLocation }

func (m *maker) NewError(id int64, message string) *common.Error {
	return common.NewError(id, message, common.NoLocation)
}
