package parse

import "github.com/crdkit/crdkit/internal/cel/ast"

// A Macro is a call that the parser expands.
type Macro struct {
	Name   string
	Method bool // the call has a target
	Args   int
	Expand Expander
}

// An Expander returns the expansion of a call of a macro, whose nodes m creates. target is nil for a function. If it
// returns nil and no error, the call is not expanded. Expanders must be safe for concurrent use.
type Expander func(m *Maker, target *ast.Expr, args []*ast.Expr) (*ast.Expr, *MacroError)

// A MacroError says why a macro cannot be expanded.
type MacroError struct {
	ID   int64 // of the node that is at fault
	Text string
}

// Macros are the calls that are expanded.
type Macros map[signature]Expander

// A signature identifies the calls of a macro.
type signature struct {
	name   string
	method bool
	args   int
}

// NewMacros returns macros by their signatures.
func NewMacros(macros ...Macro) Macros {
	m := make(Macros, len(macros))
	for _, macro := range macros {
		m[signature{macro.Name, macro.Method, macro.Args}] = macro.Expand
	}
	return m
}

// expander returns the expander of a call, or nil if it is not a macro.
func (m Macros) expander(function string, target *ast.Expr, args []*ast.Expr) Expander {
	return m[signature{function, target != nil, len(args)}]
}

// call returns the call of a function, or its expansion if it is a macro.
func (r *reader) call(id int64, function string, args ...*ast.Expr) *ast.Expr {
	if e := r.expand(id, function, nil, args); e != nil {
		return e
	}
	return ast.NewCall(id, function, args...)
}

// methodCall returns the call of a method, or its expansion if it is a macro.
func (r *reader) methodCall(id int64, function string, target *ast.Expr, args []*ast.Expr) *ast.Expr {
	if e := r.expand(id, function, target, args); e != nil {
		return e
	}
	return ast.NewMemberCall(id, function, target, args...)
}

// expand returns the expansion of a call, or nil if it is not a macro or the macro leaves it as it is.
func (r *reader) expand(id int64, function string, target *ast.Expr, args []*ast.Expr) *ast.Expr {
	expander := r.macros.expander(function, target, args)
	if expander == nil || r.kind == unknown { // the arguments may be invalid
		return nil
	}
	e, err := expander(&r.Maker, target, args)
	if err != nil {
		return r.fail()
	}
	if e != nil {
		r.release(id)
	}
	return e
}
