package parse

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/parser"
)

// Macros are the calls that are expanded.
type Macros map[signature]parser.MacroExpander

// A signature identifies the calls of a macro.
type signature struct {
	name   string
	method bool
	args   int
}

// NewMacros returns macros by their signatures. Each must have a fixed number of arguments. Expanders must be safe for
// concurrent use.
func NewMacros(macros ...parser.Macro) Macros {
	m := make(Macros, len(macros))
	for _, macro := range macros {
		m[signature{macro.Function(), macro.IsReceiverStyle(), macro.ArgCount()}] = macro.Expander()
	}
	return m
}

// call returns the call of a function, or its expansion if it is a macro.
func (r *reader) call(id int64, function string, args ...ast.Expr) ast.Expr {
	if e := r.expand(id, function, nil, args); e != nil {
		return e
	}
	return r.made.NewCall(id, function, args...)
}

// methodCall returns the call of a method, or its expansion if it is a macro.
func (r *reader) methodCall(id int64, function string, target ast.Expr, args []ast.Expr) ast.Expr {
	if e := r.expand(id, function, target, args); e != nil {
		return e
	}
	return r.made.NewMemberCall(id, function, target, args...)
}

// expand returns the expansion of a call, or nil if it is not a macro or the macro leaves it as it is. The call's own
// id is reused if it is the last.
func (r *reader) expand(id int64, function string, target ast.Expr, args []ast.Expr) ast.Expr {
	expander, ok := r.macros[signature{function, target != nil, len(args)}]
	if !ok || r.kind == unknown { // the arguments may be invalid
		return nil
	}
	e, err := expander(r, target, args)
	if err != nil {
		return r.fail()
	}
	if e != nil && id == r.id-1 {
		r.id--
	}
	return e
}
