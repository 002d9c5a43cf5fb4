package eval

import (
	"github.com/crdkit/crdkit/internal/cel/declare"
	"github.com/google/cel-go/common/ast"
)

// CheckRule and CheckMessage check expressions of stored definitions. Package eval_test sets them.
var (
	CheckRule    func(text string, self *declare.Type, optionalOldSelf bool) (*ast.AST, error)
	CheckMessage func(text string, self *declare.Type) (*ast.AST, error)
)
