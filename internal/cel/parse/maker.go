package parse

import (
	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/types"
)

// Accumulator is the name of accumulators in macros. No variable of a text has it.
const Accumulator = "@result"

// A Maker creates the nodes of one expression. Its exported methods are for macros: each node gets the next id, and the
// position of the macro's call.
type Maker struct {
	nextID int64

	places  []Position // of the nodes, by id; nil if none are kept
	macroAt Position   // the position of the macro that is expanded
}

// newID returns an id for a node. Ids are assigned in the order in which operators and operands end.
func (m *Maker) newID() int64 {
	m.nextID++
	return m.nextID - 1
}

// idAt returns an id for a node at a position.
func (m *Maker) idAt(at Position) int64 {
	if m.places != nil {
		if at == NoPosition {
			at = outside
		}
		m.places = append(m.places, at)
	}
	return m.newID()
}

// place returns the position of a node.
func (m *Maker) place(id int64) Position { return placeOf(m.places, id) }

// release gives up the id of a macro's call after its expansion. It is reused if it is the last.
func (m *Maker) release(id int64) {
	last := id == m.nextID-1
	if last {
		m.nextID--
	}
	switch {
	case m.places == nil:
	case last:
		m.places = m.places[:id]
	default:
		m.places[id] = NoPosition
	}
}

// balanced returns the tree of a chain of one logical operator: the calls have the given ids.
func (m *Maker) balanced(function string, terms []*ast.Expr, ids []int64) *ast.Expr {
	if len(ids) == 0 {
		return terms[0]
	}
	middle := len(ids) / 2
	left := m.balanced(function, terms[:middle+1], ids[:middle])
	right := m.balanced(function, terms[middle+1:], ids[middle+1:])
	return ast.NewCall(ids[middle], function, left, right)
}

// Copy copies e. Each node has the position of its original, and the entries of maps and messages that of the call. A
// node gets its id before its children, and the target of a method after its arguments.
func (m *Maker) Copy(e *ast.Expr) *ast.Expr {
	id := m.idAt(m.place(e.ID()))
	switch e.Kind() {
	case ast.LiteralKind:
		return ast.NewLiteral(id, e.AsLiteral())
	case ast.IdentKind:
		return ast.NewIdent(id, e.AsIdent())
	case ast.SelectKind:
		s := e.AsSelect()
		if s.IsTestOnly() {
			return ast.NewPresenceTest(id, m.Copy(s.Operand()), s.FieldName())
		}
		return ast.NewSelect(id, m.Copy(s.Operand()), s.FieldName())
	case ast.CallKind:
		c := e.AsCall()
		args := m.copies(c.Args())
		if c.IsMemberFunction() {
			return ast.NewMemberCall(id, c.FunctionName(), m.Copy(c.Target()), args...)
		}
		return ast.NewCall(id, c.FunctionName(), args...)
	case ast.ListKind:
		return ast.NewList(id, m.copies(e.AsList().Elements()), e.AsList().OptionalIndices())
	case ast.MapKind:
		entries := make([]ast.MapEntry, e.AsMap().Size())
		for i, entry := range e.AsMap().Entries() {
			id := m.idAt(m.macroAt)
			key := m.Copy(entry.Key())
			entries[i] = ast.NewMapEntry(id, key, m.Copy(entry.Value()), entry.IsOptional())
		}
		return ast.NewMap(id, entries)
	case ast.StructKind:
		fields := make([]ast.StructField, len(e.AsStruct().Fields()))
		for i, field := range e.AsStruct().Fields() {
			id := m.idAt(m.macroAt)
			fields[i] = ast.NewStructField(id, field.Name(), m.Copy(field.Value()), field.IsOptional())
		}
		return ast.NewStruct(id, e.AsStruct().TypeName(), fields)
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		parts := m.copies([]*ast.Expr{c.IterRange(), c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()})
		return ast.NewComprehensionTwoVar(
			id, parts[0], c.IterVar(), c.IterVar2(), c.AccuVar(), parts[1], parts[2], parts[3], parts[4])
	}
	return ast.NewUnspecifiedExpr(id)
}

func (m *Maker) copies(all []*ast.Expr) []*ast.Expr {
	out := make([]*ast.Expr, len(all))
	for i, e := range all {
		out[i] = m.Copy(e)
	}
	return out
}

// NewLiteral returns a new literal.
func (m *Maker) NewLiteral(v types.Value) *ast.Expr { return ast.NewLiteral(m.idAt(m.macroAt), v) }

// NewList returns a new list.
func (m *Maker) NewList(elems ...*ast.Expr) *ast.Expr {
	return ast.NewList(m.idAt(m.macroAt), elems, nil)
}

// NewMap returns a new map.
func (m *Maker) NewMap(entries ...ast.MapEntry) *ast.Expr {
	return ast.NewMap(m.idAt(m.macroAt), entries)
}

// NewComprehension returns a new loop with one variable.
func (m *Maker) NewComprehension(
	over *ast.Expr, variable, accumulator string, start, condition, step, result *ast.Expr,
) *ast.Expr {
	return ast.NewComprehension(m.idAt(m.macroAt), over, variable, accumulator, start, condition, step, result)
}

// NewComprehensionTwoVar returns a new loop with two variables.
func (m *Maker) NewComprehensionTwoVar(
	over *ast.Expr, key, value, accumulator string, start, condition, step, result *ast.Expr,
) *ast.Expr {
	return ast.NewComprehensionTwoVar(m.idAt(m.macroAt), over, key, value, accumulator, start, condition, step, result)
}

// NewIdent returns a new use of a variable.
func (m *Maker) NewIdent(name string) *ast.Expr { return ast.NewIdent(m.idAt(m.macroAt), name) }

// NewAccuIdent returns a new use of the accumulator.
func (m *Maker) NewAccuIdent() *ast.Expr { return m.NewIdent(Accumulator) }

// NewCall returns a new call of a function.
func (m *Maker) NewCall(function string, args ...*ast.Expr) *ast.Expr {
	return ast.NewCall(m.idAt(m.macroAt), function, args...)
}

// NewMemberCall returns a new call of a method.
func (m *Maker) NewMemberCall(function string, target *ast.Expr, args ...*ast.Expr) *ast.Expr {
	return ast.NewMemberCall(m.idAt(m.macroAt), function, target, args...)
}

// NewPresenceTest returns a new test whether a field is set.
func (m *Maker) NewPresenceTest(operand *ast.Expr, field string) *ast.Expr {
	return ast.NewPresenceTest(m.idAt(m.macroAt), operand, field)
}
