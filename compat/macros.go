package compat

import (
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/check"
)

// A scope is a variable of a macro, and those of the macros around it. nil has none.
type scope struct {
	outer *scope
	name  string
	path  []string // of the variable's values, as [knowledge] has it; nil if they are not items of a list
}

// lookup returns the variable with a name, or nil.
func (s *scope) lookup(name string) *scope {
	for ; s != nil; s = s.outer {
		if s.name == name {
			return s
		}
	}
	return nil
}

// normalName returns a name of the variable that does not depend on the one it has in the rule.
func (s *scope) normalName() string {
	name := "$"
	for ; s != nil; s = s.outer {
		name += "'"
	}
	return name
}

// pathOf returns the path of an expression such as self.a.b. It reports false for an expression that is no such
// selection.
func pathOf(e *ast.Expr, variables *scope) (path []string, ok bool) {
	for e.Kind() == ast.SelectKind {
		path = append(path, e.AsSelect().FieldName())
		e = e.AsSelect().Operand()
	}
	if e.Kind() != ast.IdentKind {
		return nil, false
	}
	slices.Reverse(path)
	if v := variables.lookup(e.AsIdent()); v != nil {
		return append(slices.Clone(v.path), path...), v.path != nil
	}
	return path, e.AsIdent() == "self"
}

// member returns the normal form of a call of a member function, or of a macro that looks like one.
func (n *normalizer) member(c *ast.CallExpr, variables *scope) normalForm {
	name, args, target := c.FunctionName(), c.Args(), n.normalize(c.Target(), variables).text
	if name == "size" && len(args) == 0 {
		return normalForm{text: "size(" + target + ")"}
	}
	binds := check.Variables(name, len(args))
	if slices.ContainsFunc(args[:binds], func(a *ast.Expr) bool { return a.Kind() != ast.IdentKind }) {
		binds = 0
	}
	path, known := pathOf(c.Target(), variables)
	inner := variables
	for _, a := range args[:binds] {
		inner = &scope{outer: inner, name: a.AsIdent()}
		if known && binds == 1 && name != "optMap" && name != "optFlatMap" {
			inner.path = append(slices.Clone(path), anyItem)
		}
	}
	var parts []string
	var body normalForm
	for _, a := range args[binds:] {
		body = n.normalize(a, inner)
		parts = append(parts, body.text)
	}
	arguments := "(" + strings.Join(parts, ", ") + ")"
	if binds == 0 {
		return normalForm{text: target + "." + name + arguments}
	}
	if name == "all" && body.text == "true" && known && len(path) == 0 && n.know != nil && n.know.isList() {
		return body
	}
	macro := target + "/" + strconv.Itoa(binds) + "." + name // the number distinguishes an item from an index
	x := normalForm{text: macro + arguments}
	if name == "all" || name == "exists" {
		x.macro, x.body = macro, &body
	}
	return x
}
