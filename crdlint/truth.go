package crdlint

import (
	"math"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/cel/ast"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/schema"
)

var constantRule = Lint{
	Name: "constant-rule", Severity: Warning, Title: "a rule that is always true, or never",
	Why: "A rule that the other keywords of the schema make true checks nothing, although it seems to. One that " +
		"is never true refuses every object with the field.",
	check: checkConstantRules,
}

func checkConstantRules(l *linter) {
	for _, v := range l.versions {
		if v.repeat {
			continue
		}
		for _, r := range v.ruleTrees() {
			if r.expr.Kind() == ast.LiteralKind && r.Message != "" {
				continue // false with a message is a way to say that nothing is allowed
			}
			switch truthOf(r.p.JSONSchemaProps, r.expr) {
			case always:
				if evaluates(r) && l.more() {
					l.add(v.pathOfRule(r), nil, "leave it out, or check what it is meant to say",
						"the rule at %s is true for every value that the schema allows: %s",
						named(r.p.steps()), short(r.Rule))
				}
			case never:
				if l.more() {
					l.add(v.pathOfRule(r), l.neverWitness(v, r), "check what it is meant to say",
						"the rule at %s is false for every value that the schema allows: %s",
						named(r.p.steps()), short(r.Rule))
				}
			}
		}
	}
}

// neverWitness returns the creation of an object that is refused because of the rule alone.
func (l *linter) neverWitness(v *version, r *ruleTree) *Witness {
	obj, _ := l.invalidWith(v, r.p)
	if obj == nil {
		return nil
	}
	return l.refused(v, obj)
}

// evaluates reports whether the fields that a rule reads are always there, or the rule has a guard for them.
func evaluates(r *ruleTree) bool {
	guarded := map[string]bool{}
	visit(r.expr, func(e *ast.Expr) {
		if path, ok := hasPath(e); ok {
			guarded[strings.Join(path, ".")] = true
		}
	})
	ok := true
	visit(r.expr, func(e *ast.Expr) {
		path, isPath := pathOf(e, "self")
		for n := len(path); isPath && n > 0; n-- {
			ok = ok && (guarded[strings.Join(path[:n], ".")] || present(r.p.JSONSchemaProps, path[:n]) == always)
		}
	})
	return ok
}

// A truth is what is known about an expression for all values that a schema allows.
type truth int

const (
	unknown truth = iota
	always
	never
)

func (t truth) not() truth {
	switch t {
	case always:
		return never
	case never:
		return always
	}
	return unknown
}

func known(yes bool) truth {
	if yes {
		return always
	}
	return never
}

// truthOf returns what is known about an expression if self is a value that p allows. An expression that cannot be
// evaluated is not considered.
func truthOf(p *schema.JSONSchemaProps, e *ast.Expr) truth {
	if value, ok := literal(e); ok {
		if b, isBool := value.(bool); isBool {
			return known(b)
		}
		return unknown
	}
	if e.Kind() != ast.CallKind {
		return unknown
	}
	if path, ok := hasPath(e); ok {
		return present(p, path)
	}
	c := e.AsCall()
	if c.IsMemberFunction() {
		return unknown
	}
	args := c.Args()
	switch c.FunctionName() {
	case "!_":
		return truthOf(p, args[0]).not()
	case "_&&_":
		x, y := truthOf(p, args[0]), truthOf(p, args[1])
		if x == never || y == never {
			return never
		}
		if x == always && y == always {
			return always
		}
	case "_||_":
		if path, values, ok := choiceOf(e); ok {
			if t := chosen(at(p, path), values); t != unknown {
				return t
			}
		}
		x, y := truthOf(p, args[0]), truthOf(p, args[1])
		if x == always || y == always {
			return always
		}
		if x == never && y == never {
			return never
		}
	case "_?_:_":
		switch truthOf(p, args[0]) {
		case always:
			return truthOf(p, args[1])
		case never:
			return truthOf(p, args[2])
		}
		if x := truthOf(p, args[1]); x == truthOf(p, args[2]) {
			return x
		}
	case "_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_":
		return compare(p, c.FunctionName(), args[0], args[1])
	case "@in":
		if path, values, ok := choiceOf(e); ok {
			return chosen(at(p, path), values)
		}
	}
	return unknown
}

// present returns whether the object that has the last field of a path always has it.
func present(p *schema.JSONSchemaProps, path []string) truth {
	above, last := at(p, path[:len(path)-1]), path[len(path)-1]
	if above == nil || above.Properties[last] == nil {
		return unknown
	}
	if q := above.Properties[last]; !q.Nullable && (q.Default != nil || slices.Contains(above.Required, last)) {
		return always
	}
	return unknown
}

// chosen returns whether the values that p allows are among values.
func chosen(p *schema.JSONSchemaProps, values []any) truth {
	if p == nil || len(p.Enum) == 0 {
		return unknown
	}
	in := 0
	for _, allowed := range p.Enum {
		if slices.ContainsFunc(values, func(v any) bool { return jsonval.Equal(v, allowed) }) {
			in++
		}
	}
	switch in {
	case 0:
		return never
	case len(p.Enum):
		return always
	}
	return unknown
}

func compare(p *schema.JSONSchemaProps, function string, x, y *ast.Expr) truth {
	op := mirrored[function][0]
	if path, ok := pathOf(x, "self"); ok {
		if other, ok := pathOf(y, "self"); ok && slices.Equal(path, other) && len(path) > 0 {
			return known(op == "==" || op == "<=" || op == ">=")
		}
	}
	if c, ok := comparisonWith(function, x, y); ok && !c.size {
		if s, isText := c.value.(string); isText && (op == "==" || op == "!=") {
			q := at(p, c.path)
			t := chosen(q, []any{s})
			if t == unknown && q != nil && q.MinLength != nil && *q.MinLength > 0 && s == "" && q.Type == "string" {
				t = never
			}
			if op == "!=" {
				t = t.not()
			}
			return t
		}
	}
	low1, high1, ok1 := interval(p, x)
	low2, high2, ok2 := interval(p, y)
	if !ok1 || !ok2 || x.Kind() == ast.LiteralKind && y.Kind() == ast.LiteralKind {
		return unknown
	}
	switch op {
	case "<":
		return order(high1 < low2, low1 >= high2)
	case "<=":
		return order(high1 <= low2, low1 > high2)
	case ">":
		return order(low1 > high2, high1 <= low2)
	case ">=":
		return order(low1 >= high2, high1 < low2)
	case "==":
		return order(low1 == high1 && low2 == high2 && low1 == low2, high1 < low2 || high2 < low1)
	}
	return order(high1 < low2 || high2 < low1, low1 == high1 && low2 == high2 && low1 == low2)
}

func order(yes, no bool) truth {
	switch {
	case yes:
		return always
	case no:
		return never
	}
	return unknown
}

// interval returns the numbers that an expression may be, if it is an integer, a literal or a size.
func interval(p *schema.JSONSchemaProps, e *ast.Expr) (low, high float64, ok bool) {
	if value, is := literal(e); is {
		switch n := value.(type) {
		case int64:
			return float64(n), float64(n), true
		case float64:
			return n, n, true
		}
		return 0, 0, false
	}
	if sized := sizeOf(e); sized != nil {
		path, ok := pathOf(sized, "self")
		q := at(p, path)
		if !ok || q == nil {
			return 0, 0, false
		}
		low, high = 0, math.Inf(1)
		least, most := q.MinLength, q.MaxLength
		switch q.Type {
		case "array":
			least, most = q.MinItems, q.MaxItems
		case "object":
			least, most = q.MinProperties, q.MaxProperties
		case "string":
		default:
			return 0, 0, false
		}
		if least != nil {
			low = max(low, float64(*least))
		}
		if most != nil {
			high = float64(*most)
		}
		return low, high, true
	}
	path, ok := pathOf(e, "self")
	q := at(p, path)
	if !ok || q == nil || q.Type != "integer" && q.Type != "number" || q.XIntOrString {
		return 0, 0, false
	}
	low, high = bounds(q)
	return low, high, true
}

// bounds returns the least and the greatest number that p allows.
func bounds(p *schema.JSONSchemaProps) (low, high float64) {
	low, high = rangeOf(p.Type, p.Format)
	if p.Minimum != nil {
		low = max(low, *p.Minimum)
	}
	if p.Maximum != nil {
		high = min(high, *p.Maximum)
	}
	return low, high
}
