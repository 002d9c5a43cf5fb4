package eval_test

import (
	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/check"
	"github.com/crdkit/crdkit/internal/cel/eval"
	"github.com/crdkit/crdkit/internal/cel/types"
)

// Package check imports this one for its functions, so only an external test may import it.
func init() {
	tree := func(e *check.Expr, err error) (*ast.AST, error) {
		if err != nil {
			return nil, err
		}
		return e.AST, nil
	}
	eval.CheckRule = func(text string, self *types.SchemaType, optionalOldSelf bool) (*ast.AST, error) {
		return tree(new(check.Checker).Rule(text, self, optionalOldSelf, true))
	}
	eval.CheckMessage = func(text string, self *types.SchemaType) (*ast.AST, error) {
		return tree(new(check.Checker).Message(text, self, false, true))
	}
}
