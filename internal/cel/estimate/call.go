package estimate

import (
	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/since"
)

// A Function returns the maximum cost of a call, and the size of its result. Package eval has one for each overload
// that does not cost 1, next to its implementation.
type Function func(c *Call) Result

// A Result is the static cost of a call, and the size of its result if the function knows that.
type Result struct {
	Cost     uint64 // without the cost of the operands, unless Operands is set
	Size     Span
	Sized    bool
	Operands bool // Cost includes the costs of the operands, which are not simply added
}

// Costing returns the estimate of a call if the function does not know the size of its result.
func Costing(cost uint64) Result { return Result{Cost: cost} }

// Giving returns the estimate of a call with a result of that size.
func Giving(size Span, cost uint64) Result { return Result{Cost: cost, Size: size, Sized: true} }

// A Call is a call to estimate.
type Call struct {
	Expr   *ast.Expr
	Target *Operand // nil: none
	Args   []Operand
	Minor  since.Minor // the version whose costs are estimated
	Sizes  Sizes
}

// An Operand is the target or an argument of a call.
type Operand struct {
	Expr  *ast.Expr
	Type  *types.Type
	Cost  uint64
	Path  []string // where in the schema the value comes from; empty if it does not
	Size  Span
	Sized bool
}

// Sizes has the sizes that an estimate has determined so far. Sizes by path may change during the estimate (CES-013).
type Sizes interface {
	// SizeAt returns the size of the value at path.
	SizeAt(path []string) (Span, bool)
	// ItemSizeAt returns the size of the items of the list at path.
	ItemSizeAt(path []string) (Span, bool)
	// UniteEntries gives e the possible entries of a and of b.
	UniteEntries(e, a, b *ast.Expr)
	// KeepItems gives the result of the call the items of a list, or items of size 1 for nil, since [since.NestedSizes].
	KeepItems(from *ast.Expr)
}

// SizeOr returns the operand's size, or Unknown.
func (o *Operand) SizeOr() Span { return known(o.Size, o.Sized) }

func known(s Span, ok bool) Span {
	if ok {
		return s
	}
	return Unknown
}

// Int returns the value of an operand that is an int literal.
func (o *Operand) Int() (int64, bool) {
	if o.Expr.Kind() != ast.LiteralKind {
		return 0, false
	}
	i, ok := o.Expr.AsLiteral().(types.Int)
	return int64(i), ok
}

// Operand returns operand i. The target is the first one, if there is a target.
func (c *Call) Operand(i int) *Operand {
	if c.Target != nil {
		if i == 0 {
			return c.Target
		}
		i--
	}
	return &c.Args[i]
}

// Size returns the size of an operand. If it was unknown when the operand was estimated, its path is looked up again.
//
// Clauses: CES-023.
func (c *Call) Size(o *Operand) Span {
	if o.Sized {
		return o.Size
	}
	return known(c.Sizes.SizeAt(o.Path))
}

// ItemSize returns the size of the items of an operand that is a list.
func (c *Call) ItemSize(o *Operand) Span { return known(c.Sizes.ItemSizeAt(o.Path)) }
