package ruleset

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/declare"
	"github.com/crdkit/crdkit/internal/errlist"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/rulesyntax"
	"github.com/crdkit/crdkit/internal/since"
	"github.com/crdkit/crdkit/schema"
)

// The static limits: of one expression, of a whole schema, and from which single contribution to the latter is named.
const (
	expressionLimit  = 10_000_000
	schemaLimit      = 100_000_000
	contributorLimit = schemaLimit / 100
	contributorsMost = 4
)

// judge compiles all rules that opts let be compiled, and returns the estimates of those that compile and all errors.
func (r *Rules) judge(opts *Options) ([]placedCost, field.List) {
	top := r.rules().top
	r.programs.lock()
	defer r.programs.unlock()
	if minor := since.Minor(opts.Minor); minor != 0 {
		r.programs.checker.For(minor)
		r.programs.estimator.For(minor)
		defer func() {
			r.programs.checker.For(0)
			r.programs.estimator.For(0)
		}()
	}
	j := judge{programs: r.programs, options: opts, syntax: errlist.Within(opts.Limit), errs: errlist.Within(opts.Limit)}
	base := pathOf(opts.Path)
	scope := static{}
	if len(top.node.Rules) > 0 {
		scope = static{typ: top.typ, within: true}
	}
	j.place(top, scope, base, nil, count{n: 1, bounded: true}, nil)
	if j.total > schemaLimit {
		for _, c := range j.contributors {
			j.add(field.Forbidden(c.path,
				"contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"))
		}
		j.add(field.Forbidden(base,
			tooDear("x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema", j.total, schemaLimit)))
	}
	slices.SortStableFunc(j.costs, func(a, b placedCost) int { return a.order - b.order })
	j.syntax.Append(j.errs.Errors()...)
	return j.costs, j.syntax.Errors()
}

func (j *judge) add(e *field.Error) { j.errs.Add(e) }

// pathOf reads a path as errors print it. Only indexes may stand in its brackets.
func pathOf(text string) *field.Path {
	var p *field.Path
	if text == "" {
		return p
	}
	for _, part := range strings.Split(text, ".") {
		name, rest, _ := strings.Cut(part, "[")
		if i, err := strconv.Atoi(strings.TrimSuffix(rest, "]")); err == nil {
			p = p.Child(name).Index(i)
		} else {
			p = p.Child(part)
		}
	}
	return p
}

// A judge walks the tree of rules as a server walks the schema of a new definition.
type judge struct {
	programs *programs
	options  *Options

	costs        []placedCost
	visited      int
	faulty       int          // nodes of which somebody else has found errors
	syntax, errs errlist.List // those of the rules' fields come first (CWH-001)
	total        uint64
	contributors []contributor // the dearest, dearest first

	around []*plan.Node // the lists and maps around the place
	kept   int          // parts of the expressions that analyses have
}

// A placedCost is an estimate without the text of its path, which is made when somebody asks for it: paths may be long. The order is when
// its place was come to: the order of costs, while errors are found on the way back.
type placedCost struct {
	RuleCost
	order    int
	path     *field.Path
	analysis *Analysis // nil unless asked for
}

type contributor struct {
	path *field.Path
	cost uint64
}

// A static is what the estimates of a place are about. It begins at the topmost node with rules (CWH-008), which within says is here or
// above; the type is nil for nothing.
type static struct {
	typ    *declare.Type
	within bool
	lost   bool // the place above has a type, but one without items or values
}

// below returns what the estimates are about where l leads.
func (s static) below(l *link) static {
	p := l.place
	switch {
	case s.within && l.step == toItems:
		return static{typ: s.typ.Items(), within: true, lost: s.typ != nil}
	case s.within && l.step == toValues:
		return static{typ: s.typ.Values(), within: true, lost: s.typ != nil}
	case s.within:
		return static{typ: s.typ.Property(l.name, p.node), within: true}
	case len(p.node.Rules) == 0:
		return static{}
	case p.typ.Node() != p.node: // a type that is implied, which counts only below a rule (CWH-009), or none
		return static{typ: declare.Scope(p.node), within: true}
	}
	return static{typ: p.typ, within: true}
}

// place judges the rules at p and beneath. at is its path, rel the one within the schema, c how many values there are. unrelated is
// the path of the outermost list above whose items have no old values, if there is one.
//
// Where a field of a rule is wrong, here or beneath, nothing is compiled (CWH-003).
func (j *judge) place(p *place, scope static, at, rel *field.Path, c count, unrelated *field.Path) {
	wrong := j.syntax.Len() + j.faulty
	order := j.visited
	j.visited++
	beneath := p.beneath(c)
	around := len(j.around)
	if j.options.analyze && p.multiplies() {
		j.around = append(j.around, p.node)
	}
	for _, l := range p.children {
		outer := unrelated
		if outer == nil && (l.step == toItems && p.node.List != plan.ListMap || l.step == toProperty && !p.correlated) {
			outer = at // CCO-003
		}
		j.place(l.place, scope.below(&l), l.below(at), l.below(rel), beneath, outer)
	}
	j.around = j.around[:around]
	if j.options.Faulty != nil && j.options.Faulty(at) {
		j.faulty++
		return
	}
	if len(p.node.Rules) == 0 {
		return
	}
	at = at.Child("x-kubernetes-validations")
	for i := range p.node.Rules {
		where := at
		if j.syntax.Full() { // the errors are only counted
			where = nil
		}
		j.syntax.Append(rulesyntax.Check(p.node, &p.node.Rules[i], where.Index(i))...)
	}
	if j.syntax.Len()+j.faulty > wrong {
		return
	}
	if scope.typ == nil {
		err := errNoType
		if scope.lost {
			err = errNoElement
		}
		j.add(field.InternalError(at, err))
		return
	}
	if !c.bounded {
		c.n = maxRequest / (scope.typ.Min() + 1)
	}
	for i := range p.node.Rules {
		source := &p.node.Rules[i]
		cost, ok := j.rule(source, scope.typ, at.Index(i), c.n, unrelated)
		if !ok {
			continue
		}
		cost.Index, cost.Cardinality = i, math.MaxUint64
		if c.bounded {
			cost.Cardinality = c.n
		}
		placed := placedCost{RuleCost: cost, order: order, path: rel}
		if j.options.analyze {
			placed.analysis = j.analyze(source, p.node, scope.typ)
		}
		j.costs = append(j.costs, placed)
	}
}

// What rules get that cannot be about anything: CWH-007. The second is for the items of what is no list, such as those of a node that is
// int-or-string, below a rule.
var (
	errNoType = errors.New("internal error: failed to construct type information for x-kubernetes-validations rules: " +
		"unable to convert structural schema to CEL declarations")
	errNoElement = errors.New(noDeclType)
)

// noDeclType is what a server says about rules for which there is no type, when it has looked for one.
const noDeclType = "failed to convert to declType for CEL validation rules"

// maxRequest is the greatest request that is estimated with, in bytes.
const maxRequest = 3145728

// below returns the path that l leads to.
func (l *link) below(at *field.Path) *field.Path {
	switch l.step {
	case toItems:
		return at.Child("items")
	case toValues:
		return at.Child("additionalProperties")
	}
	return at.Child("properties").Key(l.name)
}

// rule judges one rule, about self of type t. It reports false if the rule does not compile.
func (j *judge) rule(source *plan.Rule, t *declare.Type, at *field.Path, values uint64, unrelated *field.Path) (RuleCost, bool) {
	where := at // of errors
	if j.errs.Full() {
		where = nil // they are only counted
	}
	rule := j.unit(expression{source.Rule, false, optional(source)}, t)
	if rule.fault == "" {
		cost := times(rule.cost, values)
		if cost > expressionLimit && !j.options.Unchanged {
			j.add(field.Forbidden(where.Child("rule"), tooDear("estimated rule cost", cost, expressionLimit)))
		}
		j.contribute(at, "rule", cost)
	} else {
		j.add(field.Invalid(where.Child("rule"), schema.ValidationRule(*source), rule.fault))
	}

	var message unit
	if rule.fault == "" && source.MessageExpression != "" { // CER-005
		message = j.unit(expression{source.MessageExpression, true, optional(source)}, t)
		if message.fault == "" {
			if message.cost > expressionLimit && !j.options.Unchanged {
				text := tooDear("estimated messageExpression cost", message.cost, expressionLimit)
				j.add(field.Forbidden(where.Child("messageExpression"), text))
			}
			j.contribute(at, "messageExpression", message.cost)
		} else {
			j.add(field.Invalid(where.Child("messageExpression"), schema.ValidationRule(*source), message.fault))
		}
	}

	switch {
	case rule.transition && unrelated != nil && j.errs.Full():
		j.errs.Skip(field.ErrorTypeInvalid)
	case rule.transition && unrelated != nil:
		j.add(field.Invalid(where.Child("rule"), source.Rule,
			"oldSelf cannot be used on the uncorrelatable portion of the schema within "+unrelated.String()))
	case !rule.transition && source.OptionalOldSelf != nil: // CCO-005
		j.add(field.Invalid(where.Child("optionalOldSelf"), *source.OptionalOldSelf,
			"may not be set if oldSelf is not used in rule"))
	}
	return RuleCost{
		Transition: rule.transition, Cost: rule.cost, MessageCost: message.cost, Estimate: times(rule.cost, values),
	}, rule.fault == ""
}

// unit compiles e for the version that is asked about. For the newest it is compiled as a stored expression, and again as a new one if it is
// one and could tell the difference.
func (j *judge) unit(e expression, t *declare.Type) unit {
	isStored := j.options.stored(e)
	if minor := since.Minor(j.options.Minor); minor != 0 {
		return j.programs.unit(setting{e, isStored, minor}, t, toJudge)
	}
	u := j.programs.unit(setting{e, true, 0}, t, toJudge)
	if isStored {
		return u
	}
	// Stored expressions have one function more than new ones, and the overloads of indexOf and lastIndexOf in another order (CEN-001),
	// which decides what the argument of a type yet unknown is taken for. The text of a fault may differ, too.
	if u.fault != "" || strings.Contains(e.text, "includes") || strings.Contains(e.text, "ndexOf") {
		return j.programs.unit(setting{e, false, 0}, t, toJudge)
	}
	return u
}

// contribute counts the cost of a field of the rule at a path towards the schema's total.
func (j *judge) contribute(at *field.Path, name string, cost uint64) {
	j.total = plus(j.total, cost)
	if cost < contributorLimit {
		return
	}
	i := slices.IndexFunc(j.contributors, func(c contributor) bool { return c.cost < cost })
	if i < 0 {
		i = len(j.contributors) // of equals, the one that was met first stays before (CES-090)
	}
	j.contributors = slices.Insert(j.contributors, i, contributor{at.Child(name), cost})
	j.contributors = j.contributors[:min(len(j.contributors), contributorsMost)]
}

// tooDear says by which factor a cost is over a limit.
//
// Clauses: CES-083.
func tooDear(what string, cost, limit uint64) string {
	factor := float64(cost) / float64(limit)
	text := ""
	switch {
	case factor > 100:
		text = "more than 100x"
	case factor < 1.5:
		text = fmt.Sprintf("%fx", factor)
	default:
		text = fmt.Sprintf("%.1fx", factor)
	}
	return what + " exceeds budget by factor of " + text +
		" (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)"
}
