package parse

import (
	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/types"
)

// A Macro is a call that is expanded.
type Macro struct {
	signature
	expander MacroExpander
}

// A MacroExpander returns the expansion of a call, or nil if the call remains as it is.
type MacroExpander func(h ExprHelper, target *ast.Expr, args []*ast.Expr) (*ast.Expr, *Error)

// An Error says what is wrong with a call of a macro.
type Error struct {
	ID   int64 // of the node with the error
	Text string
}

// An ExprHelper creates the nodes of an expansion. Each node gets a new id when it is created.
type ExprHelper interface {
	Copy(e *ast.Expr) *ast.Expr
	NewLiteral(v types.Value) *ast.Expr
	NewList(elems ...*ast.Expr) *ast.Expr
	NewMap(entries ...ast.MapEntry) *ast.Expr
	NewIdent(name string) *ast.Expr
	NewAccuIdent() *ast.Expr
	AccuIdentName() string
	NewCall(function string, args ...*ast.Expr) *ast.Expr
	NewMemberCall(function string, target *ast.Expr, args ...*ast.Expr) *ast.Expr
	NewPresenceTest(operand *ast.Expr, field string) *ast.Expr
	NewComprehension(over *ast.Expr, variable, accumulator string, start, condition, step, result *ast.Expr) *ast.Expr
	NewComprehensionTwoVar(
		over *ast.Expr, key, value, accumulator string, start, condition, step, result *ast.Expr,
	) *ast.Expr
	NewError(id int64, text string) *Error
}

// NewGlobalMacro returns a macro for calls of a function.
func NewGlobalMacro(function string, args int, expander MacroExpander) Macro {
	return Macro{signature{function, false, args}, expander}
}

// NewReceiverMacro returns a macro for calls of a method.
func NewReceiverMacro(function string, args int, expander MacroExpander) Macro {
	return Macro{signature{function, true, args}, expander}
}

// Function returns the name of the function or method.
func (m Macro) Function() string { return m.name }

// IsReceiverStyle reports whether m is for a method.
func (m Macro) IsReceiverStyle() bool { return m.method }

// ArgCount returns the number of arguments.
func (m Macro) ArgCount() int { return m.args }

// Expander returns what expands the calls.
func (m Macro) Expander() MacroExpander { return m.expander }

// Macros are the calls that are expanded.
type Macros map[signature]MacroExpander

// A signature identifies the calls of a macro.
type signature struct {
	name   string
	method bool
	args   int
}

// NewMacros returns macros by their signatures. Expanders must be safe for concurrent use.
func NewMacros(macros ...Macro) Macros {
	m := make(Macros, len(macros))
	for _, macro := range macros {
		m[macro.signature] = macro.expander
	}
	return m
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

// expand returns the expansion of a call, or nil if it is not a macro or the macro leaves it as it is. The call's own
// id is reused if it is the last.
func (r *reader) expand(id int64, function string, target *ast.Expr, args []*ast.Expr) *ast.Expr {
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
