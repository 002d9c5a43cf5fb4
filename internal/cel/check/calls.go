package check

import (
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/eval"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/since"
)

// call checks a call, and finds the overloads that it may be.
func (in *inference) call(e *ast.Expr) *types.Type {
	c := e.AsCall()
	switch c.FunctionName() {
	case "_?._":
		return in.optionalField(e)
	case "_[?_]":
		in.syntax(e, since.OptionalValues)
	}
	name := strings.TrimPrefix(c.FunctionName(), ".")
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
			return in.undeclared(e, c.FunctionName())
		}
		if name != c.FunctionName() {
			e.Replace(ast.NewCall(e.ID(), name, c.Args()...))
		}
		in.plain = in.plain && plannable(f.functions, name, c.Args())
		return in.choose(e, name, f.functions, f.logical, args)
	}
	if full, f := in.namespaced(c.Target(), name); f != nil {
		e.Replace(ast.NewCall(e.ID(), full, c.Args()...))
		return in.choose(e, full, f.functions, false, args[1:])
	}
	args[0] = in.check(c.Target())
	if f == nil {
		return in.undeclared(e, name)
	}
	in.plain = in.plain && plannable(f.methods, name, c.Args())
	return in.choose(e, name, f.methods, false, args)
}

// namespaced returns the function whose name is that of a method after the names in target, and its full name; nil if
// there is none. It does not matter whether target is a variable.
func (in *inference) namespaced(target *ast.Expr, method string) (string, *callable) {
	root := rootOf(target)
	if root == nil || !in.spaces[strings.TrimPrefix(root.AsIdent(), ".")] {
		return "", nil
	}
	space, ok := ast.QualifiedName(target)
	if !ok {
		return "", nil
	}
	full := strings.TrimPrefix(space, ".") + "." + method
	return full, in.callables[full]
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

// optionalField checks a.?b, where b is a literal text in the tree.
func (in *inference) optionalField(e *ast.Expr) *types.Type {
	args := e.AsCall().Args()
	name, _ := args[1].AsLiteral().(types.String)
	in.syntax(e, since.OptionalValues)
	t := in.resolved(in.field(e, in.check(args[0]), string(name), true), false)
	in.refer(e, optionalFieldReference)
	return in.set(e, t)
}

// choose returns the result of the overloads of the function called name that accept args.
func (in *inference) choose(e *ast.Expr, name string, from []candidate, logical bool, args []*types.Type) *types.Type {
	if in.done() {
		return types.ErrorType
	}
	if logical {
		return in.logical(e, from[0].chosen, args)
	}
	var result *types.Type
	var chosen *ast.ReferenceInfo
	shared := true
	for i := range from {
		c := &from[i]
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
		of := application{append([]*types.Type(nil), args...), e.AsCall().IsMemberFunction()}
		in.report(e.ID(), "found no matching overload for '", name, "' applied to '", of, "'")
		return in.set(e, types.ErrorType)
	}
	in.refer(e, chosen)
	return in.set(e, result)
}

// logical checks the operands of && or ||, each of which must be a bool.
func (in *inference) logical(e *ast.Expr, chosen *ast.ReferenceInfo, args []*types.Type) *types.Type {
	valid := true
	for i, arg := range args {
		if arg != types.BoolType && !in.match(arg, types.BoolType) {
			in.mismatch(e.AsCall().Args()[i], types.BoolType, arg)
			valid = false
		}
	}
	if !valid {
		return in.set(e, types.ErrorType)
	}
	in.refer(e, chosen)
	return in.set(e, types.BoolType)
}

// try returns the result type of c if it accepts args, or nil. Each call uses new type parameters.
func (in *inference) try(c *candidate, args []*types.Type) *types.Type {
	first := in.fresh(len(c.parameters))
	if len(c.Args) != len(args) {
		return nil
	}
	for i, arg := range args {
		if distinct(arg.Kind(), c.Args[i].Kind()) {
			return nil
		}
	}
	in.begin()
	for i, arg := range args {
		if !in.fits(arg, in.open(c, c.Args[i], first)) {
			in.undo()
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
		case types.TypeParamKind, types.DynKind, types.AnyKind, types.ErrorKind, types.NullTypeKind:
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
