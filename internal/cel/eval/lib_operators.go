package eval

import (
	"strings"

	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/estimate"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/since"
)

// The operators of the language and size. Operators are functions with names that no expression can contain (CEN-020).
// Each has its own plan function, which also charges for it (CRC-020 to CRC-031). The operators for optional values are
// in lib_optionals.go.

func operators() []*Function {
	return []*Function{
		fn(opConditional, global("conditional", typeA, boolType, typeA, typeA)).
			costing(costs{static: maxBranch}).planned((*planner).planConditional),
		logical(opAnd, "logical_and", false),
		logical(opOr, "logical_or", true),
		fn(opNot, global("logical_not", boolType, boolType)).
			planned((*planner).planNot),
		fn(opNotStrictlyFalse, global("not_strictly_false", boolType, boolType)).planned((*planner).planNotStrictlyFalse),
		fn(opEqual, global("equals", boolType, typeA, typeA)).costing(costs{static: equality}).
			planned(func(p *planner, _ *ast.Expr, args []*ast.Expr) *part { return p.planEqual(args, false) }),
		fn(opNotEqual, global("not_equals", boolType, typeA, typeA)).costing(costs{static: readingLesser}).
			planned(func(p *planner, _ *ast.Expr, args []*ast.Expr) *part { return p.planEqual(args, true) }),
		arithmetic(opAdd, (*frame).add,
			global("add_bytes", bytesType, bytesType, bytesType).costing(costs{static: readingSum}).is(bySize),
			global("add_double", doubleType, doubleType, doubleType),
			global("add_duration_duration", durationType, durationType, durationType),
			global("add_duration_timestamp", timestampType, durationType, timestampType),
			global("add_timestamp_duration", timestampType, timestampType, durationType),
			global("add_int64", intType, intType, intType),
			global("add_list", listOf(typeA), listOf(typeA), listOf(typeA)).costing(costs{static: concatenation}),
			global("add_string", stringType, stringType, stringType).costing(costs{static: readingSum}).is(bySize),
			global("add_uint64", uintType, uintType, uintType)),
		arithmetic(opSubtract, subtract,
			global("subtract_double", doubleType, doubleType, doubleType),
			global("subtract_duration_duration", durationType, durationType, durationType),
			global("subtract_int64", intType, intType, intType),
			global("subtract_timestamp_duration", timestampType, timestampType, durationType),
			global("subtract_timestamp_timestamp", durationType, timestampType, timestampType),
			global("subtract_uint64", uintType, uintType, uintType)),
		arithmetic(opMultiply, multiplication.apply,
			global("multiply_double", doubleType, doubleType, doubleType),
			global("multiply_int64", intType, intType, intType),
			global("multiply_uint64", uintType, uintType, uintType)),
		arithmetic(opDivide, division.apply,
			global("divide_double", doubleType, doubleType, doubleType),
			global("divide_int64", intType, intType, intType),
			global("divide_uint64", uintType, uintType, uintType)),
		arithmetic(opModulo, modulus.apply,
			global("modulo_int64", intType, intType, intType),
			global("modulo_uint64", uintType, uintType, uintType)),
		fn(opNegate,
			global("negate_double", doubleType, doubleType),
			global("negate_int64", intType, intType)).planned((*planner).planNegate),
		relation(opLess, "less", [3]bool{true, false, false}),
		relation(opLessEqual, "less_equals", [3]bool{true, true, false}),
		relation(opGreater, "greater", [3]bool{false, false, true}),
		relation(opGreaterEqual, "greater_equals", [3]bool{false, true, true}),
		fn(opIndex,
			global("index_list", typeA, listOf(typeA), intType),
			global("index_map", typeB, mapOf(typeA, typeB), typeA)).planned(planQualified),
		fn(opIn,
			global("in_list", boolType, typeA, listOf(typeA)).is(bySize).costing(costs{static: func(c *estimate.Call) estimate.Result {
				return estimate.Costing(c.Args[1].SizeOr().Cost(1))
			}}),
			global("in_map", boolType, typeA, mapOf(typeA, typeB))).planned((*planner).planIn),
	}
}

// planQualified plans an index or an optional field selection, which is the last qualifier of a chain.
func planQualified(p *planner, e *ast.Expr, _ []*ast.Expr) *part { return p.planChain(e) }

func logical(name, id string, decides bool) *Function {
	f := fn(name, global(id, boolType, boolType, boolType)).
		costing(costs{static: func(*estimate.Call) estimate.Result { return estimate.Costing(0) }}).
		planned(func(p *planner, _ *ast.Expr, args []*ast.Expr) *part { return p.planLogic(args, decides) })
	return f.each(func(o *Overload) { o.Logical = true })
}

func arithmetic(name string, apply func(f *frame, l, r value) value, overloads ...*Overload) *Function {
	return fn(name, overloads...).planned(func(p *planner, e *ast.Expr, args []*ast.Expr) *part { return p.planArithmetic(e, apply, args) })
}

// relation declares a relation: numbers of any types may be compared (CTY-034), and other values of the same type.
// wanted is its result for the orders -1, 0 and 1.
func relation(name, id string, wanted [3]bool) *Function {
	sized := costs{static: readingLesser}
	f := fn(name,
		global(id+"_bool", boolType, boolType, boolType),
		global(id+"_int64", boolType, intType, intType),
		global(id+"_int64_double", boolType, intType, doubleType).from(since.CrossTypeComparison),
		global(id+"_int64_uint64", boolType, intType, uintType).from(since.CrossTypeComparison),
		global(id+"_uint64", boolType, uintType, uintType),
		global(id+"_uint64_double", boolType, uintType, doubleType).from(since.CrossTypeComparison),
		global(id+"_uint64_int64", boolType, uintType, intType).from(since.CrossTypeComparison),
		global(id+"_double", boolType, doubleType, doubleType),
		global(id+"_double_int64", boolType, doubleType, intType).from(since.CrossTypeComparison),
		global(id+"_double_uint64", boolType, doubleType, uintType).from(since.CrossTypeComparison),
		global(id+"_string", boolType, stringType, stringType).costing(sized).is(bySize),
		global(id+"_bytes", boolType, bytesType, bytesType).costing(sized).is(bySize),
		global(id+"_timestamp", boolType, timestampType, timestampType),
		global(id+"_duration", boolType, durationType, durationType))
	return f.planned(func(p *planner, e *ast.Expr, args []*ast.Expr) *part {
		return p.planOrder(e, ordering{name: name, wanted: wanted}, args)
	})
}

// maxBranch is the static cost of a conditional: that of the more expensive branch.
func maxBranch(c *estimate.Call) estimate.Result {
	yes, no := &c.Args[1], &c.Args[2]
	c.Sizes.UniteEntries(c.Expr, yes.Expr, no.Expr)
	e := estimate.Giving(yes.SizeOr().Union(no.SizeOr()), estimate.Plus(c.Args[0].Cost, max(yes.Cost, no.Cost)))
	e.Operands = true
	return e
}

func concatenation(c *estimate.Call) estimate.Result {
	a, b := &c.Args[0], &c.Args[1]
	c.Sizes.UniteEntries(c.Expr, a.Expr, b.Expr)
	return estimate.Giving(a.SizeOr().Plus(b.SizeOr()), 1)
}

func readingSum(c *estimate.Call) estimate.Result {
	e := concatenation(c)
	e.Cost = e.Size.Cost(estimate.PerByte)
	return e
}

// readingLesser is the static cost of comparing two values.
func readingLesser(c *estimate.Call) estimate.Result {
	return estimate.Costing(estimate.Scale(min(c.Args[0].SizeOr().Hi, c.Args[1].SizeOr().Hi), estimate.PerByte))
}

// equality is readingLesser, except for two values of the same type of Kubernetes.
func equality(c *estimate.Call) estimate.Result {
	a, b := &c.Args[0], &c.Args[1]
	name := a.Type.TypeName()
	if !since.OpaqueEquality.In(c.Minor) || name != b.Type.TypeName() {
		return readingLesser(c)
	}
	switch kind := a.Type.Kind(); {
	case kind != types.OpaqueKind && kind != types.StructKind:
	case name == formatType.TypeName():
		return estimate.Costing(7)
	case name == urlType.TypeName() && b.Sized:
		return estimate.Costing(b.Size.Cost(estimate.PerByte))
	case strings.HasPrefix(name, "net.") || strings.HasPrefix(name, "kubernetes."):
		return estimate.Costing(1)
	}
	return readingLesser(c)
}
