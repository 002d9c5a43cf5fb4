package compat

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/types"
)

// A normalForm is an expression in a form that does not depend on the names of variables, on parentheses, and on the
// order of operands where it does not matter. Negations are applied to atoms only, as far as possible.
type normalForm struct {
	text     string // equal for equal normal forms
	op       string // &&, ||, ! or ?; empty for an atom, which has no operands
	operands []normalForm

	// What is known about an atom, besides its text.
	comparison *comparison
	subject    string      // if not empty: the atom is true if this expression is equal to one of literals
	literals   []string    // different from each other for all types
	macro      string      // the range and the name of a macro: all or exists
	body       *normalForm // of the macro
}

// operandsOf returns the operands of x if op is its operator, or x itself.
func (x normalForm) operandsOf(op string) []normalForm {
	if x.op == op {
		return x.operands
	}
	return []normalForm{x}
}

// A comparison says that an expression is at most, or at least, a number.
type comparison struct {
	subject   string
	upper     bool // at most
	exclusive bool
	value     float64
}

// A normalizer makes normal forms.
type normalizer struct {
	know       knowledge // or nil
	transition bool      // oldSelf was found
	failed     bool      // some part has no normal form
}

// normalize returns the normal form of e. The parser bounds how deep e is.
func (n *normalizer) normalize(e *ast.Expr, variables *scope) normalForm {
	text := func(e *ast.Expr) string { return n.normalize(e, variables).text }
	switch e.Kind() {
	case ast.LiteralKind:
		return normalForm{text: literalText(e)}
	case ast.IdentKind:
		name := e.AsIdent()
		if strings.TrimPrefix(name, ".") == "oldSelf" { // even if it is a variable of a macro
			n.transition = true
		}
		if v := variables.lookup(name); v != nil {
			name = v.normalName()
		}
		return normalForm{text: name}
	case ast.SelectKind:
		if literal, _ := n.constant(e, variables); literal != "" {
			return normalForm{text: literal}
		}
		return normalForm{text: text(e.AsSelect().Operand()) + "." + e.AsSelect().FieldName()}
	case ast.ListKind:
		return normalForm{text: listText(e.AsList(), n.texts(e.AsList().Elements(), variables))}
	case ast.MapKind:
		var parts []string
		for _, m := range e.AsMap().Entries() {
			parts = append(parts, fmt.Sprint(m.IsOptional(), text(m.Key()), ": ", text(m.Value())))
		}
		return normalForm{text: "{" + strings.Join(parts, ", ") + "}"}
	case ast.CallKind:
		return n.call(e.AsCall(), variables)
	}
	n.failed = true
	return normalForm{}
}

// texts returns the normal forms of several expressions as texts.
func (n *normalizer) texts(all []*ast.Expr, variables *scope) []string {
	out := make([]string, len(all))
	for i, e := range all {
		out[i] = n.normalize(e, variables).text
	}
	return out
}

// listText returns the normal form of a list with these elements.
func listText(l *ast.ListExpr, elements []string) string {
	marked := slices.Clone(elements)
	for _, i := range l.OptionalIndices() {
		marked[i] = "?" + marked[i]
	}
	return "[" + strings.Join(marked, ", ") + "]"
}

// constant returns what is known of a selection: the literal that is always its value, or that it is always absent.
func (n *normalizer) constant(e *ast.Expr, variables *scope) (literal string, absent bool) {
	path, ok := pathOf(e, variables)
	if !ok || n.know == nil || e.Kind() != ast.SelectKind {
		return "", false
	}
	return n.know.constant(path)
}

// literalText returns the text of a literal, with its type unless the text shows it.
func literalText(e *ast.Expr) string {
	switch v := e.AsLiteral(); v.(type) {
	case types.String:
		return strconv.Quote(v.Value().(string))
	case types.Bool, types.Int:
		return fmt.Sprint(v.Value())
	case types.Null:
		return "null"
	default:
		return fmt.Sprintf("%s(%v)", v.Type(), v.Value())
	}
}

// mirrored has the operators that mean the same as another one with its operands swapped.
var mirrored = map[string]string{"_>_": "_<_", "_>=_": "_<=_"}

// call returns the normal form of a call of an operator, function or macro.
func (n *normalizer) call(c *ast.CallExpr, variables *scope) normalForm {
	if c.IsMemberFunction() {
		return n.member(c, variables)
	}
	name, args := c.FunctionName(), c.Args()
	if to, ok := mirrored[name]; ok {
		name, args = to, []*ast.Expr{args[1], args[0]}
	}
	switch name {
	case "_&&_":
		return joined("&&", n.normalize(args[0], variables), n.normalize(args[1], variables))
	case "_||_":
		return joined("||", n.normalize(args[0], variables), n.normalize(args[1], variables))
	case "!_":
		return n.negate(args[0], variables)
	case "@in":
		if args[1].Kind() == ast.ListKind {
			return n.membership(args[0], args[1].AsList(), variables)
		}
	}
	forms := make([]normalForm, len(args))
	parts := make([]string, len(args))
	for i, a := range args {
		forms[i] = n.normalize(a, variables)
		parts[i] = forms[i].text
	}
	x := normalForm{text: name + "(" + strings.Join(parts, ", ") + ")"}
	switch name {
	case "_?_:_":
		return conditional(forms)
	case "_==_":
		return n.equal(args, parts, variables)
	case "_!=_":
		return negation(n.equal(args, parts, variables))
	case "_<_", "_<=_":
		if value, ok := literalNumber(args[1]); ok {
			x.comparison = &comparison{subject: parts[0], upper: true, exclusive: name == "_<_", value: value}
		} else if value, ok := literalNumber(args[0]); ok {
			x.comparison = &comparison{subject: parts[1], exclusive: name == "_<_", value: value}
		}
	case "has":
		if len(args) == 1 {
			switch literal, absent := n.constant(args[0], variables); {
			case absent:
				return normalForm{text: "false"}
			case literal != "":
				return normalForm{text: "true"}
			}
		}
	}
	return x
}

// conditional returns the normal form of a ? b : c.
func conditional(operands []normalForm) normalForm {
	condition, yes, no := operands[0], operands[1], operands[2]
	switch condition.text {
	case "true":
		return yes
	case "false":
		return no
	}
	return normalForm{text: "(" + condition.text + " ? " + yes.text + " : " + no.text + ")", op: "?", operands: operands}
}

// equal returns the normal form of a comparison by ==. texts are those of the operands.
func (n *normalizer) equal(args []*ast.Expr, texts []string, variables *scope) normalForm {
	sorted := slices.Sorted(slices.Values(texts))
	x := normalForm{text: "_==_(" + strings.Join(sorted, ", ") + ")"}
	for i, a := range args {
		if other := args[1-i]; isExact(a) && other.Kind() != ast.LiteralKind {
			x.subject, x.literals = texts[1-i], []string{texts[i]}
			return n.restricted(x, other, variables)
		}
	}
	return x
}

// membership returns the normal form of a test whether e is in a list.
func (n *normalizer) membership(e *ast.Expr, list *ast.ListExpr, variables *scope) normalForm {
	subject, elements := n.normalize(e, variables).text, n.texts(list.Elements(), variables)
	x := normalForm{text: "@in(" + subject + ", " + listText(list, elements) + ")"}
	if len(list.OptionalIndices()) == 0 {
		x.text = memberText(subject, slices.Compact(slices.Sorted(slices.Values(elements))))
	}
	if slices.ContainsFunc(list.Elements(), func(element *ast.Expr) bool { return !isExact(element) }) {
		return x
	}
	x.subject, x.literals = subject, elements
	return n.restricted(x, e, variables)
}

func memberText(subject string, elements []string) string {
	return "@in(" + subject + ", [" + strings.Join(elements, ", ") + "])"
}

// restricted returns x, which compares e with literals, without the literals to which e is never equal. It returns true
// or false if the value of e is known.
func (n *normalizer) restricted(x normalForm, e *ast.Expr, variables *scope) normalForm {
	if strings.HasPrefix(x.subject, `"`) || literalTruth(x.subject) != isError { // a constant
		return normalForm{text: strconv.FormatBool(slices.Contains(x.literals, x.subject))}
	}
	path, ok := pathOf(e, variables)
	if !ok || n.know == nil {
		return x
	}
	left := slices.DeleteFunc(slices.Clone(x.literals), func(literal string) bool { return n.know.excludes(path, literal) })
	if len(left) < len(x.literals) {
		x.literals, x.text = left, memberText(x.subject, left) // not false if there are none: e may be an error
	}
	return x
}

// isExact reports whether e is a literal of a type whose values are not equal to those of other types. An int may be
// equal to a double.
func isExact(e *ast.Expr) bool {
	if e.Kind() != ast.LiteralKind {
		return false
	}
	switch e.AsLiteral().(type) {
	case types.String, types.Bool, types.Int:
		return true
	}
	return false
}

// literalNumber returns the value of a literal that is a number, if a float64 holds it exactly.
func literalNumber(e *ast.Expr) (float64, bool) {
	if e.Kind() != ast.LiteralKind {
		return 0, false
	}
	switch v := e.AsLiteral().Value().(type) {
	case int64:
		return float64(v), v < 1<<53 && v > -1<<53
	case float64:
		return v, true
	}
	return 0, false
}

// negate returns the normal form of the negation of e.
func (n *normalizer) negate(e *ast.Expr, variables *scope) normalForm {
	if e.Kind() == ast.CallKind {
		args := e.AsCall().Args()
		switch e.AsCall().FunctionName() {
		case "!_":
			return n.normalize(args[0], variables)
		case "_&&_":
			return joined("||", n.negate(args[0], variables), n.negate(args[1], variables))
		case "_||_":
			return joined("&&", n.negate(args[0], variables), n.negate(args[1], variables))
		}
	}
	return negation(n.normalize(e, variables))
}

// negation returns the negation of x, which is neither a conjunction nor a disjunction.
func negation(x normalForm) normalForm {
	switch {
	case literalTruth(x.text) != isError:
		return normalForm{text: strconv.FormatBool(x.text == "false")}
	case x.op == "!":
		return x.operands[0]
	}
	return normalForm{text: "!(" + x.text + ")", op: "!", operands: []normalForm{x}}
}

// joined returns the normal form of a && b, or of a || b.
func joined(op string, a, b normalForm) normalForm {
	neutral, absorbing := "true", "false"
	if op == "||" {
		neutral, absorbing = absorbing, neutral
	}
	all := slices.Concat(a.operandsOf(op), b.operandsOf(op))
	sort.Slice(all, func(i, j int) bool { return all[i].text < all[j].text })
	all = slices.CompactFunc(all, func(a, b normalForm) bool { return a.text == b.text })
	all = slices.DeleteFunc(all, func(x normalForm) bool { return x.text == neutral })
	var parts []string
	for _, x := range all {
		if x.text == absorbing {
			return x
		}
		parts = append(parts, x.text)
	}
	switch len(all) {
	case 0:
		return normalForm{text: neutral}
	case 1:
		return all[0]
	}
	return normalForm{text: "(" + strings.Join(parts, " "+op+" ") + ")", op: op, operands: all}
}
