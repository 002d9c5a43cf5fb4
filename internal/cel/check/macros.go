package check

import (
	"sync"

	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/parse"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/since"
)

// This file has the macros, the calls that the parser expands (CEN-010). Costs are computed from the expansions, and
// errors refer to them. So all macros are defined here, and another version of cel-go in a program does not change the
// trees.

// unused is the loop variable in the expansion of bind, a loop over nothing that gives a value a name.
const unused = "#unused"

// forbiddenVariable is a name that no loop variable may have, besides that of the accumulator (CER-024).
const forbiddenVariable = "__result__"

// macros returns the macros of a minor version.
func macros(minor since.Minor) []parse.Macro {
	all := []parse.Macro{}
	for fact, group := range macrosBySince() {
		if fact.In(minor) {
			all = append(all, group...)
		}
	}
	return all
}

// macrosBySince has all macros, by the versions that added them.
var macrosBySince = sync.OnceValue(func() map[since.Fact][]parse.Macro {
	const simpleName, identifier = "argument must be a simple name", "argument is not an identifier" // CER-024
	return map[since.Fact][]parse.Macro{since.Always: {
		parse.NewGlobalMacro("has", 1, expandHas),

		parse.NewReceiverMacro("all", 2, oneVariable(simpleName, expandAll)),
		parse.NewReceiverMacro("exists", 2, oneVariable(simpleName, expandExists)),
		parse.NewReceiverMacro("exists_one", 2, oneVariable(simpleName, expandExistsOne)),
		parse.NewReceiverMacro("map", 2, oneVariable(identifier, expandTransformList)),
		parse.NewReceiverMacro("map", 3, oneVariable(identifier, expandTransformList)),
		parse.NewReceiverMacro("filter", 2, oneVariable(identifier, expandFilter)),
	}, since.TwoVariables: {
		// existsOne has no form with one variable.
		parse.NewReceiverMacro("all", 3, twoVariables(expandAll)),
		parse.NewReceiverMacro("exists", 3, twoVariables(expandExists)),
		parse.NewReceiverMacro("exists_one", 3, twoVariables(expandExistsOne)),
		parse.NewReceiverMacro("existsOne", 3, twoVariables(expandExistsOne)),
		parse.NewReceiverMacro("transformList", 3, twoVariables(expandTransformList)),
		parse.NewReceiverMacro("transformList", 4, twoVariables(expandTransformList)),
		parse.NewReceiverMacro("transformMap", 3, twoVariables(expandTransformMap)),
		parse.NewReceiverMacro("transformMap", 4, twoVariables(expandTransformMap)),
		parse.NewReceiverMacro("transformMapEntry", 3, twoVariables(expandTransformMapEntry)),
		parse.NewReceiverMacro("transformMapEntry", 4, twoVariables(expandTransformMapEntry)),
	}, since.OptionalValues: {
		parse.NewReceiverMacro("optMap", 2, optionalMacro("optMap", true)),
		parse.NewReceiverMacro("optFlatMap", 2, optionalMacro("optFlatMap", false)),
	}, since.ListExtension: {
		parse.NewReceiverMacro("sortBy", 2, expandSortBy),
	}}
})

// Variables returns how many of the first arguments of a call of a method are variables, because the call is a macro in
// some version. Otherwise it returns 0.
func Variables(method string, args int) int {
	for fact, group := range macrosBySince() {
		for _, m := range group {
			if !m.IsReceiverStyle() || m.Function() != method || m.ArgCount() != args {
				continue
			}
			if fact == since.TwoVariables {
				return 2
			}
			return 1
		}
	}
	return 0
}

func expandHas(h parse.ExprHelper, _ *ast.Expr, args []*ast.Expr) (*ast.Expr, *parse.Error) {
	if args[0].Kind() != ast.SelectKind {
		return nil, h.NewError(args[0].ID(), "invalid argument to has() macro")
	}
	s := args[0].AsSelect()
	return h.NewPresenceTest(s.Operand(), s.FieldName()), nil
}

// A fold has the parts of a loop: C, S and Z of CEN-010, starting with I.
type fold struct {
	start, condition, step, result *ast.Expr
}

// An expansion returns the fold of a macro. Its parameters are the macro's first variable and the arguments after the
// variables.
type expansion func(h parse.ExprHelper, variable *ast.Expr, args []*ast.Expr) fold

// oneVariable returns the expansion of a loop whose first argument names its variable. fault is the text of the error
// if the argument is not a name.
//
//go:noinline
func oneVariable(fault string, body expansion) parse.MacroExpander {
	return func(h parse.ExprHelper, target *ast.Expr, args []*ast.Expr) (*ast.Expr, *parse.Error) {
		if args[0].Kind() != ast.IdentKind {
			return nil, h.NewError(args[0].ID(), fault)
		}
		if err := checkVariable(h, args[0]); err != nil {
			return nil, err
		}
		f := body(h, args[0], args[1:])
		return h.NewComprehension(target, args[0].AsIdent(), h.AccuIdentName(), f.start, f.condition, f.step, f.result), nil
	}
}

// twoVariables returns the expansion of a loop whose first two arguments name its variables.
//
//go:noinline
func twoVariables(body expansion) parse.MacroExpander {
	return func(h parse.ExprHelper, target *ast.Expr, args []*ast.Expr) (*ast.Expr, *parse.Error) {
		// CER-024. Both must be names before the names are checked.
		for _, arg := range args[:2] {
			if arg.Kind() != ast.IdentKind {
				return nil, h.NewError(arg.ID(), "argument must be a simple name")
			}
		}
		key, value := args[0].AsIdent(), args[1].AsIdent()
		if key == value {
			return nil, h.NewError(args[1].ID(), "duplicate variable name: "+key)
		}
		for _, arg := range args[:2] {
			if err := checkVariable(h, arg); err != nil {
				return nil, err
			}
		}
		f := body(h, args[0], args[2:])
		return h.NewComprehensionTwoVar(target, key, value, h.AccuIdentName(), f.start, f.condition, f.step, f.result), nil
	}
}

// checkVariable returns the error for a loop variable with the name of an accumulator, or nil.
func checkVariable(h parse.ExprHelper, variable *ast.Expr) *parse.Error {
	if name := variable.AsIdent(); name == h.AccuIdentName() || name == forbiddenVariable {
		return h.NewError(variable.ID(), "iteration variable overwrites accumulator variable")
	}
	return nil
}

func expandAll(h parse.ExprHelper, _ *ast.Expr, args []*ast.Expr) fold {
	return fold{
		start:     h.NewLiteral(types.True),
		condition: h.NewCall("@not_strictly_false", h.NewAccuIdent()),
		step:      h.NewCall("_&&_", h.NewAccuIdent(), args[0]),
		result:    h.NewAccuIdent(),
	}
}

func expandExists(h parse.ExprHelper, _ *ast.Expr, args []*ast.Expr) fold {
	return fold{
		start:     h.NewLiteral(types.False),
		condition: h.NewCall("@not_strictly_false", h.NewCall("!_", h.NewAccuIdent())),
		step:      h.NewCall("_||_", h.NewAccuIdent(), args[0]),
		result:    h.NewAccuIdent(),
	}
}

func expandExistsOne(h parse.ExprHelper, _ *ast.Expr, args []*ast.Expr) fold {
	return fold{
		start:     h.NewLiteral(types.Int(0)),
		condition: h.NewLiteral(types.True),
		step: h.NewCall("_?_:_", args[0],
			h.NewCall("_+_", h.NewAccuIdent(), h.NewLiteral(types.Int(1))),
			h.NewAccuIdent()),
		result: h.NewCall("_==_", h.NewAccuIdent(), h.NewLiteral(types.Int(1))),
	}
}

func expandTransformList(h parse.ExprHelper, _ *ast.Expr, args []*ast.Expr) fold {
	return collect(h, h.NewList(), args, func(transform *ast.Expr) *ast.Expr {
		return h.NewCall("_+_", h.NewAccuIdent(), h.NewList(transform))
	})
}

func expandFilter(h parse.ExprHelper, item *ast.Expr, args []*ast.Expr) fold {
	return expandTransformList(h, item, []*ast.Expr{args[0], item})
}

func expandTransformMap(h parse.ExprHelper, key *ast.Expr, args []*ast.Expr) fold {
	return collect(h, h.NewMap(), args, func(transform *ast.Expr) *ast.Expr {
		return h.NewCall("cel.@mapInsert", h.NewAccuIdent(), h.NewIdent(key.AsIdent()), transform)
	})
}

func expandTransformMapEntry(h parse.ExprHelper, _ *ast.Expr, args []*ast.Expr) fold {
	return collect(h, h.NewMap(), args, func(transform *ast.Expr) *ast.Expr {
		return h.NewCall("cel.@mapInsert", h.NewAccuIdent(), transform)
	})
}

// collect returns the loop that adds items to its accumulator. args are the transformation, with or without a filter
// before it.
func collect(h parse.ExprHelper, start *ast.Expr, args []*ast.Expr, add func(transform *ast.Expr) *ast.Expr) fold {
	step := add(args[len(args)-1])
	if len(args) == 2 {
		step = h.NewCall("_?_:_", args[0], step, h.NewAccuIdent())
	}
	return fold{start: start, condition: h.NewLiteral(types.True), step: step, result: h.NewAccuIdent()}
}

// bind returns the expression body in which name is bound to value.
func bind(h parse.ExprHelper, name string, value, body *ast.Expr) *ast.Expr {
	return h.NewComprehension(h.NewList(), unused, name, value, h.NewLiteral(types.False), h.NewIdent(name), body)
}

// maxNodes is the maximum number of nodes of an expression with copied nodes. A chain of optMap doubles with each link,
// so that a text of 1,000 bytes could exhaust the memory. cel-go has this limit from v0.31.0 on, with this text.
const maxNodes = 100_000

// copied returns a copy of e, an argument of a call of macro.
func copied(h parse.ExprHelper, e *ast.Expr, macro string) (*ast.Expr, *parse.Error) {
	again := h.Copy(e)
	// Nodes are numbered in the order of their creation. Their position is that of the call.
	if next := h.NewLiteral(types.NullValue); next.ID() > maxNodes {
		return nil, h.NewError(next.ID(), "expression count exceeds limit of 100000 while expanding macro '"+macro+"'")
	}
	return again, nil
}

// optionalMacro returns the expansion of a macro that has a name for the value of an optional. wraps says that the
// result is put into an optional.
func optionalMacro(name string, wraps bool) parse.MacroExpander {
	return func(h parse.ExprHelper, target *ast.Expr, args []*ast.Expr) (*ast.Expr, *parse.Error) {
		if args[0].Kind() != ast.IdentKind {
			return nil, h.NewError(args[0].ID(), name+"() variable name must be a simple identifier")
		}
		again, err := copied(h, target, name)
		if err != nil {
			return nil, err
		}
		present := h.NewMemberCall("hasValue", target)
		result := bind(h, args[0].AsIdent(), h.NewMemberCall("value", again), args[1])
		if wraps {
			result = h.NewCall("optional.of", result)
		}
		return h.NewCall("_?_:_", present, result, h.NewCall("optional.none")), nil
	}
}

func expandSortBy(h parse.ExprHelper, target *ast.Expr, args []*ast.Expr) (*ast.Expr, *parse.Error) {
	switch target.Kind() {
	case ast.ListKind, ast.SelectKind, ast.IdentKind, ast.ComprehensionKind, ast.CallKind:
	default:
		return nil, h.NewError(target.ID(),
			"sortBy can only be applied to a list, identifier, comprehension, call or select expression")
	}
	const input = "@__sortBy_input__"
	keys, err := oneVariable("argument is not an identifier", expandTransformList)(h, h.NewIdent(input), args)
	if err != nil {
		return nil, err
	}
	return bind(h, input, target, h.NewMemberCall("@sortByAssociatedKeys", h.NewIdent(input), keys)), nil
}
