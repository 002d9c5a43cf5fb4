package parse

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/parser"
)

// Macros are the calls that are rewritten.
type Macros map[signature]parser.MacroExpander

// A signature says which calls are those of a macro.
type signature struct {
	name   string
	method bool
	args   int
}

// NewMacros returns macros by their calls. Each must take a fixed number of arguments. Expanders are called by several goroutines at
// once.
func NewMacros(macros ...parser.Macro) Macros {
	m := make(Macros, len(macros))
	for _, macro := range macros {
		m[signature{macro.Function(), macro.IsReceiverStyle(), macro.ArgCount()}] = macro.Expander()
	}
	return m
}

func str(s string) ref.Val { return types.String(s) }

// call returns the call of a function, or what a macro makes of it.
func (r *reader) call(id int64, function string, args ...ast.Expr) ast.Expr {
	if expand, ok := r.macros[signature{function, false, len(args)}]; ok {
		if e := r.expand(expand, id, nil, args); e != nil {
			return e
		}
	}
	return r.made.NewCall(id, function, args...)
}

// methodCall returns the call of a method, or what a macro makes of it.
func (r *reader) methodCall(id int64, function string, target ast.Expr, args []ast.Expr) ast.Expr {
	if expand, ok := r.macros[signature{function, true, len(args)}]; ok {
		if e := r.expand(expand, id, target, args); e != nil {
			return e
		}
	}
	return r.made.NewMemberCall(id, function, target, args...)
}

// expand returns what a macro makes of a call, or nil if it leaves that as it is. The call's own id is used again if it is the last.
func (r *reader) expand(expander parser.MacroExpander, id int64, target ast.Expr, args []ast.Expr) ast.Expr {
	if r.kind == unknown {
		return nil // the arguments may be anything
	}
	e, err := expander(&r.maker, target, args)
	if err != nil {
		return r.fail()
	}
	if e != nil && id == r.id-1 {
		r.id--
	}
	return e
}
