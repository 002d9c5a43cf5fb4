package compat

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/parser"

	"github.com/crdkit/crdkit/internal/plan"
)

// A term is one of the conditions that a rule joins by &&, in a form that is the same for all expressions that differ only in names, in the
// order of what may be swapped, and in parentheses. A value fulfils a rule if it fulfils all of its terms.
type conjunct struct {
	text       string
	form       normalForm
	transition bool // evaluated only where there is an old value
}

// A comparison is of an expression with a number: it is at most that, or at least.
type comparison struct {
	subject   string
	upper     bool
	exclusive bool
	value     float64
}

// maxRuleText is the length of the longest rule that is taken apart.
const maxRuleText = 5_000

// item stands for the items of a list in a path.
const itemStep = "[]"

// knowledge is what is known of the values that a rule is about.
type knowledge interface {
	// constant returns the value of self.path as text, if it is always that; "absent" if the field is never there.
	constant(path []string) (text string, absent bool)
	// excludes reports whether the value at a path is never the text of a literal.
	excludes(path []string, literal string) bool
	// list reports whether self is always a list.
	isList() bool
}

// terms returns the terms of a rule; know may be nil. A rule that cannot be parsed is a term of its own.
func conjuncts(r *plan.Rule, know knowledge) []conjunct {
	if len(r.Rule) > maxRuleText {
		return []conjunct{opaqueConjunct(r)}
	}
	e := parseRule(r.Rule)
	if e == nil {
		return []conjunct{opaqueConjunct(r)}
	}
	n := normalizer{know: know}
	x := n.normalize(e, scope{})
	if n.failed {
		return []conjunct{opaqueConjunct(r)}
	}
	optional := optionalPrefix(r)
	var out []conjunct
	for _, part := range x.operandsOf("&&") {
		if part.text == "true" {
			continue
		}
		t := conjunct{text: optional + part.text, form: part, transition: n.transition && optional == ""}
		if optional != "" && n.transition {
			t.form = normalForm{text: t.text} // of another oldSelf
		}
		out = append(out, t)
	}
	return out
}

// wholeTerm returns a rule as one term that is only equal to itself.
func opaqueConjunct(r *plan.Rule) conjunct {
	text := optionalPrefix(r) + r.Rule
	return conjunct{text: text, form: normalForm{text: text}, transition: strings.Contains(r.Rule, "oldSelf") && optionalPrefix(r) == ""}
}

// optionalText begins the texts of terms whose oldSelf is optional: it has another type.
func optionalPrefix(r *plan.Rule) string {
	if r.OptionalOldSelf != nil && *r.OptionalOldSelf {
		return "optional "
	}
	return ""
}

// impliedBy reports whether the terms of have are proved to imply all of some.
func impliedBy(terms []conjunct, have []conjunct, p *proofState) bool {
	for i := range terms {
		if !terms[i].impliedBy(have, p) {
			return false
		}
	}
	return true
}

// implied reports whether the terms of have are proved to imply t.
func (t *conjunct) impliedBy(have []conjunct, p *proofState) bool {
	var trees []normalForm
	for i := range have {
		h := &have[i]
		if h.transition && !t.transition {
			continue
		}
		if h.text == t.text || h.form.implies(&t.form, p) {
			return true
		}
		trees = append(trees, h.form)
	}
	return entails(trees, t.form, p)
}

// stronger reports whether y is true wherever x is.
func (x *normalForm) implies(y *normalForm, p *proofState) bool {
	return x.text == y.text || x.op == "" && y.op == "" && (x.comparison.implies(y.comparison) || x.subject != "" && x.subject == y.subject && subset(x.literals, y.literals) ||
		x.macro != "" && x.macro == y.macro && entails([]normalForm{*x.body}, *y.body, p))
}

// Values of expressions: CEL's && and || take an error for a value that is not known.
const (
	isFalse = iota
	isError
	isTrue
)

// maxCases bounds how many assignments are looked at for one proof.
const maxAssignments = 20_000

// tautology reports whether y is true wherever all of have are, as far as that shows in how both are made of the same conditions.
func entails(have []normalForm, y normalForm, p *proofState) bool {
	atoms := newAtoms()
	atoms.add(&y)
	some := have[:0:0]
	for i := range have {
		if atoms.shares(&have[i]) {
			some = append(some, have[i])
		}
	}
	if len(some) == 0 {
		return false
	}
	for i := range some {
		atoms.add(&some[i])
	}
	atoms.completeLiterals()
	cases := atoms.assignments()
	return cases <= maxAssignments && p.spend(cases*(1+len(some))*len(atoms.names)) && atoms.everyAssignment(func() bool {
		for i := range some {
			if atoms.eval(&some[i]) != isTrue {
				return true
			}
		}
		return atoms.eval(&y) == isTrue
	})
}

// Atoms are what expressions are made of. One that compares something with literals takes one value for each of them, and for any other.
type atoms struct {
	names      []string            // in order
	literals   map[string][]string // of those that are compared with literals
	conditions []string            // those that are conditions themselves
	assignment map[string]int
}

func newAtoms() *atoms { return &atoms{literals: map[string][]string{}, assignment: map[string]int{}} }

func (a *atoms) add(x *normalForm) {
	if x.op != "" {
		for i := range x.operands {
			a.add(&x.operands[i])
		}
		return
	}
	if x.text == "true" || x.text == "false" {
		return
	}
	if !slices.Contains(a.names, x.atom()) {
		a.names = append(a.names, x.atom())
	}
	if x.subject == "" {
		a.conditions = append(a.conditions, x.text)
		return
	}
	a.addLiterals(x.subject, x.literals...)
}

// choose adds choices of what is compared with literals.
func (a *atoms) addLiterals(name string, literals ...string) {
	choices := a.literals[name]
	for _, l := range literals {
		if !slices.Contains(choices, l) {
			choices = append(choices, l)
		}
	}
	a.literals[name] = choices
}

// settle completes the choices of conditions that are compared with literals, too: self.a and self.a == true.
func (a *atoms) completeLiterals() {
	for _, name := range a.conditions {
		if _, compared := a.literals[name]; compared {
			a.addLiterals(name, "true", "false")
		}
	}
}

// atom is what decides what x is.
func (x *normalForm) atom() string {
	if x.subject != "" {
		return x.subject
	}
	return x.text
}

func (a *atoms) shares(x *normalForm) bool {
	if x.op == "" {
		return slices.Contains(a.names, x.atom())
	}
	for i := range x.operands {
		if a.shares(&x.operands[i]) {
			return true
		}
	}
	return false
}

func (a *atoms) domainSize(name string) int {
	if c, compared := a.literals[name]; compared {
		return len(c) + 2 // another one, and an error
	}
	return 3
}

func (a *atoms) assignments() int {
	n := 1
	for _, name := range a.names {
		if n *= a.domainSize(name); n > maxAssignments {
			return n
		}
	}
	return n
}

func (a *atoms) everyAssignment(holds func() bool) bool {
	for n := range a.assignments() {
		for _, name := range a.names {
			a.assignment[name] = n % a.domainSize(name)
			n /= a.domainSize(name)
		}
		if !holds() {
			return false
		}
	}
	return true
}

func (a *atoms) eval(x *normalForm) int {
	switch x.op {
	case "&&":
		v := isTrue
		for i := range x.operands {
			v = min(v, a.eval(&x.operands[i]))
		}
		return v
	case "||":
		v := isFalse
		for i := range x.operands {
			v = max(v, a.eval(&x.operands[i]))
		}
		return v
	case "!":
		return isTrue - a.eval(&x.operands[0])
	case "?":
		switch a.eval(&x.operands[0]) {
		case isTrue:
			return a.eval(&x.operands[1])
		case isFalse:
			return a.eval(&x.operands[2])
		}
		return isError
	}
	switch x.text {
	case "true":
		return isTrue
	case "false":
		return isFalse
	}
	choices, compared := a.literals[x.atom()]
	at := a.assignment[x.atom()]
	switch {
	case !compared:
		return at
	case x.subject == "" && at < len(choices): // self.a, where it is compared with a literal elsewhere
		return literalTruth(choices[at])
	case x.subject == "" || at > len(choices):
		return isError
	case at < len(choices) && slices.Contains(x.literals, choices[at]):
		return isTrue
	}
	return isFalse
}

// truth is the value of a literal as a condition.
func literalTruth(literal string) int {
	switch literal {
	case "true":
		return isTrue
	case "false":
		return isFalse
	}
	return isError
}

func subset(a, b []string) bool {
	return !slices.ContainsFunc(a, func(s string) bool { return !slices.Contains(b, s) })
}

func (c *comparison) implies(d *comparison) bool {
	switch {
	case c == nil || d == nil || c.subject != d.subject || c.upper != d.upper:
		return false
	case c.value == d.value:
		return c.exclusive || !d.exclusive
	}
	return (c.value < d.value) == c.upper
}

func parseRule(text string) ast.Expr {
	p, err := parser.NewParser(parser.EnableOptionalSyntax(true), parser.MaxRecursionDepth(100), parser.ErrorRecoveryLimit(1))
	if err != nil {
		return nil
	}
	parsed, errs := p.Parse(common.NewTextSource(text))
	if parsed == nil || errs != nil && len(errs.GetErrors()) > 0 {
		return nil
	}
	return parsed.Expr()
}

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

type normalizer struct {
	know       knowledge
	transition bool
	failed     bool
}

// loops has the macros that bind variables: how many, by the number of their arguments.
var bindingMacros = map[string]map[int]int{
	"all": {2: 1, 3: 2}, "exists": {2: 1, 3: 2}, "exists_one": {2: 1, 3: 2}, "existsOne": {2: 1, 3: 2}, "map": {2: 1, 3: 1}, "filter": {2: 1},
	"transformList": {3: 2, 4: 2}, "transformMap": {3: 2, 4: 2}, "transformMapEntry": {3: 2, 4: 2}, "optMap": {2: 1}, "optFlatMap": {2: 1},
}

// flipped has the calls that say the same as others with their operands swapped.
var mirrored = map[string]string{"_>_": "_<_", "_>=_": "_<=_"}

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
			path = append(slices.Clone(over2), itemStep)
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
