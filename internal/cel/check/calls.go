package check

import (
	"slices"

	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/eval"
	"github.com/crdkit/crdkit/internal/cel/types"
)

// call checks a call, and finds the overloads that it may be.
func (in *inference) call(e *ast.Expr) *types.Type {
	c := e.AsCall()
	name := c.FunctionName()
	if name == "_?._" {
		return in.optionalField(e)
	}
	f := in.callables[name]
	if f != nil {
		in.suspect = in.suspect || f.literals
	}
	var few [4]*types.Type
	args := few[:0]
	if c.IsMemberFunction() {
		args = append(args, nil) // the target, which is checked last
	}
	for _, arg := range c.Args() {
		args = append(args, in.check(arg))
	}
	if !c.IsMemberFunction() {
		if f == nil {
			return in.fail()
		}
		in.plain = in.plain && plannable(f.functions, name, c.Args())
		return in.choose(e, f.functions, f.logical, args)
	}
	if root := rootOf(c.Target()); root != nil && in.spaces[root.AsIdent()] {
		if space, ok := ast.QualifiedName(c.Target()); ok {
			full := space + "." + name
			if f := in.callables[full]; f != nil {
				e.Replace(ast.NewCall(e.ID(), full, c.Args()...))
				return in.choose(e, f.functions, false, args[1:])
			}
		}
	}
	args[0] = in.check(c.Target())
	if f == nil {
		return in.fail()
	}
	in.plain = in.plain && plannable(f.methods, name, c.Args())
	return in.choose(e, f.methods, false, args)
}

// plannable reports whether a call of one of the candidates can certainly be planned. args are those after the
// receiver.
func plannable(candidates []candidate, function string, args []*ast.Expr) bool {
	if len(candidates) == 0 {
		return true
	}
	switch candidates[0].Planning {
	case eval.RefusesConstant:
		return len(args) == 1 && isPath(args[0])
	case eval.RefusesPattern: // validate checks literal patterns
		return len(args) != 1 || args[0].Kind() == ast.LiteralKind || isPath(args[0])
	case eval.MayRefuse:
		return false
	}
	switch function {
	case "_[_]", "_[?_]":
		if len(args) != 2 {
			break
		}
		switch args[1].Kind() {
		case ast.LiteralKind:
			switch args[1].AsLiteral().(type) {
			case types.String, types.Int, types.Uint, types.Double, types.Bool:
				return true
			}
			return false
		case ast.ListKind, ast.MapKind: // a constant list or map is not an index
			return false
		}
	}
	return true
}

// isPath reports whether e is a variable or a field of one, which is not constant.
func isPath(e *ast.Expr) bool { return rootOf(e) != nil }

var optionalFieldReference = ast.NewFunctionReference("select_optional_field")

// optionalField checks a.?b, where b is a name and not an expression.
func (in *inference) optionalField(e *ast.Expr) *types.Type {
	args := e.AsCall().Args()
	name, ok := args[1].AsLiteral().(types.String)
	if !ok {
		return in.fail()
	}
	t := in.resolved(in.field(args[0], string(name), true), false)
	in.refer(e, optionalFieldReference)
	return in.set(e, t)
}

// choose returns the result of the overloads that accept args. There must be one.
func (in *inference) choose(e *ast.Expr, from []candidate, logical bool, args []*types.Type) *types.Type {
	if in.failed {
		return types.DynType
	}
	if logical {
		for _, arg := range args {
			if arg != types.BoolType && !in.match(arg, types.BoolType) {
				return in.fail()
			}
		}
		in.refer(e, from[0].chosen)
		return in.set(e, types.BoolType)
	}
	var result *types.Type
	var chosen *ast.ReferenceInfo
	shared := true
	for i := range from {
		c := &from[i]
		if len(c.Args) != len(args) {
			continue
		}
		t := in.try(c, args)
		switch {
		case t == nil:
			continue
		case chosen == nil:
			result, chosen = t, c.chosen
			continue
		case shared:
			chosen, shared = ast.NewFunctionReference(chosen.OverloadIDs...), false
		}
		chosen.AddOverload(c.ID)
		if !anything(result.Kind()) && !in.same(t, result) {
			result = types.DynType
		}
	}
	if chosen == nil {
		return in.fail()
	}
	in.refer(e, chosen)
	return in.set(e, result)
}

// try returns the result type of c if it accepts args, or nil. Each call uses new type parameters.
func (in *inference) try(c *candidate, args []*types.Type) *types.Type {
	for i, arg := range args {
		if distinct(arg.Kind(), c.Args[i].Kind()) {
			return nil
		}
	}
	in.begin()
	first := len(in.bound)
	in.fresh(len(c.parameters))
	for i, arg := range args {
		if !in.fits(arg, in.open(c, c.Args[i], first)) {
			in.undo()
			in.bound = in.bound[:first]
			return nil
		}
	}
	return in.resolved(in.open(c, c.Result, first), false)
}

// distinct reports whether types of these kinds never match.
func distinct(a, b types.Kind) bool {
	if a == b {
		return false
	}
	for _, k := range [2]types.Kind{a, b} {
		switch k {
		case types.TypeParamKind, types.DynKind, types.AnyKind, types.NullTypeKind:
			return false
		}
	}
	return true
}

// open returns t with c's type parameters replaced by variables. first is the number of the first variable.
func (in *inference) open(c *candidate, t *types.Type, first int) *types.Type {
	if len(c.parameters) == 0 {
		return t
	}
	if t.Kind() == types.TypeParamKind {
		return variable(first + slices.Index(c.parameters, t.TypeName()))
	}
	return rebuilt(t, func(p *types.Type) *types.Type { return in.open(c, p, first) })
}
