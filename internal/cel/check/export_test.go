package check

import (
	celast "github.com/google/cel-go/common/ast"

	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/parse"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/since"
)

// An Asked says for what and how a text is checked.
type Asked struct {
	Self     *types.SchemaType
	Optional bool // oldSelf is an optional
	Stored   bool
	Minor    since.Minor
}

func (a Asked) scope(text string) *scope {
	return nodeScope(text, a.Self, a.Optional, environment{stored: a.Stored, minor: a.Minor})
}

// Infer returns the result of the check without positions, or nil.
func Infer(text string, a Asked) *Expr {
	var c Checker
	e, _ := c.infer(text, a.scope(text), new(Total))
	return e
}

// Explain returns the result of the check with positions.
func Explain(text string, a Asked) (*Expr, error) {
	var c Checker
	return c.explain(text, a.scope(text), new(Total))
}

// Typed returns the result of the type check alone, for a text without type errors.
func Typed(text string, a Asked) *ast.AST {
	tree, _ := parse.Full(text, syntax(a.Minor))
	s := a.scope(text)
	in := inference{scope: s, vocabulary: vocabularies(s.environment), matcher: matcher{limit: maxSteps}}
	in.check(tree.Root)
	return ast.NewCheckedAST(tree.Root, in.results())
}

// Ask returns the tree of cel-go with the results of its type check. usesOldSelf says whether any name in it refers to
// oldSelf, as CCO-001 has it.
func Ask(text string, a Asked) (checked *celast.AST, usesOldSelf bool, err error) {
	if checked, err = askCelGo(text, a.scope(text)); err != nil {
		return nil, false, err
	}
	for _, reference := range checked.ReferenceMap() {
		usesOldSelf = usesOldSelf || reference.Name == oldSelfName
	}
	return checked, usesOldSelf, nil
}
