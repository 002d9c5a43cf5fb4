package check

import (
	"github.com/crdkit/crdkit/internal/cel/declare"
	"github.com/crdkit/crdkit/internal/since"
)

// An Asked says for what and how a text is checked.
type Asked struct {
	Self     *declare.Type
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

// Ask returns the result of cel-go.
func Ask(text string, a Asked) (*Expr, error) {
	checked, err := askCelGo(text, a.scope(text))
	if err != nil {
		return nil, err
	}
	return &Expr{AST: checked, UsesOldSelf: usesOldSelf(checked)}, nil
}
