package compat

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
)

// A normal is an expression as text, with its operands if it joins some.
type normalForm struct {
	text       string
	op         string // &&, ||, ! or ?; empty for another
	operands   []normalForm
	comparison *comparison
	subject    string   // what is compared with literals, one of which makes the expression true:
	literals   []string // them
	macro      string   // of all or exists: the range and the macro
	body       *normalForm
}

func (x normalForm) operandsOf(op string) []normalForm {
	if x.op == op {
		return x.operands
	}
	return []normalForm{x}
}

// A comparison is of an expression with a number: it is at most that, or at least.
type comparison struct {
	subject   string
	upper     bool
	exclusive bool
	value     float64
}

type normalizer struct {
	know       knowledge
	transition bool
	failed     bool
}

// normal returns the normal form of e. The parser bounds how deep it is.
func (n *normalizer) normalize(e ast.Expr, bound scope) normalForm {
	below := func(e ast.Expr) normalForm { return n.normalize(e, bound) }
	switch e.Kind() {
	case ast.LiteralKind:
		v := e.AsLiteral()
		return normalForm{text: literalText(v.Type() == types.StringType, v.Value(), fmt.Sprint(v.Type()))}
	case ast.IdentKind:
		name := e.AsIdent()
		if strings.TrimPrefix(name, ".") == "oldSelf" { // a variable of a macro with that name makes a transition rule, too
			n.transition = true
		}
		if to, ok := bound.names[name]; ok {
			return normalForm{text: to}
		}
		return normalForm{text: name}
	case ast.SelectKind:
		s := e.AsSelect()
		if path, ok := pathOf(e, bound); ok && n.know != nil && !s.IsTestOnly() {
			if text, _ := n.know.constant(path); text != "" {
				return normalForm{text: text}
			}
		}
		text := below(s.Operand()).text + "." + s.FieldName()
		if s.IsTestOnly() {
			text = "has(" + text + ")"
		}
		return normalForm{text: text}
	case ast.ListKind:
		l := e.AsList()
		var parts []string
		for i, x := range l.Elements() {
			mark := ""
			if l.IsOptional(int32(i)) {
				mark = "?"
			}
			parts = append(parts, mark+below(x).text)
		}
		return normalForm{text: "[" + strings.Join(parts, ", ") + "]"}
	case ast.MapKind:
		var parts []string
		for _, entry := range e.AsMap().Entries() {
			m := entry.AsMapEntry()
			parts = append(parts, fmt.Sprint(m.IsOptional(), below(m.Key()).text, ": ", below(m.Value()).text))
		}
		return normalForm{text: "{" + strings.Join(parts, ", ") + "}"}
	case ast.CallKind:
		return n.call(e.AsCall(), bound)
	}
	n.failed = true
	return normalForm{}
}

func literalText(isText bool, v any, of string) string {
	if isText {
		return strconv.Quote(v.(string))
	}
	if of == "bool" || of == "int" {
		return fmt.Sprint(v)
	}
	return fmt.Sprintf("%s(%v)", of, v)
}

// flipped has the calls that say the same as others with their operands swapped.
var mirrored = map[string]string{"_>_": "_<_", "_>=_": "_<=_"}

func (n *normalizer) call(c ast.CallExpr, bound scope) normalForm {
	name, args := c.FunctionName(), c.Args()
	below := func(e ast.Expr) normalForm { return n.normalize(e, bound) }
	switch {
	case name == "has" && !c.IsMemberFunction() && len(args) == 1:
		if path, ok := pathOf(args[0], bound); ok && n.know != nil {
			switch text, absent := n.know.constant(path); {
			case absent:
				return normalForm{text: "false"}
			case text != "":
				return normalForm{text: "true"}
			}
		}
		return normalForm{text: "has(" + below(args[0]).text + ")"}
	case name == "_&&_":
		return joined("&&", "true", "false", below(args[0]), below(args[1]))
	case name == "_||_":
		return joined("||", "false", "true", below(args[0]), below(args[1]))
	case name == "!_":
		return n.negate(args[0], bound)
	case name == "_?_:_":
		condition, yes, no := below(args[0]), below(args[1]), below(args[2])
		switch {
		case condition.text == "true":
			return yes
		case condition.text == "false":
			return no
		}
		return normalForm{text: "(" + condition.text + " ? " + yes.text + " : " + no.text + ")", op: "?", operands: []normalForm{condition, yes, no}}
	}
	if c.IsMemberFunction() {
		return n.member(c, bound)
	}
	if to, ok := mirrored[name]; ok {
		name, args = to, []ast.Expr{args[1], args[0]}
	}
	var parts []string
	for _, a := range args {
		parts = append(parts, below(a).text)
	}
	if name == "_!=_" {
		return negation(n.equal(args, parts, bound))
	}
	if name == "_==_" {
		return n.equal(args, parts, bound)
	}
	x := normalForm{text: name + "(" + strings.Join(parts, ", ") + ")"}
	switch name {
	case "_<_", "_<=_":
		if f, ok := literalNumber(args[1]); ok {
			x.comparison = &comparison{subject: parts[0], upper: true, exclusive: name == "_<_", value: f}
		} else if f, ok := literalNumber(args[0]); ok {
			x.comparison = &comparison{subject: parts[1], exclusive: name == "_<_", value: f}
		}
	case "@in":
		if args[1].Kind() == ast.ListKind {
			x.subject = parts[0]
			for _, e := range args[1].AsList().Elements() {
				x.literals = append(x.literals, below(e).text)
			}
			if all := slices.Clone(x.literals); len(args[1].AsList().OptionalIndices()) == 0 {
				slices.Sort(all)
				x.text = "@in(" + parts[0] + ", [" + strings.Join(slices.Compact(all), ", ") + "])"
			}
			if slices.ContainsFunc(args[1].AsList().Elements(), func(e ast.Expr) bool { return !comparesExactly(e) }) {
				x.subject, x.literals = "", nil
			}
			if x.subject != "" {
				return n.simplifyMembership(x, args[0], bound)
			}
		}
	}
	return x
}

// equal returns the normal form of a comparison of two operands, whose texts are parts.
func (n *normalizer) equal(args []ast.Expr, parts []string, bound scope) normalForm {
	texts := slices.Clone(parts)
	slices.Sort(texts)
	x := normalForm{text: "_==_(" + strings.Join(texts, ", ") + ")"}
	for i, a := range args {
		if other := args[1-i]; comparesExactly(a) && other.Kind() != ast.LiteralKind {
			x.subject, x.literals = parts[1-i], []string{parts[i]}
			return n.simplifyMembership(x, other, bound)
		}
	}
	return x
}

// distinct reports whether e is a literal that is equal to no other one of those for which this is so. 1.0 is 1 where the type is dynamic.
func comparesExactly(e ast.Expr) bool {
	if e.Kind() != ast.LiteralKind {
		return false
	}
	switch e.AsLiteral().(type) {
	case types.String, types.Bool, types.Int:
		return true
	}
	return false
}

// among decides x, which says that e is one of some literals, if that is known.
func (n *normalizer) simplifyMembership(x normalForm, e ast.Expr, bound scope) normalForm {
	if known := x.subject; strings.HasPrefix(known, `"`) || known == "true" || known == "false" { // the value of a field that is always the same
		if slices.Contains(x.literals, known) {
			return normalForm{text: "true"}
		}
		return normalForm{text: "false"}
	}
	path, ok := pathOf(e, bound)
	if !ok || n.know == nil {
		return x
	}
	left := slices.DeleteFunc(slices.Clone(x.literals), func(m string) bool { return n.know.excludes(path, m) })
	if len(left) == len(x.literals) {
		return x
	}
	// It may still be an error, so that it is not just false.
	x.literals = left
	x.text = "@in(" + x.subject + ", [" + strings.Join(left, ", ") + "])"
	return x
}

func literalNumber(e ast.Expr) (float64, bool) {
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

// not returns the negation of e, brought down to what is no && or ||.
func (n *normalizer) negate(e ast.Expr, bound scope) normalForm {
	if e.Kind() == ast.CallKind {
		c := e.AsCall()
		args := c.Args()
		switch name := c.FunctionName(); {
		case name == "!_":
			return n.normalize(args[0], bound)
		case name == "_&&_":
			return joined("||", "false", "true", n.negate(args[0], bound), n.negate(args[1], bound))
		case name == "_||_":
			return joined("&&", "true", "false", n.negate(args[0], bound), n.negate(args[1], bound))
		}
	}
	return negation(n.normalize(e, bound))
}

// negation returns the negation of x.
func negation(x normalForm) normalForm {
	switch {
	case x.text == "true":
		return normalForm{text: "false"}
	case x.text == "false":
		return normalForm{text: "true"}
	case x.op == "!":
		return x.operands[0]
	}
	return normalForm{text: "!(" + x.text + ")", op: "!", operands: []normalForm{x}}
}

// join joins two expressions. neutral is left out, and absorbing is all that is left.
func joined(op, neutral, absorbing string, a, b normalForm) normalForm {
	all := append(slices.Clone(a.operandsOf(op)), b.operandsOf(op)...)
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
