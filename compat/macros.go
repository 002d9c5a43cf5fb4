package compat

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/cel-go/common/ast"
)

// A scope has the variables of macros.
type scope struct {
	names map[string]string
	paths map[string][]string // what is known of where they come from
	level string
}

func (s scope) with(name string, path []string) scope {
	next := scope{maps.Clone(s.names), maps.Clone(s.paths), s.level + "'"}
	if next.names == nil {
		next.names, next.paths = map[string]string{}, map[string][]string{}
	}
	next.names[name] = "$" + next.level
	delete(next.paths, name)
	if path != nil {
		next.paths[name] = path
	}
	return next
}

// loops has the macros that bind variables: how many, by the number of their arguments.
var bindingMacros = map[string]map[int]int{
	"all": {2: 1, 3: 2}, "exists": {2: 1, 3: 2}, "exists_one": {2: 1, 3: 2}, "existsOne": {2: 1, 3: 2}, "map": {2: 1, 3: 1}, "filter": {2: 1},
	"transformList": {3: 2, 4: 2}, "transformMap": {3: 2, 4: 2}, "transformMapEntry": {3: 2, 4: 2}, "optMap": {2: 1}, "optFlatMap": {2: 1},
}

// member returns the normal form of a call of a member function, or of a macro that looks like one.
func (n *normalizer) member(c ast.CallExpr, bound scope) normalForm {
	name, args, target := c.FunctionName(), c.Args(), c.Target()
	over := n.normalize(target, bound).text
	binds := bindingMacros[name][len(args)]
	if name == "bind" && len(args) == 3 && over == "cel" {
		binds = 1
	}
	inner := bound
	over2, known := pathOf(target, bound)
	for _, a := range args[:binds] {
		if a.Kind() != ast.IdentKind {
			binds, inner = 0, bound
			break
		}
		var path []string
		if known && binds == 1 && name != "bind" && name != "optMap" && name != "optFlatMap" {
			path = append(slices.Clone(over2), anyItem)
		}
		inner = inner.with(a.AsIdent(), path)
	}
	var parts []string
	var last normalForm
	for i, a := range args[binds:] {
		in := inner
		if name == "bind" && i == 0 {
			in = bound
		}
		last = n.normalize(a, in)
		parts = append(parts, last.text)
	}
	if name == "size" && len(args) == 0 {
		return normalForm{text: "size(" + over + ")"}
	}
	if binds > 0 {
		over += "/" + strconv.Itoa(binds) // with one variable or two, the first is not the same thing
	}
	if binds > 0 && name == "all" && last.text == "true" && known && len(over2) == 0 && n.know != nil && n.know.isList() {
		return last
	}
	x := normalForm{text: over + "." + name + "(" + strings.Join(parts, ", ") + ")"}
	if binds > 0 && (name == "all" || name == "exists") {
		x.macro, x.body = over+"."+name, &last
	}
	return x
}

// pathOf returns the names of self.a.b, or of those of a variable of a macro behind the way to its range.
func pathOf(e ast.Expr, bound scope) (path []string, ok bool) {
	for e.Kind() == ast.SelectKind {
		path = append(path, e.AsSelect().FieldName())
		e = e.AsSelect().Operand()
	}
	if e.Kind() != ast.IdentKind {
		return nil, false
	}
	slices.Reverse(path)
	name := e.AsIdent()
	if _, hidden := bound.names[name]; hidden {
		from, known := bound.paths[name]
		return append(slices.Clone(from), path...), known
	}
	return path, name == "self"
}
