package check

import (
	"slices"
	"sync"

	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/eval"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/since"
)

// The checks after the type check (CEN-050).

// validate adds the problems of a checked expression.
func (in *inference) validate(a *ast.AST) {
	v := validator{AST: a, inference: in, equivalent: (*types.Type).IsEquivalentType}
	if !since.StrictLiterals.In(in.minor) {
		v.equivalent = assignable
	}
	v.collect(a.Expr(), false)

	// CEN-050: one kind of problem after the other. The order matters only if problems are cut off.
	for _, e := range v.lists {
		v.list(e.AsList())
	}
	for _, e := range v.maps {
		v.dict(e.AsMap())
	}
	for _, name := range checkedFunctions() {
		for _, e := range v.calls {
			if c := literalCheck(e.AsCall()); e.AsCall().FunctionName() == name && c.Since.In(in.minor) {
				v.literals(e, c)
			}
		}
	}
}

// A validator checks the literals and calls of one checked expression.
type validator struct {
	*ast.AST
	*inference
	equivalent func(first, next *types.Type) bool // whether both are allowed in one literal

	// Nodes of the expression, each after those inside it.
	lists, maps []*ast.Expr // literals whose elements must have one type
	calls       []*ast.Expr // whose literals are checked
}

// collect collects what has to be validated in e. inFormat says that e is inside a call of format, where literals may
// be mixed (CTY-035).
func (v *validator) collect(e *ast.Expr, inFormat bool) {
	switch e.Kind() {
	case ast.CallKind:
		c := e.AsCall()
		checked := literalCheck(c)
		inside := inFormat || checked.Format
		if c.IsMemberFunction() {
			v.collect(c.Target(), inside)
		}
		for _, arg := range c.Args() {
			v.collect(arg, inside)
		}
		if checked.Valid != nil || checked.Format {
			v.calls = append(v.calls, e)
		}
	case ast.ComprehensionKind:
		c := e.AsComprehension() // whose condition is a macro's own
		for _, part := range []*ast.Expr{c.IterRange(), c.AccuInit(), c.LoopStep(), c.Result()} {
			v.collect(part, inFormat)
		}
	case ast.ListKind:
		for _, elem := range e.AsList().Elements() {
			v.collect(elem, inFormat)
		}
		if !inFormat {
			v.lists = append(v.lists, e)
		}
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			v.collect(entry.Key(), inFormat)
			v.collect(entry.Value(), inFormat)
		}
		if !inFormat {
			v.maps = append(v.maps, e)
		}
	case ast.SelectKind:
		v.collect(e.AsSelect().Operand(), inFormat)
	case ast.StructKind:
		for _, field := range e.AsStruct().Fields() {
			v.collect(field.Value(), inFormat)
		}
	}
}

// list compares the elements with the first one, until one differs: CEN-051.
func (v *validator) list(l *ast.ListExpr) {
	var first *types.Type
	for i, elem := range l.Elements() {
		typ := v.valueType(elem, l.IsOptional(int32(i)))
		if first == nil {
			first = typ
			continue
		}
		if !v.equivalent(first, typ) {
			v.mismatch(elem, first, typ)
			return
		}
	}
}

// dict compares the key and the value of each entry with those of the first: CEN-051.
func (v *validator) dict(m *ast.MapExpr) {
	var firstKey, firstValue *types.Type
	for _, entry := range m.Entries() {
		key, value := v.GetType(entry.Key().ID()), v.valueType(entry.Value(), entry.IsOptional())
		if firstKey == nil {
			firstKey, firstValue = key, value
			continue
		}
		if !v.equivalent(firstKey, key) {
			v.mismatch(entry.Key(), firstKey, key)
		}
		if !v.equivalent(firstValue, value) {
			v.mismatch(entry.Value(), firstValue, value)
		}
	}
}

// assignable reports whether two types match: each two corresponding parts are the same, or one of them is dyn.
func assignable(a, b *types.Type) bool {
	return anything(a.Kind()) || anything(b.Kind()) || a.Kind() == b.Kind() && sameShape(a, b, assignable)
}

// valueType returns the type that e contributes to a literal. For an optional element or entry, it is that of its
// value.
func (v *validator) valueType(e *ast.Expr, optional bool) *types.Type {
	typ := v.GetType(e.ID())
	if optional && len(typ.Parameters()) > 0 {
		return typ.Parameters()[0]
	}
	return typ
}

// checkedFunctions are the functions whose literals are checked, in the order of the table.
var checkedFunctions = sync.OnceValue(func() []string {
	var names []string
	for _, f := range eval.Functions(true) {
		if slices.ContainsFunc(f.Overloads, func(o *eval.Overload) bool { return o.Literal.Valid != nil || o.Literal.Format }) {
			names = append(names, f.Name)
		}
	}
	return names
})

// literalCheck returns the check of literals in a call.
func literalCheck(c *ast.CallExpr) eval.LiteralCheck {
	for _, o := range eval.OverloadsOf(c.FunctionName()) {
		if o.Method == c.IsMemberFunction() {
			return o.Literal
		}
	}
	return eval.LiteralCheck{}
}

// literals checks the first argument of a call if it is a literal: CEN-052. For s.matches(p) that is the pattern, for
// matches(s, p) the subject.
func (v *validator) literals(e *ast.Expr, check eval.LiteralCheck) {
	c := e.AsCall()
	switch {
	case check.Format:
		v.format(e)
	case len(c.Args()) == 0 || c.Args()[0].Kind() != ast.LiteralKind:
	case !check.Valid(c.Args()[0].AsLiteral().Value()):
		v.report(c.Args()[0].ID(), "invalid ", c.FunctionName(), " argument")
	}
}
