package check

import (
	"fmt"
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

// The faults of arguments that must be names (CER-024).
const (
	simpleName = "argument must be a simple name"
	identifier = "argument is not an identifier"
)

// macrosBySince has all macros, by the versions that added them.
var macrosBySince = sync.OnceValue(func() map[since.Fact][]parse.Macro {
	function := func(name string, args int, expand parse.Expander) parse.Macro {
		return parse.Macro{Name: name, Args: args, Expand: expand}
	}
	method := func(name string, args int, expand parse.Expander) parse.Macro {
		return parse.Macro{Name: name, Method: true, Args: args, Expand: expand}
	}
	return map[since.Fact][]parse.Macro{since.Always: {
		function("has", 1, expandHas),

		method("all", 2, oneVariable(simpleName, expandAll)),
		method("exists", 2, oneVariable(simpleName, expandExists)),
		method("exists_one", 2, oneVariable(simpleName, expandExistsOne)),
		method("map", 2, oneVariable(identifier, expandTransformList)),
		method("map", 3, oneVariable(identifier, expandTransformList)),
		method("filter", 2, oneVariable(identifier, expandFilter)),
	}, since.TwoVariables: {
		// existsOne has no form with one variable.
		method("all", 3, twoVariables(expandAll)),
		method("exists", 3, twoVariables(expandExists)),
		method("exists_one", 3, twoVariables(expandExistsOne)),
		method("existsOne", 3, twoVariables(expandExistsOne)),
		method("transformList", 3, twoVariables(expandTransformList)),
		method("transformList", 4, twoVariables(expandTransformList)),
		method("transformMap", 3, twoVariables(expandTransformMap)),
		method("transformMap", 4, twoVariables(expandTransformMap)),
		method("transformMapEntry", 3, twoVariables(expandTransformMapEntry)),
		method("transformMapEntry", 4, twoVariables(expandTransformMapEntry)),
	}, since.OptionalValues: {
		method("optMap", 2, optionalMacro("optMap", true)),
		method("optFlatMap", 2, optionalMacro("optFlatMap", false)),
	}, since.ListExtension: {
		method("sortBy", 2, expandSortBy),
	}}
})

// Variables returns how many of the first arguments of a call of a method are variables, because the call is a macro in
// some version. Otherwise it returns 0.
func Variables(method string, args int) int {
	for fact, group := range macrosBySince() {
		for _, m := range group {
			if !m.Method || m.Name != method || m.Args != args {
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

// refuse returns the error that the node with that id cannot be part of a macro.
func refuse(id int64, text string) *parse.MacroError { return &parse.MacroError{ID: id, Text: text} }

func expandHas(m *parse.Maker, _ *ast.Expr, args []*ast.Expr) (*ast.Expr, *parse.MacroError) {
	if args[0].Kind() != ast.SelectKind {
		return nil, refuse(args[0].ID(), "invalid argument to has() macro")
	}
	s := args[0].AsSelect()
	return m.NewPresenceTest(s.Operand(), s.FieldName()), nil
}

// A fold has the parts of a loop: C, S and Z of CEN-010, starting with I.
type fold struct {
	start, condition, step, result *ast.Expr
}

// An expansion returns the fold of a macro. Its parameters are the macro's first variable and the arguments after the
// variables.
type expansion func(m *parse.Maker, variable *ast.Expr, args []*ast.Expr) fold

// oneVariable returns the expansion of a loop whose first argument names its variable. fault is the text of the error
// if the argument is not a name.
//
//go:noinline
func oneVariable(fault string, body expansion) parse.Expander {
	return func(m *parse.Maker, target *ast.Expr, args []*ast.Expr) (*ast.Expr, *parse.MacroError) {
		if args[0].Kind() != ast.IdentKind {
			return nil, refuse(args[0].ID(), fault)
		}
		if err := checkVariable(args[0]); err != nil {
			return nil, err
		}
		f := body(m, args[0], args[1:])
		return m.NewComprehension(target, args[0].AsIdent(), parse.Accumulator, f.start, f.condition, f.step, f.result), nil
	}
}

// twoVariables returns the expansion of a loop whose first two arguments name its variables.
//
//go:noinline
func twoVariables(body expansion) parse.Expander {
	return func(m *parse.Maker, target *ast.Expr, args []*ast.Expr) (*ast.Expr, *parse.MacroError) {
		// CER-024. Both must be names before the names are checked.
		for _, arg := range args[:2] {
			if arg.Kind() != ast.IdentKind {
				return nil, refuse(arg.ID(), simpleName)
			}
		}
		key, value := args[0].AsIdent(), args[1].AsIdent()
		if key == value {
			return nil, refuse(args[1].ID(), "duplicate variable name: "+key)
		}
		for _, arg := range args[:2] {
			if err := checkVariable(arg); err != nil {
				return nil, err
			}
		}
		f := body(m, args[0], args[2:])
		return m.NewComprehensionTwoVar(target, key, value, parse.Accumulator, f.start, f.condition, f.step, f.result), nil
	}
}

// checkVariable returns the error for a loop variable with the name of an accumulator, or nil.
func checkVariable(variable *ast.Expr) *parse.MacroError {
	if name := variable.AsIdent(); name == parse.Accumulator || name == forbiddenVariable {
		return refuse(variable.ID(), "iteration variable overwrites accumulator variable")
	}
	return nil
}

func expandAll(m *parse.Maker, _ *ast.Expr, args []*ast.Expr) fold {
	return fold{
		start:     m.NewLiteral(types.True),
		condition: m.NewCall("@not_strictly_false", m.NewAccuIdent()),
		step:      m.NewCall("_&&_", m.NewAccuIdent(), args[0]),
		result:    m.NewAccuIdent(),
	}
}

func expandExists(m *parse.Maker, _ *ast.Expr, args []*ast.Expr) fold {
	return fold{
		start:     m.NewLiteral(types.False),
		condition: m.NewCall("@not_strictly_false", m.NewCall("!_", m.NewAccuIdent())),
		step:      m.NewCall("_||_", m.NewAccuIdent(), args[0]),
		result:    m.NewAccuIdent(),
	}
}

func expandExistsOne(m *parse.Maker, _ *ast.Expr, args []*ast.Expr) fold {
	return fold{
		start:     m.NewLiteral(types.Int(0)),
		condition: m.NewLiteral(types.True),
		step: m.NewCall("_?_:_", args[0],
			m.NewCall("_+_", m.NewAccuIdent(), m.NewLiteral(types.Int(1))),
			m.NewAccuIdent()),
		result: m.NewCall("_==_", m.NewAccuIdent(), m.NewLiteral(types.Int(1))),
	}
}

func expandTransformList(m *parse.Maker, _ *ast.Expr, args []*ast.Expr) fold {
	return collect(m, m.NewList(), args, func(transform *ast.Expr) *ast.Expr {
		return m.NewCall("_+_", m.NewAccuIdent(), m.NewList(transform))
	})
}

func expandFilter(m *parse.Maker, item *ast.Expr, args []*ast.Expr) fold {
	return expandTransformList(m, item, []*ast.Expr{args[0], item})
}

func expandTransformMap(m *parse.Maker, key *ast.Expr, args []*ast.Expr) fold {
	return collect(m, m.NewMap(), args, func(transform *ast.Expr) *ast.Expr {
		return m.NewCall("cel.@mapInsert", m.NewAccuIdent(), m.NewIdent(key.AsIdent()), transform)
	})
}

func expandTransformMapEntry(m *parse.Maker, _ *ast.Expr, args []*ast.Expr) fold {
	return collect(m, m.NewMap(), args, func(transform *ast.Expr) *ast.Expr {
		return m.NewCall("cel.@mapInsert", m.NewAccuIdent(), transform)
	})
}

// collect returns the loop that adds items to its accumulator. args are the transformation, with or without a filter
// before it.
func collect(m *parse.Maker, start *ast.Expr, args []*ast.Expr, add func(transform *ast.Expr) *ast.Expr) fold {
	step := add(args[len(args)-1])
	if len(args) == 2 {
		step = m.NewCall("_?_:_", args[0], step, m.NewAccuIdent())
	}
	return fold{start: start, condition: m.NewLiteral(types.True), step: step, result: m.NewAccuIdent()}
}

// bind returns the expression body in which name is bound to value.
func bind(m *parse.Maker, name string, value, body *ast.Expr) *ast.Expr {
	return m.NewComprehension(m.NewList(), unused, name, value, m.NewLiteral(types.False), m.NewIdent(name), body)
}

// maxNodes is the maximum number of nodes of an expression with copied nodes. A chain of optMap doubles with each link,
// so that a text of 1,000 bytes could exhaust the memory. cel-go has this limit from v0.31.0 on, with this text.
const maxNodes = 100_000

// copied returns a copy of e, an argument of a call of macro.
func copied(m *parse.Maker, e *ast.Expr, macro string) (*ast.Expr, *parse.MacroError) {
	again := m.Copy(e)
	// Nodes are numbered in the order of their creation. Their position is that of the call.
	if next := m.NewLiteral(types.NullValue); next.ID() > maxNodes {
		return nil, refuse(next.ID(), fmt.Sprintf("expression count exceeds limit of %d while expanding macro '%s'", maxNodes, macro))
	}
	return again, nil
}

// optionalMacro returns the expansion of a macro that has a name for the value of an optional. wraps says that the
// result is put into an optional.
func optionalMacro(name string, wraps bool) parse.Expander {
	return func(m *parse.Maker, target *ast.Expr, args []*ast.Expr) (*ast.Expr, *parse.MacroError) {
		if args[0].Kind() != ast.IdentKind {
			return nil, refuse(args[0].ID(), name+"() variable name must be a simple identifier")
		}
		again, err := copied(m, target, name)
		if err != nil {
			return nil, err
		}
		present := m.NewMemberCall("hasValue", target)
		result := bind(m, args[0].AsIdent(), m.NewMemberCall("value", again), args[1])
		if wraps {
			result = m.NewCall("optional.of", result)
		}
		return m.NewCall("_?_:_", present, result, m.NewCall("optional.none")), nil
	}
}

func expandSortBy(m *parse.Maker, target *ast.Expr, args []*ast.Expr) (*ast.Expr, *parse.MacroError) {
	switch target.Kind() {
	case ast.ListKind, ast.SelectKind, ast.IdentKind, ast.ComprehensionKind, ast.CallKind:
	default:
		return nil, refuse(target.ID(),
			"sortBy can only be applied to a list, identifier, comprehension, call or select expression")
	}
	const input = "@__sortBy_input__"
	keys, err := oneVariable(identifier, expandTransformList)(m, m.NewIdent(input), args)
	if err != nil {
		return nil, err
	}
	return bind(m, input, target, m.NewMemberCall("@sortByAssociatedKeys", m.NewIdent(input), keys)), nil
}
