package crdcheck

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/cel/ruleset"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/schema"
)

// The limits of estimates: of a rule or messageExpression, and of all rules of a schema (CES-080, CES-090).
const (
	RuleCostLimit       = 10_000_000
	DefinitionCostLimit = 100_000_000
)

// A CostReport has the estimated costs of a definition's rules.
type CostReport struct {
	// Schemas are those with rules, each once: where all versions have the same, there is one.
	Schemas []SchemaCosts
}

// SchemaCosts are the costs of the rules of a schema.
type SchemaCosts struct {
	Path  string // in the document, of the first version that has it: spec.versions[0].schema.openAPIV3Schema
	Total uint64 // of all rules and messageExpressions
	Share float64
	Rules []RuleCosts // in the order of the schema
	// Fix has bounds with which all rules and the total fit. It is nil if they do already, and if no bounds are found.
	Fix *Fix
	// Unsearched reports that to find bounds takes more work than is allowed: the last rules have no Fixes, Hints and Headroom, and there may be
	// no Fix. Omitted is how many rules at the end are not in Rules, since the texts of the report would be too long.
	Unsearched bool
	Omitted    int
}

// RuleCosts are the costs of a rule.
type RuleCosts struct {
	Path            string // in the document, up to x-kubernetes-validations[0]
	Rule            string
	Cost            uint64  // of one evaluation, at most
	Estimate        uint64  // Cost times how often the rule may be evaluated in an object
	MessageEstimate uint64  // of the messageExpression
	Share           float64 // of RuleCostLimit: that of Estimate or MessageEstimate, whichever is more
	Multiplies      []Size  // the lists and maps around the rule, outermost first
	Sizes           []Size  // what the estimate depends on besides
	Part            string  // the part of the rule that costs most
	PartCost        uint64  // in one evaluation
	Fixes           []Fix   // at most three, the least restrictive first; nil for a rule that fits
	Hints           []Hint  // what may be wrong with a rule that does not fit
	Headroom        []Bound // of a rule that fits: the greatest value of each bound by itself with which all rules that fit still do
}

// Fits reports whether the rule is within the limit of a rule.
func (r *RuleCosts) Fits() bool {
	return r.Estimate <= RuleCostLimit && r.MessageEstimate <= RuleCostLimit
}

// A Size is a schema whose greatest size matters.
type Size struct {
	Path    string
	Keyword string // maxLength, maxItems or maxProperties
	Bound   *int64 // nil: it has none
}

// A Bound is a value for a keyword of a schema.
type Bound struct {
	Path    string // of the schema in the document
	Keyword string // maxLength, maxItems or maxProperties
	Value   int64
}

// A Fix is a set of bounds with which a rule fits, or a whole schema.
type Fix struct {
	Bounds   []Bound // in the order of the schema
	Estimate uint64  // of the rule with them, or of the dearest of the schema
	Total    uint64  // of the definition's schema with them
	Patch    []byte  // a JSON Patch of the definition, for all versions that have the schema
	Marker   string  // for kubebuilder, a line for each bound: +kubebuilder:validation:MaxItems=64
}

// A Hint is something known to make rules dear.
type Hint struct {
	Name string // fixed: HintAllOf, HintUnique, HintMatches, HintMapKeys, HintNoBound
	Path string
	Text string
}

// The names of hints.
const (
	HintAllOf   = "bound-in-allOf"
	HintUnique  = "uniqueness-by-loops"
	HintMatches = "matches-of-constant"
	HintMapKeys = "map-keys"
	HintNoBound = "no-bound-helps"
)

// Costs returns the estimates of the rules of d that compile, as those of a new definition, and bounds with which those that are over a limit
// fit. Each value that a fix suggests is the greatest natural one: 63, 253 and powers of two for strings, powers of two for lists and maps. No
// bound of a fix refuses a default, an example or an enum value of the schema, contradicts its lower bounds, or refuses one of the samples:
// objects in any version of d, such as stored ones. A rule that no such bounds make fit has no fixes but a hint, and neither has any if the
// definition's schemas are not structural.
//
// A rule over its limit needs a fix of its own. Where rules are too dear together, [SchemaCosts.Fix] has bounds for all of them.
//
// d has its defaults; nil has no rules. Nothing is modified, and nothing in the report aliases it.
//
// The time is that of [Validate], that of one walk through the samples, and for each rule some hundred times that of its estimate. The latter
// ends at a fixed amount of work ([SchemaCosts.Unsearched]), and the texts of a report have 16 MiB at most ([SchemaCosts.Omitted]).
func Costs(d *crd.CustomResourceDefinition, samples ...map[string]any) *CostReport {
	if d == nil {
		return &CostReport{}
	}
	return Compile(d).Costs(samples...)
}

// Costs is the package's [Costs] for the definition that was checked.
func (c *Checked) Costs(samples ...map[string]any) *CostReport {
	report := &CostReport{}
	d := c.definition
	left := &allowance{work: maxWork, text: maxText}
	done := map[*compiledSchema]bool{}
	for i := range d.Spec.Versions {
		s := c.compiled(d.Spec.Versions[i].Name)
		if s == nil || done[s] || !s.isStructural || s.rules == nil || !s.facts.hasRules {
			continue
		}
		done[s] = true
		b := newBudget(s.rules.Analyze(), left)
		if len(b.analyses) == 0 {
			continue
		}
		for k := range d.Spec.Versions {
			if c.compiled(d.Spec.Versions[k].Name) != s {
				continue
			}
			if d.Spec.Versions[k].Schema != nil {
				b.documents = append(b.documents, "/spec/versions/"+strconv.Itoa(k)+"/schema/openAPIV3Schema")
			}
		}
		b.path = schemaPath(i).String()
		if len(b.documents) == 0 { // v1beta1
			b.documents, b.path = []string{"/spec/validation/openAPIV3Schema"}, topSchemaPath.String()
		}
		b.locate(plan.Root(s.compiled), s.props)
		for _, obj := range samples {
			b.takes(plan.Root(s.compiled), obj)
		}
		report.Schemas = append(report.Schemas, b.report())
	}
	return report
}

// A budget is what the rules of a schema share.
type budget struct {
	analyses  []*ruleset.Analysis
	inputs    [][]*plan.Node // whose bounds count, of each analysis
	users     map[*plan.Node][]int
	estimates []estimated // as the schema is
	total     wide        // of them
	left      *allowance

	path      string
	documents []string // JSON pointers to the schema
	nodes     map[*plan.Node]*location
	least     map[*plan.Node]int64 // what a bound must not be below
	heads     map[*plan.Node]int64 // what [budget.head] has found
}

// An allowance is what is left for the report of a definition. It is negative once something was refused.
type allowance struct {
	work int // parts of expressions that are estimated
	text int // bytes of paths and patches
}

// What a report may take: some seconds, and some copies of a large document.
const (
	maxWork = 4_000_000
	maxText = 16 << 20
)

// spend takes n bytes of text, and reports whether they are there.
func (a *allowance) spend(n int) bool {
	if a.text >= 0 {
		a.text -= n
	}
	return a.text >= 0
}

func newBudget(analyses []*ruleset.Analysis, left *allowance) *budget {
	b := &budget{
		analyses: analyses, inputs: make([][]*plan.Node, len(analyses)), users: map[*plan.Node][]int{}, left: left,
		nodes: map[*plan.Node]*location{}, least: map[*plan.Node]int64{}, heads: map[*plan.Node]int64{},
	}
	for i, a := range analyses {
		e := estimated{a.Estimate, a.MessageCost}
		b.estimates = append(b.estimates, e)
		b.total.add(e)
		for _, n := range append(nodes(a.Multiplies), nodes(a.Sizes)...) {
			if users := b.users[n]; len(users) == 0 || users[len(users)-1] != i {
				b.users[n] = append(users, i)
				b.inputs[i] = append(b.inputs[i], n)
			}
		}
	}
	return b
}

// nodes returns the nodes of an analysis.
func nodes(views []schema.Node) []*plan.Node {
	out := make([]*plan.Node, len(views))
	for i, v := range views {
		out[i] = plan.Of(v)
	}
	return out
}

// views returns those bounds that count for rule i, as its analysis takes them.
func (b *budget) views(i int, with bounds) map[schema.Node]int64 {
	out := map[schema.Node]int64{}
	for _, n := range b.inputs[i] {
		if most, ok := with[n]; ok {
			out[plan.View[schema.Node](n)] = most
		}
	}
	return out
}

// An estimated is what a rule and its messageExpression cost.
type estimated struct{ rule, message uint64 }

// over reports whether either is over the limit of a rule.
func (e estimated) over() bool { return e.rule > RuleCostLimit || e.message > RuleCostLimit }

// A wide is a sum of estimates.
type wide struct{ high, low uint64 }

func (w *wide) add(e estimated) {
	for _, n := range [...]uint64{e.rule, e.message} {
		var carry uint64
		w.low, carry = bits.Add64(w.low, n, 0)
		w.high += carry
	}
}

func (w *wide) take(e estimated) {
	for _, n := range [...]uint64{e.rule, e.message} {
		var borrow uint64
		w.low, borrow = bits.Sub64(w.low, n, 0)
		w.high -= borrow
	}
}

// value returns the sum, or the greatest number.
func (w wide) value() uint64 {
	if w.high > 0 {
		return math.MaxUint64
	}
	return w.low
}

// over reports whether the sum is over the limit of a definition.
func (w wide) over() bool { return w.value() > DefinitionCostLimit }

// A location is where a node stands in a schema.
type location struct {
	above *location // nil for the root
	step  string    // items, additionalProperties, or the name of a property
	named bool
	props *schema.JSONSchemaProps
}

// path returns the location as errors have it: properties[a].items, empty for the root.
func (l *location) path() string {
	return l.text(func(b *strings.Builder, l *location) {
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		if l.named {
			b.WriteString("properties[" + l.step + "]")
		} else {
			b.WriteString(l.step)
		}
	})
}

// pointer returns the location as a JSON pointer: /properties/a/items.
func (l *location) pointer() string {
	return l.text(func(b *strings.Builder, l *location) {
		if l.named {
			b.WriteString("/properties")
		}
		b.WriteString("/" + pointerEscapes.Replace(l.step))
	})
}

func (l *location) text(write func(b *strings.Builder, l *location)) string {
	var b strings.Builder
	var visit func(l *location)
	visit = func(l *location) {
		if l != nil && l.above != nil {
			visit(l.above)
			write(&b, l)
		}
	}
	visit(l)
	return b.String()
}

type bounds = map[*plan.Node]int64

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// locate finds where all nodes are that props were compiled to, and what their bounds must not be below.
func (b *budget) locate(root *plan.Node, props *schema.JSONSchemaProps) {
	var visit func(n *plan.Node, at *location)
	visit = func(n *plan.Node, at *location) {
		if n == nil || at.props == nil {
			return
		}
		b.nodes[n] = at
		b.requires(n, at.props)
		if n.Items != nil && at.props.Items != nil {
			visit(n.Items, &location{at, "items", false, at.props.Items.Schema})
		}
		if n.Additional != nil && at.props.AdditionalProperties != nil {
			visit(n.Additional, &location{at, "additionalProperties", false, at.props.AdditionalProperties.Schema})
		}
		for i := range n.Props {
			name := n.Props[i].Name
			visit(n.Props[i].Node, &location{at, name, true, at.props.Properties[name]})
		}
	}
	visit(root, &location{props: props})
}

// requires notes what p, which n was compiled from, asks of the sizes of values at n and beneath: its lower bounds, and the values that it has.
func (b *budget) requires(n *plan.Node, p *schema.JSONSchemaProps) {
	for _, q := range append([]*schema.JSONSchemaProps{p}, p.AllOf...) {
		if q == nil {
			continue
		}
		for _, bound := range [...]struct {
			keyword string
			value   *int64
		}{{"maxLength", q.MinLength}, {"maxItems", q.MinItems}, {"maxProperties", q.MinProperties}} {
			if bound.value != nil && bound.keyword == keyword(n) {
				b.needs(n, *bound.value)
			}
		}
		if keyword(n) == "maxProperties" {
			b.needs(n, int64(len(q.Required)))
		}
		for _, v := range q.Enum {
			b.takes(n, v)
		}
		b.takes(n, q.Default)
		b.takes(n, q.Example)
	}
}

// needs notes that the bound of n must not be below least.
func (b *budget) needs(n *plan.Node, least int64) { b.least[n] = max(b.least[n], least) }

// takes notes that v must stay valid at n.
func (b *budget) takes(n *plan.Node, v any) {
	if n == nil {
		return
	}
	switch v := v.(type) {
	case string:
		if isText(n) {
			b.needs(n, int64(utf8.RuneCountInString(v)))
		}
	case []any:
		if keyword(n) == "maxItems" {
			b.needs(n, int64(len(v)))
		}
		for _, item := range v {
			b.takes(n.Items, item)
		}
	case map[string]any:
		if keyword(n) == "maxProperties" {
			b.needs(n, int64(len(v)))
		}
		for key, value := range v {
			child, _ := n.Child(key)
			b.takes(child, value)
		}
	}
}

func (b *budget) report() SchemaCosts {
	total := b.total.value()
	s := SchemaCosts{Path: b.path, Total: total, Share: float64(total) / DefinitionCostLimit}
	fits := !b.total.over()
	best := make([]bounds, len(b.analyses))
	for i, a := range b.analyses {
		at := b.full(plan.Of(a.Node))
		if b.left.text < 0 {
			s.Omitted = len(b.analyses) - i
			break
		}
		r := RuleCosts{
			Path: at + ".x-kubernetes-validations[" + strconv.Itoa(a.Index) + "]", Rule: plan.Of(a.Node).Rules[a.Index].Rule,
			Cost: a.Cost, Estimate: a.Estimate, MessageEstimate: a.MessageCost,
			Share: float64(max(a.Estimate, a.MessageCost)) / RuleCostLimit,
			Part:  a.Part, PartCost: a.PartCost,
			Multiplies: b.sizes(nodes(a.Multiplies)), Sizes: b.sizes(nodes(a.Sizes)),
		}
		if b.fits(i, nil) {
			r.Headroom = b.headroom(i)
		} else {
			found := b.fixes(i)
			for _, with := range found {
				if f := b.fix(with, i); f != nil {
					r.Fixes = append(r.Fixes, *f)
				}
			}
			if r.Hints = b.hints(i); len(found) == 0 {
				r.Hints = append(r.Hints, b.unfixable(i)...)
			} else {
				best[i] = found[0]
			}
		}
		if b.left.work < 0 {
			r.Fixes, r.Hints, r.Headroom = nil, nil, nil
		}
		fits = fits && r.Fits()
		s.Rules = append(s.Rules, r)
	}
	if !fits && s.Omitted == 0 && b.left.work >= 0 {
		if with := b.together(best); with != nil && b.left.work >= 0 {
			s.Fix = b.fix(with, -1)
		}
	}
	s.Unsearched = b.left.work < 0
	return s
}

// full returns a path in the document, and counts it. It is empty if there are too many.
func (b *budget) full(n *plan.Node) string {
	if b.left.text < 0 {
		return ""
	}
	at := b.path
	if below := b.nodes[n].path(); below != "" {
		at += "." + below
	}
	b.left.spend(len(at))
	return at
}

// sizes returns nodes as sizes, as long as there is room for their paths.
func (b *budget) sizes(nodes []*plan.Node) []Size {
	var all []Size
	for _, n := range nodes {
		if b.nodes[n] == nil {
			continue
		}
		s := Size{Path: b.full(n), Keyword: keyword(n)}
		if b.left.text < 0 {
			break
		}
		if n.Sized() {
			bound := bound(n)
			s.Bound = &bound
		}
		all = append(all, s)
	}
	return all
}

// keyword returns the keyword that bounds the size of values at n.
func keyword(n *plan.Node) string {
	switch {
	case n.Has&plan.IntOrString != 0:
		return "maxLength"
	case n.Type == "array":
		return "maxItems"
	case n.Type == "object":
		return "maxProperties"
	}
	return "maxLength"
}

// bound returns the bound of n, which has one.
func bound(n *plan.Node) int64 {
	switch keyword(n) {
	case "maxItems":
		return n.MaxItems
	case "maxProperties":
		return n.MaxProperties
	}
	return n.String.MaxLength
}

// sum returns what e costs, or the greatest number.
func (e estimated) sum() uint64 {
	var w wide
	w.add(e)
	return w.value()
}

// estimate returns what rule i costs with other bounds.
func (b *budget) estimate(i int, with bounds) estimated {
	if b.left.work >= 0 {
		b.left.work -= b.analyses[i].Steps
	}
	if b.left.work < 0 {
		return estimated{math.MaxUint64, math.MaxUint64} // nobody looks at it
	}
	rule, message := b.analyses[i].EstimateWith(b.views(i, with))
	return estimated{rule, message}
}

// totalWith returns the total with other bounds.
func (b *budget) totalWith(with bounds) wide {
	total, done := b.total, map[int]bool{}
	for n := range with {
		for _, k := range b.users[n] {
			if !done[k] {
				done[k] = true
				total.take(b.estimates[k])
				total.add(b.estimate(k, with))
			}
		}
	}
	return total
}

// fits reports whether rule i fits with other bounds, which are tighter: it is within its limit, and the definition is within its own, unless
// the other rules are over that as they are.
func (b *budget) fits(i int, with bounds) bool {
	own := b.estimates[i]
	if with != nil {
		own = b.estimate(i, with)
	}
	if own.over() {
		return false
	}
	others := b.total
	others.take(b.estimates[i])
	if others.over() {
		return true
	}
	if others.add(own); !others.over() {
		return true
	}
	if with == nil {
		return false
	}
	return !b.totalWith(with).over()
}
