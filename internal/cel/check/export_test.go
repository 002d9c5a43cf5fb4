package check

import "github.com/crdkit/crdkit/internal/cel/declare"

// Infer returns what the package's own check has for a text, nil if it leaves that to cel-go.
func Infer(text string, self *declare.Type, optionalOldSelf, stored bool) *Expr {
	var c Checker
	e, _ := c.infer(text, nodeScope(text, self, optionalOldSelf, environment{stored: stored}))
	return e
}

// Ask returns what cel-go has for a text.
func Ask(text string, self *declare.Type, optionalOldSelf, stored bool) (*Expr, error) {
	return celGoCheck(text, nodeScope(text, self, optionalOldSelf, environment{stored: stored}), new(Total))
}
