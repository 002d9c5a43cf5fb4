package eval

import (
	"context"

	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/since"
)

// CheckRule and CheckMessage check expressions of stored definitions. Package eval_test sets them.
var (
	CheckRule    func(text string, self *types.SchemaType, optionalOldSelf bool) (*ast.AST, error)
	CheckMessage func(text string, self *types.SchemaType) (*ast.AST, error)
)

// Input is the input of a program.
type Input struct {
	Node    *plan.Node // describes Self and Old
	Self    any
	Old     any
	OldSelf OldSelf
}

// NewMachine returns a machine for one walk.
func NewMachine(ctx context.Context, limit int64) *Machine {
	m := new(Machine)
	m.Reset(ctx, limit, since.Profile{})
	return m
}

// Run runs p with in.
func (m *Machine) Run(p *Program, in *Input) Result {
	m.Load(in.Node, in.Self, in.Old)
	return m.Eval(p, in.OldSelf)
}
