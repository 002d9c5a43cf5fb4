package ruleset

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/estimate"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/origin"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/internal/since"
	"github.com/crdkit/crdkit/schema"
)

// The static limits: of one expression, of a whole schema, and the minimum contribution to the latter that errors name.
const (
	expressionLimit  = 10_000_000
	schemaLimit      = 100_000_000
	contributorLimit = schemaLimit / 100
	contributorsMost = 4
)

// validate compiles all rules that opts allow to be compiled, and returns the estimates of those that compile and all
// errors.
func (r *Rules) validate(opts *Options) ([]placedCost, field.List) {
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
	j := validator{programs: r.programs, options: opts, syntax: refusal.Within(opts.Limit), errs: refusal.Within(opts.Limit)}
	base := pathOf(opts.Path)
	scope := staticScope{}
	if len(top.node.Rules) > 0 {
		scope = staticScope{typ: top.typ, within: true}
	}
	j.place(top, scope, base, nil, count{n: 1, bounded: true}, nil)
	if j.total > schemaLimit {
		for _, c := range j.contributors {
			j.errs.Add(field.Forbidden(c.path,
				"contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"))
		}
		e := field.Forbidden(base,
			exceeded("x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema", j.total, schemaLimit))
		origin.Set(e, origin.Place{}, origin.Validations)
		j.errs.Add(e)
	}
	sort.SliceStable(j.costs, func(i, k int) bool { return j.costs[i].order < j.costs[k].order })
	j.syntax.Append(j.errs.Errors()...)
	errs := j.syntax.Errors()
	for _, e := range errs {
		origin.SetInSchema(e, len(base.Segments()))
	}
	return j.costs, errs
}

// pathOf parses a path as errors print it. Its brackets may only contain indexes.
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

// A validator walks the tree of rules as a server walks the schema of a new definition.
type validator struct {
	programs *programs
	options  *Options

	costs        []placedCost
	visited      int
	faulty       int          // number of nodes with errors that are reported elsewhere
	syntax, errs refusal.List // syntax: of the fields of rules; reported first (CWH-001)
	total        uint64
	contributors []contributor // the most expensive ones, in descending order

	around []*plan.Node // the lists and maps that contain the place
	kept   int          // number of parts of expressions that analyses keep
}

// A placedCost is an estimate without the text of its path, which is built when it is needed, because paths may be
// long. order is the position of its place in the walk. Costs are returned in this order, while errors are found on the
// way back.
type placedCost struct {
	RuleCost
	order    int
	path     *field.Path
	analysis *Analysis // nil unless requested
}

type contributor struct {
	path *field.Path
	cost uint64
}

// A staticScope is the type for which the rules of a place are estimated. It begins at the topmost node with rules
// (CWH-008); within says that this is the place or a place above. A nil type is none.
type staticScope struct {
	typ    *types.SchemaType
	within bool
	lost   bool // the place above has a type, but one without items or values
}

// below returns the scope of the place of l.
func (s staticScope) below(l *link) staticScope {
	p := l.place
	switch {
	case s.within && l.kind != toProperty:
		return staticScope{typ: s.typ.Items(), within: true, lost: s.typ != nil}
	case s.within:
		return staticScope{typ: s.typ.Property(l.name, p.node), within: true}
	case len(p.node.Rules) == 0:
		return staticScope{}
	case p.typ.Node() != p.node: // an implied type, which counts only below a rule (CWH-009), or none
		return staticScope{typ: types.Scope(p.node), within: true}
	}
	return staticScope{typ: p.typ, within: true}
}

// place checks the rules at p and below. at is its path, rel its path within the schema, c the number of values.
// unrelated is the path of the outermost list above whose items have no old values, or nil.
//
// If a field of a rule is invalid, here or below, nothing is compiled (CWH-003).
func (j *validator) place(p *place, scope staticScope, at, rel *field.Path, c count, unrelated *field.Path) {
	wrong := j.syntax.Len() + j.faulty
	order := j.visited
	j.visited++
	below := p.countBelow(c)
	around := len(j.around)
	if j.options.analyze && p.multiplies() {
		j.around = append(j.around, p.node)
	}
	for _, l := range p.children {
		outer := unrelated
		if outer == nil && (l.kind == toItems && p.node.List != plan.ListMap || l.kind == toProperty && !p.correlated) {
			outer = at // CCO-003
		}
		j.place(l.place, scope.below(&l), l.below(at), l.below(rel), below, outer)
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
		if j.syntax.Full() { // errors are only counted
			where = nil
		}
		j.syntax.Append(CheckFields(p.node, &p.node.Rules[i], where.Index(i))...)
	}
	if j.syntax.Len()+j.faulty > wrong {
		return
	}
	if scope.typ == nil {
		err := errNoType
		if scope.lost {
			err = errNoElement
		}
		j.errs.Add(field.InternalError(at, err))
		return
	}
	if !c.bounded {
		c.n = refusal.MaxBody / (scope.typ.Min() + 1)
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

// The errors of rules without a type: CWH-007. The second is for the items of a value that is not a list, such as those
// of an int-or-string node, below a rule.
var (
	errNoType = errors.New("internal error: failed to construct type information for x-kubernetes-validations rules: " +
		"unable to convert structural schema to CEL declarations")
	errNoElement = errors.New(noDeclType)
)

// noDeclType is the server's text for rules without a type, after it has looked for one.
const noDeclType = "failed to convert to declType for CEL validation rules"

// below returns the path of the place of l.
func (l *link) below(at *field.Path) *field.Path {
	switch l.kind {
	case toItems:
		return at.Child("items")
	case toValues:
		return at.Child("additionalProperties")
	}
	return at.Child("properties").Key(l.name)
}

// rule checks one rule, whose self has type t. It reports false if the rule does not compile.
func (j *validator) rule(source *plan.Rule, t *types.SchemaType, at *field.Path, values uint64, unrelated *field.Path) (RuleCost, bool) {
	where := at // of errors
	if j.errs.Full() {
		where = nil // errors are only counted
	}
	compile := func(e expression, name string, values uint64) unit {
		u := j.unit(e, t)
		if u.fault != "" {
			j.errs.Add(field.Invalid(where.Child(name), schema.ValidationRule(*source), u.fault))
			return u
		}
		cost := estimate.Times(u.cost, values)
		if cost > expressionLimit && !j.options.Unchanged {
			j.errs.Add(field.Forbidden(where.Child(name), exceeded("estimated "+name+" cost", cost, expressionLimit)))
		}
		j.contribute(at, name, cost)
		return u
	}
	rule := compile(expression{source.Rule, false, optional(source)}, "rule", values)
	var message unit
	if rule.fault == "" && source.MessageExpression != "" { // CER-005
		message = compile(expression{source.MessageExpression, true, optional(source)}, "messageExpression", 1)
	}
	switch {
	case rule.transition && unrelated != nil && j.errs.Full():
		j.errs.Skip(field.ErrorTypeInvalid)
	case rule.transition && unrelated != nil:
		j.errs.Add(field.Invalid(where.Child("rule"), source.Rule,
			"oldSelf cannot be used on the uncorrelatable portion of the schema within "+unrelated.String()))
	case !rule.transition && source.OptionalOldSelf != nil: // CCO-005
		j.errs.Add(field.Invalid(where.Child("optionalOldSelf"), *source.OptionalOldSelf,
			"may not be set if oldSelf is not used in rule"))
	}
	return RuleCost{
		Transition: rule.transition, Cost: rule.cost, MessageCost: message.cost, Estimate: estimate.Times(rule.cost, values),
	}, rule.fault == ""
}

// unit compiles e for the version in the options. For the newest version it compiles e as a stored expression. If e is
// new, and that could make a difference, it is compiled again as a new expression.
func (j *validator) unit(e expression, t *types.SchemaType) unit {
	isStored := j.options.stored(e)
	if minor := since.Minor(j.options.Minor); minor != 0 {
		return j.programs.unit(setting{e, isStored, minor}, t, toEstimate)
	}
	u := j.programs.unit(setting{e, true, 0}, t, toEstimate)
	if isStored {
		return u
	}
	// Stored expressions have one more function than new ones, and the overloads of indexOf and lastIndexOf in another
	// order (CEN-001), which decides the type of an argument whose type is not known yet. The text of an error may also
	// differ.
	if u.fault != "" || strings.Contains(e.text, "includes") || strings.Contains(e.text, "ndexOf") {
		return j.programs.unit(setting{e, false, 0}, t, toEstimate)
	}
	return u
}

// contribute adds the cost of a field of the rule at a path to the schema's total.
func (j *validator) contribute(at *field.Path, name string, cost uint64) {
	j.total = estimate.Plus(j.total, cost)
	if cost < contributorLimit {
		return
	}
	i := slices.IndexFunc(j.contributors, func(c contributor) bool { return c.cost < cost })
	if i < 0 {
		i = len(j.contributors) // equal costs keep the order of the walk (CES-090)
	}
	j.contributors = slices.Insert(j.contributors, i, contributor{at.Child(name), cost})
	j.contributors = j.contributors[:min(len(j.contributors), contributorsMost)]
}

// exceeded says by which factor a cost is over a limit.
//
// Clauses: CES-083.
func exceeded(what string, cost, limit uint64) string {
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
