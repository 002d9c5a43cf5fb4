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
type term struct {
	text       string
	tree       normal
	transition bool // evaluated only where there is an old value
}

// A comparison is of an expression with a number: it is at most that, or at least.
type comparison struct {
	of        string
	upper     bool
	exclusive bool
	value     float64
}

// maxRuleText is the length of the longest rule that is taken apart.
const maxRuleText = 5_000

// item stands for the items of a list in a path.
const item = "[]"

// knowledge is what is known of the values that a rule is about.
type knowledge interface {
	// constant returns the value of self.path as text, if it is always that; "absent" if the field is never there.
	constant(path []string) (text string, absent bool)
	// excludes reports whether the value at a path is never the text of a literal.
	excludes(path []string, literal string) bool
	// list reports whether self is always a list.
	list() bool
}

// terms returns the terms of a rule; know may be nil. A rule that cannot be parsed is a term of its own.
func terms(r *plan.Rule, know knowledge) []term {
	if len(r.Rule) > maxRuleText {
		return []term{wholeTerm(r)}
	}
	e := parseRule(r.Rule)
	if e == nil {
		return []term{wholeTerm(r)}
	}
	n := normalizer{know: know}
	x := n.normal(e, scope{})
	if n.failed {
		return []term{wholeTerm(r)}
	}
	optional := optionalText(r)
	var out []term
	for _, part := range x.split("&&") {
		if part.text == "true" {
			continue
		}
		t := term{text: optional + part.text, tree: part, transition: n.transition && optional == ""}
		if optional != "" && n.transition {
			t.tree = normal{text: t.text} // of another oldSelf
		}
		out = append(out, t)
	}
	return out
}

// wholeTerm returns a rule as one term that is only equal to itself.
func wholeTerm(r *plan.Rule) term {
	text := optionalText(r) + r.Rule
	return term{text: text, tree: normal{text: text}, transition: strings.Contains(r.Rule, "oldSelf") && optionalText(r) == ""}
}

// optionalText begins the texts of terms whose oldSelf is optional: it has another type.
func optionalText(r *plan.Rule) string {
	if r.OptionalOldSelf != nil && *r.OptionalOldSelf {
		return "optional "
	}
	return ""
}

// impliedBy reports whether the terms of have are proved to imply all of some.
func impliedBy(terms []term, have []term, p *proofs) bool {
	for i := range terms {
		if !terms[i].implied(have, p) {
			return false
		}
	}
	return true
}

// implied reports whether the terms of have are proved to imply t.
func (t *term) implied(have []term, p *proofs) bool {
	var trees []normal
	for i := range have {
		h := &have[i]
		if h.transition && !t.transition {
			continue
		}
		if h.text == t.text || h.tree.stronger(&t.tree, p) {
			return true
		}
		trees = append(trees, h.tree)
	}
	return tautology(trees, t.tree, p)
}

// stronger reports whether y is true wherever x is.
func (x *normal) stronger(y *normal, p *proofs) bool {
	return x.text == y.text || x.op == "" && y.op == "" && (x.compared.stronger(y.compared) || x.member != "" && x.member == y.member && subset(x.members, y.members) ||
		x.loop != "" && x.loop == y.loop && tautology([]normal{*x.body}, *y.body, p))
}

// Values of expressions: CEL's && and || take an error for a value that is not known.
const (
	isFalse = iota
	isError
	isTrue
)

// maxCases bounds how many assignments are looked at for one proof.
const maxCases = 20_000

// tautology reports whether y is true wherever all of have are, as far as that shows in how both are made of the same conditions.
func tautology(have []normal, y normal, p *proofs) bool {
	atoms := newAtoms()
	atoms.read(&y)
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
		atoms.read(&some[i])
	}
	atoms.settle()
	cases := atoms.cases()
	return cases <= maxCases && p.spend(cases*(1+len(some))*len(atoms.names)) && atoms.all(func() bool {
		for i := range some {
			if atoms.value(&some[i]) != isTrue {
				return true
			}
		}
		return atoms.value(&y) == isTrue
	})
}

// Atoms are what expressions are made of. One that compares something with literals takes one value for each of them, and for any other.
type atoms struct {
	names   []string            // in order
	choices map[string][]string // of those that are compared with literals
	bare    []string            // those that are conditions themselves
	now     map[string]int
}

func newAtoms() *atoms { return &atoms{choices: map[string][]string{}, now: map[string]int{}} }

func (a *atoms) read(x *normal) {
	if x.op != "" {
		for i := range x.operands {
			a.read(&x.operands[i])
		}
		return
	}
	if x.text == "true" || x.text == "false" {
		return
	}
	if !slices.Contains(a.names, x.atom()) {
		a.names = append(a.names, x.atom())
	}
	if x.member == "" {
		a.bare = append(a.bare, x.text)
		return
	}
	a.choose(x.member, x.members...)
}

// choose adds choices of what is compared with literals.
func (a *atoms) choose(name string, literals ...string) {
	choices := a.choices[name]
	for _, l := range literals {
		if !slices.Contains(choices, l) {
			choices = append(choices, l)
		}
	}
	a.choices[name] = choices
}

// settle completes the choices of conditions that are compared with literals, too: self.a and self.a == true.
func (a *atoms) settle() {
	for _, name := range a.bare {
		if _, compared := a.choices[name]; compared {
			a.choose(name, "true", "false")
		}
	}
}

// atom is what decides what x is.
func (x *normal) atom() string {
	if x.member != "" {
		return x.member
	}
	return x.text
}

func (a *atoms) shares(x *normal) bool {
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

func (a *atoms) size(name string) int {
	if c, compared := a.choices[name]; compared {
		return len(c) + 2 // another one, and an error
	}
	return 3
}

func (a *atoms) cases() int {
	n := 1
	for _, name := range a.names {
		if n *= a.size(name); n > maxCases {
			return n
		}
	}
	return n
}

func (a *atoms) all(holds func() bool) bool {
	for n := range a.cases() {
		for _, name := range a.names {
			a.now[name] = n % a.size(name)
			n /= a.size(name)
		}
		if !holds() {
			return false
		}
	}
	return true
}

func (a *atoms) value(x *normal) int {
	switch x.op {
	case "&&":
		v := isTrue
		for i := range x.operands {
			v = min(v, a.value(&x.operands[i]))
		}
		return v
	case "||":
		v := isFalse
		for i := range x.operands {
			v = max(v, a.value(&x.operands[i]))
		}
		return v
	case "!":
		return isTrue - a.value(&x.operands[0])
	case "?":
		switch a.value(&x.operands[0]) {
		case isTrue:
			return a.value(&x.operands[1])
		case isFalse:
			return a.value(&x.operands[2])
		}
		return isError
	}
	switch x.text {
	case "true":
		return isTrue
	case "false":
		return isFalse
	}
	choices, compared := a.choices[x.atom()]
	at := a.now[x.atom()]
	switch {
	case !compared:
		return at
	case x.member == "" && at < len(choices): // self.a, where it is compared with a literal elsewhere
		return truth(choices[at])
	case x.member == "" || at > len(choices):
		return isError
	case at < len(choices) && slices.Contains(x.members, choices[at]):
		return isTrue
	}
	return isFalse
}

// truth is the value of a literal as a condition.
func truth(literal string) int {
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

func (c *comparison) stronger(d *comparison) bool {
	switch {
	case c == nil || d == nil || c.of != d.of || c.upper != d.upper:
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
type normal struct {
	text     string
	op       string // &&, ||, ! or ?; empty for another
	operands []normal
	compared *comparison
	member   string   // what is compared with literals, one of which makes the expression true:
	members  []string // them
	loop     string   // of all or exists: the range and the macro
	body     *normal
}

func (x normal) split(op string) []normal {
	if x.op == op {
		return x.operands
	}
	return []normal{x}
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
var loops = map[string]map[int]int{
	"all": {2: 1, 3: 2}, "exists": {2: 1, 3: 2}, "exists_one": {2: 1, 3: 2}, "existsOne": {2: 1, 3: 2}, "map": {2: 1, 3: 1}, "filter": {2: 1},
	"transformList": {3: 2, 4: 2}, "transformMap": {3: 2, 4: 2}, "transformMapEntry": {3: 2, 4: 2}, "optMap": {2: 1}, "optFlatMap": {2: 1},
}

// flipped has the calls that say the same as others with their operands swapped.
var flipped = map[string]string{"_>_": "_<_", "_>=_": "_<=_"}

// normal returns the normal form of e. The parser bounds how deep it is.
func (n *normalizer) normal(e ast.Expr, bound scope) normal {
	below := func(e ast.Expr) normal { return n.normal(e, bound) }
	switch e.Kind() {
	case ast.LiteralKind:
		v := e.AsLiteral()
		return normal{text: literalText(v.Type() == types.StringType, v.Value(), fmt.Sprint(v.Type()))}
	case ast.IdentKind:
		name := e.AsIdent()
		if strings.TrimPrefix(name, ".") == "oldSelf" { // a variable of a macro with that name makes a transition rule, too
			n.transition = true
		}
		if to, ok := bound.names[name]; ok {
			return normal{text: to}
		}
		return normal{text: name}
	case ast.SelectKind:
		s := e.AsSelect()
		if path, ok := pathOf(e, bound); ok && n.know != nil && !s.IsTestOnly() {
			if text, _ := n.know.constant(path); text != "" {
				return normal{text: text}
			}
		}
		text := below(s.Operand()).text + "." + s.FieldName()
		if s.IsTestOnly() {
			text = "has(" + text + ")"
		}
		return normal{text: text}
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
		return normal{text: "[" + strings.Join(parts, ", ") + "]"}
	case ast.MapKind:
		var parts []string
		for _, entry := range e.AsMap().Entries() {
			m := entry.AsMapEntry()
			parts = append(parts, fmt.Sprint(m.IsOptional(), below(m.Key()).text, ": ", below(m.Value()).text))
		}
		return normal{text: "{" + strings.Join(parts, ", ") + "}"}
	case ast.CallKind:
		return n.call(e.AsCall(), bound)
	}
	n.failed = true
	return normal{}
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

func (n *normalizer) call(c ast.CallExpr, bound scope) normal {
	name, args := c.FunctionName(), c.Args()
	below := func(e ast.Expr) normal { return n.normal(e, bound) }
	switch {
	case name == "has" && !c.IsMemberFunction() && len(args) == 1:
		if path, ok := pathOf(args[0], bound); ok && n.know != nil {
			switch text, absent := n.know.constant(path); {
			case absent:
				return normal{text: "false"}
			case text != "":
				return normal{text: "true"}
			}
		}
		return normal{text: "has(" + below(args[0]).text + ")"}
	case name == "_&&_":
		return join("&&", "true", "false", below(args[0]), below(args[1]))
	case name == "_||_":
		return join("||", "false", "true", below(args[0]), below(args[1]))
	case name == "!_":
		return n.not(args[0], bound)
	case name == "_?_:_":
		condition, yes, no := below(args[0]), below(args[1]), below(args[2])
		switch {
		case condition.text == "true":
			return yes
		case condition.text == "false":
			return no
		}
		return normal{text: "(" + condition.text + " ? " + yes.text + " : " + no.text + ")", op: "?", operands: []normal{condition, yes, no}}
	}
	if c.IsMemberFunction() {
		return n.member(c, bound)
	}
	if to, ok := flipped[name]; ok {
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
	x := normal{text: name + "(" + strings.Join(parts, ", ") + ")"}
	switch name {
	case "_<_", "_<=_":
		if f, ok := numberOf(args[1]); ok {
			x.compared = &comparison{of: parts[0], upper: true, exclusive: name == "_<_", value: f}
		} else if f, ok := numberOf(args[0]); ok {
			x.compared = &comparison{of: parts[1], exclusive: name == "_<_", value: f}
		}
	case "@in":
		if args[1].Kind() == ast.ListKind {
			x.member = parts[0]
			for _, e := range args[1].AsList().Elements() {
				x.members = append(x.members, below(e).text)
			}
			if all := slices.Clone(x.members); len(args[1].AsList().OptionalIndices()) == 0 {
				slices.Sort(all)
				x.text = "@in(" + parts[0] + ", [" + strings.Join(slices.Compact(all), ", ") + "])"
			}
			if slices.ContainsFunc(args[1].AsList().Elements(), func(e ast.Expr) bool { return !distinct(e) }) {
				x.member, x.members = "", nil
			}
			if x.member != "" {
				return n.among(x, args[0], bound)
			}
		}
	}
	return x
}

// equal returns the normal form of a comparison of two operands, whose texts are parts.
func (n *normalizer) equal(args []ast.Expr, parts []string, bound scope) normal {
	texts := slices.Clone(parts)
	slices.Sort(texts)
	x := normal{text: "_==_(" + strings.Join(texts, ", ") + ")"}
	for i, a := range args {
		if other := args[1-i]; distinct(a) && other.Kind() != ast.LiteralKind {
			x.member, x.members = parts[1-i], []string{parts[i]}
			return n.among(x, other, bound)
		}
	}
	return x
}

// distinct reports whether e is a literal that is equal to no other one of those for which this is so. 1.0 is 1 where the type is dynamic.
func distinct(e ast.Expr) bool {
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
func (n *normalizer) among(x normal, e ast.Expr, bound scope) normal {
	if known := x.member; strings.HasPrefix(known, `"`) || known == "true" || known == "false" { // the value of a field that is always the same
		if slices.Contains(x.members, known) {
			return normal{text: "true"}
		}
		return normal{text: "false"}
	}
	path, ok := pathOf(e, bound)
	if !ok || n.know == nil {
		return x
	}
	left := slices.DeleteFunc(slices.Clone(x.members), func(m string) bool { return n.know.excludes(path, m) })
	if len(left) == len(x.members) {
		return x
	}
	// It may still be an error, so that it is not just false.
	x.members = left
	x.text = "@in(" + x.member + ", [" + strings.Join(left, ", ") + "])"
	return x
}

// negation returns the negation of x.
func negation(x normal) normal {
	switch {
	case x.text == "true":
		return normal{text: "false"}
	case x.text == "false":
		return normal{text: "true"}
	case x.op == "!":
		return x.operands[0]
	}
	return normal{text: "!(" + x.text + ")", op: "!", operands: []normal{x}}
}

func numberOf(e ast.Expr) (float64, bool) {
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
func (n *normalizer) not(e ast.Expr, bound scope) normal {
	if e.Kind() == ast.CallKind {
		c := e.AsCall()
		args := c.Args()
		switch name := c.FunctionName(); {
		case name == "!_":
			return n.normal(args[0], bound)
		case name == "_&&_":
			return join("||", "false", "true", n.not(args[0], bound), n.not(args[1], bound))
		case name == "_||_":
			return join("&&", "true", "false", n.not(args[0], bound), n.not(args[1], bound))
		}
	}
	return negation(n.normal(e, bound))
}

// join joins two expressions. neutral is left out, and absorbing is all that is left.
func join(op, neutral, absorbing string, a, b normal) normal {
	all := append(slices.Clone(a.split(op)), b.split(op)...)
	sort.Slice(all, func(i, j int) bool { return all[i].text < all[j].text })
	all = slices.CompactFunc(all, func(a, b normal) bool { return a.text == b.text })
	all = slices.DeleteFunc(all, func(x normal) bool { return x.text == neutral })
	var parts []string
	for _, x := range all {
		if x.text == absorbing {
			return x
		}
		parts = append(parts, x.text)
	}
	switch len(all) {
	case 0:
		return normal{text: neutral}
	case 1:
		return all[0]
	}
	return normal{text: "(" + strings.Join(parts, " "+op+" ") + ")", op: op, operands: all}
}

// member returns the normal form of a call of a member function, or of a macro that looks like one.
func (n *normalizer) member(c ast.CallExpr, bound scope) normal {
	name, args, target := c.FunctionName(), c.Args(), c.Target()
	over := n.normal(target, bound).text
	binds := loops[name][len(args)]
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
			path = append(slices.Clone(over2), item)
		}
		inner = inner.with(a.AsIdent(), path)
	}
	var parts []string
	var last normal
	for i, a := range args[binds:] {
		in := inner
		if name == "bind" && i == 0 {
			in = bound
		}
		last = n.normal(a, in)
		parts = append(parts, last.text)
	}
	if name == "size" && len(args) == 0 {
		return normal{text: "size(" + over + ")"}
	}
	if binds > 0 {
		over += "/" + strconv.Itoa(binds) // with one variable or two, the first is not the same thing
	}
	if binds > 0 && name == "all" && last.text == "true" && known && len(over2) == 0 && n.know != nil && n.know.list() {
		return last
	}
	x := normal{text: over + "." + name + "(" + strings.Join(parts, ", ") + ")"}
	if binds > 0 && (name == "all" || name == "exists") {
		x.loop, x.body = over+"."+name, &last
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
