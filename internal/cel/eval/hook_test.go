package eval_test

import (
	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/check"
	"github.com/crdkit/crdkit/internal/cel/declare"
	"github.com/crdkit/crdkit/internal/cel/eval"
)

// Package check imports this one for its functions, so only an external test may import it.
func init() {
	tree := func(e *check.Expr, err error) (*ast.AST, error) {
		if err != nil {
			return nil, err
		}
		return e.AST, nil
	}
	eval.CheckRule = func(text string, self *declare.Type, optionalOldSelf bool) (*ast.AST, error) {
		return tree(new(check.Checker).Rule(text, self, optionalOldSelf, true))
	}
	eval.CheckMessage = func(text string, self *declare.Type) (*ast.AST, error) {
		return tree(new(check.Checker).Message(text, self, false, true))
	}
}
