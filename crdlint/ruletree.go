package crdlint

import (
	"fmt"
	"slices"

	"github.com/crdkit/crdkit/internal/cel/ast"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/parse"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/origin"
	"github.com/crdkit/crdkit/schema"
)

// A ruleTree is a rule with its expression, in which calls of macros are as they are written.
type ruleTree struct {
	*schema.ValidationRule
	p     *place
	index int
	expr  *ast.Expr
}

// The longest rule that is parsed, and what all rules of a version may have together.
const (
	maxRuleText  = 5_000
	maxRuleTexts = 1 << 20
)

// ruleTrees returns the rules of a version that can be parsed.
func (v *version) ruleTrees() []*ruleTree {
	if v.parsed {
		return v.trees
	}
	v.parsed = true
	left := maxRuleTexts
	for _, p := range v.places {
		for i := range p.XValidations {
			r := &p.XValidations[i]
			if left -= len(r.Rule); len(r.Rule) > maxRuleText || left < 0 {
				continue
			}
			if e, ok := parse.Expression(r.Rule, nil); ok {
				v.trees = append(v.trees, &ruleTree{r, p, i, e})
			}
		}
	}
	return v.trees
}

// cause returns the cause of the errors of the rule.
func (r *ruleTree) cause() field.Cause {
	return field.Cause{Keyword: origin.Validations, Schema: r.p.steps().Schema(), Rule: r.index}
}

// pathOfRule returns the path of a rule in the document.
func (v *version) pathOfRule(r *ruleTree) string {
	return v.pathOf(r.p) + fmt.Sprintf(".x-kubernetes-validations[%d]", r.index)
}

// conjuncts returns the expressions that e joins by &&.
func conjuncts(e *ast.Expr) []*ast.Expr {
	if args := operands(e, "_&&_"); args != nil {
		return append(conjuncts(args[0]), conjuncts(args[1])...)
	}
	return []*ast.Expr{e}
}

// operands returns the arguments of a call of a function that is not a method, or nil.
func operands(e *ast.Expr, function string) []*ast.Expr {
	if e.Kind() != ast.CallKind || e.AsCall().IsMemberFunction() || e.AsCall().FunctionName() != function {
		return nil
	}
	return e.AsCall().Args()
}

// pathOf returns the path of a selection such as self.a.b, from a variable.
func pathOf(e *ast.Expr, variable string) (path []string, ok bool) {
	for e.Kind() == ast.SelectKind {
		name, ok := types.UnescapeName(e.AsSelect().FieldName())
		if !ok {
			return nil, false
		}
		path = append(path, name)
		e = e.AsSelect().Operand()
	}
	slices.Reverse(path)
	return path, e.Kind() == ast.IdentKind && e.AsIdent() == variable
}

// hasPath returns the path in has(self.a.b).
func hasPath(e *ast.Expr) ([]string, bool) {
	args := operands(e, "has")
	if len(args) != 1 {
		return nil, false
	}
	path, ok := pathOf(args[0], "self")
	return path, ok && len(path) > 0
}

// sizeOf returns the operand of size(x) or x.size(), or nil.
func sizeOf(e *ast.Expr) *ast.Expr {
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != "size" {
		return nil
	}
	c := e.AsCall()
	if c.IsMemberFunction() && len(c.Args()) == 0 {
		return c.Target()
	}
	if !c.IsMemberFunction() && len(c.Args()) == 1 {
		return c.Args()[0]
	}
	return nil
}

// literal returns the value of a literal.
func literal(e *ast.Expr) (any, bool) {
	if e.Kind() != ast.LiteralKind {
		return nil, false
	}
	return e.AsLiteral().Value(), true
}

// A comparison compares the value of a path, or its size, with a literal.
type comparison struct {
	path  []string
	size  bool
	op    string // ==, !=, <, <=, > or >=, with the literal on the right
	value any
}

// mirrored are the operators, and what they are with their operands exchanged.
var mirrored = map[string][2]string{
	"_==_": {"==", "=="}, "_!=_": {"!=", "!="}, "_<_": {"<", ">"}, "_<=_": {"<=", ">="}, "_>_": {">", "<"}, "_>=_": {">=",
		"<="},
}

// comparisonOf returns e as a comparison.
func comparisonOf(e *ast.Expr) (c comparison, ok bool) {
	if e.Kind() != ast.CallKind || len(e.AsCall().Args()) != 2 {
		return c, false
	}
	return comparisonWith(e.AsCall().FunctionName(), e.AsCall().Args()[0], e.AsCall().Args()[1])
}

func comparisonWith(function string, x, y *ast.Expr) (c comparison, ok bool) {
	ops, ok := mirrored[function]
	if !ok {
		return c, false
	}
	c.op = ops[0]
	if x.Kind() == ast.LiteralKind {
		x, y, c.op = y, x, ops[1]
	}
	if c.value, ok = literal(y); !ok {
		return c, false
	}
	if sized := sizeOf(x); sized != nil {
		c.size, x = true, sized
	}
	c.path, ok = pathOf(x, "self")
	return c, ok
}

// at returns the schema of the values of a path of declared fields, or nil.
func at(p *schema.JSONSchemaProps, path []string) *schema.JSONSchemaProps {
	for _, name := range path {
		if p = p.Properties[name]; p == nil {
			return nil
		}
	}
	return p
}

// A below names a property of a place.
type below struct {
	p    *place
	name string
}

// below returns the place to which a path of declared fields leads from p, or nil.
func (v *version) below(p *place, path []string) *place {
	if v.children == nil {
		v.children = map[below]*place{}
		for _, q := range v.places {
			if q.step.Name != "" {
				v.children[below{q.parent, q.step.Name}] = q
			}
		}
	}
	for _, name := range path {
		if p = v.children[below{p, name}]; p == nil {
			return nil
		}
	}
	return p
}

// loops are the macros that evaluate an expression for each item.
var loops = []string{"all", "exists", "exists_one", "existsOne", "filter", "map"}

// loopsIn returns the paths from self of the lists and maps whose items e loops over.
func loopsIn(e *ast.Expr) (paths [][]string) {
	visit(e, func(e *ast.Expr) {
		if e.Kind() == ast.CallKind && e.AsCall().IsMemberFunction() && slices.Contains(loops, e.AsCall().FunctionName()) {
			if path, ok := pathOf(e.AsCall().Target(), "self"); ok {
				paths = append(paths, path)
			}
		}
	})
	return paths
}

// visit calls do for e and all expressions in it. Parsed expressions are nested at most as deep as the parser allows.
func visit(e *ast.Expr, do func(*ast.Expr)) {
	do(e)
	for _, part := range parts(e) {
		visit(part, do)
	}
}

// parts returns the expressions directly in e.
func parts(e *ast.Expr) []*ast.Expr {
	switch e.Kind() {
	case ast.SelectKind:
		return []*ast.Expr{e.AsSelect().Operand()}
	case ast.CallKind:
		if c := e.AsCall(); c.IsMemberFunction() {
			return append([]*ast.Expr{c.Target()}, c.Args()...)
		}
		return e.AsCall().Args()
	case ast.ListKind:
		return e.AsList().Elements()
	case ast.MapKind:
		var all []*ast.Expr
		for _, entry := range e.AsMap().Entries() {
			all = append(all, entry.Key(), entry.Value())
		}
		return all
	}
	return nil
}
