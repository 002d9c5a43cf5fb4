package crdcheck

import (
	"math"
	"math/bits"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/ruleset"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/schema"
)

// The limits of cost estimates: of a rule or messageExpression, and of all rules of a schema (CES-080, CES-090).
const (
	RuleCostLimit       = 10_000_000
	DefinitionCostLimit = 100_000_000
)

// A CostReport has the estimated costs of a definition's rules.
type CostReport struct {
	// Schemas are the schemas that have rules, without repetition: if all versions have the same schema, there is one.
	Schemas []SchemaCosts
}

// SchemaCosts are the costs of the rules of a schema.
type SchemaCosts struct {
	Path     string   // in the document, of the first version with the schema: spec.versions[0].schema.openAPIV3Schema
	Versions []string // the names of all versions with the schema
	Total    uint64   // of all rules and messageExpressions
	Share    float64
	Rules    []RuleCosts // in the order of the schema
	// Fix has bounds that bring all rules and the total under their limits. It is nil if they are already, and if
	// no bounds are found.
	Fix *Fix
	// Unsearched reports that the search for bounds stopped at its limit of work: the last rules have no Fixes, Hints
	// and Headroom, and Fix may be nil. Omitted is the number of rules at the end that are not in Rules, because the
	// texts of the report would be too long.
	Unsearched bool
	Omitted    int
}

// RuleCosts are the costs of a rule.
type RuleCosts struct {
	Path            string // in the document, up to x-kubernetes-validations[0]
	Rule            string
	Cost            uint64  // upper bound for one evaluation
	Estimate        uint64  // Cost times the number of evaluations that an object can need
	MessageEstimate uint64  // of the messageExpression
	Share           float64 // of RuleCostLimit: that of Estimate or of MessageEstimate, whichever is larger; above 1 is too much
	Multiplies      []Bound // of the lists and maps that contain the values of the rule, outermost first
	Part            string  // the most expensive part of the rule
	PartCost        uint64  // of one evaluation
	Fixes           []Fix   // at most three, the least restrictive first; nil for a rule within its limit
	Hints           []Hint  // likely reasons why a rule is over its limit
	Headroom        []Bound // for a rule within its limit: how far each bound could rise on its own
}

// A Bound is a value for a keyword of a schema.
type Bound struct {
	Path    string // of the schema in the document
	Keyword string // maxLength, maxItems or maxProperties
	Value   int64  // in Multiplies, math.MaxInt64: not set
}

// A Fix is a set of bounds that brings a rule, or a whole schema, under its limit.
type Fix struct {
	Bounds   []Bound // in the order of the schema
	Estimate uint64  // of the rule with the bounds, or of the most expensive rule of the schema
	Total    uint64  // of the definition's schema with the bounds
	Patch    []byte  // a JSON Patch of the definition, for all versions with the schema
	Marker   string  // for kubebuilder, a line for each bound: +kubebuilder:validation:MaxItems=64
}

// A Hint is a known reason for expensive rules.
type Hint struct {
	Name string // bound-in-allOf, uniqueness-by-loops, matches-of-constant, map-keys or no-bound-helps
	Path string
	Text string
}

// The names of hints.
const (
	hintAllOf   = "bound-in-allOf"
	hintUnique  = "uniqueness-by-loops"
	hintMatches = "matches-of-constant"
	hintMapKeys = "map-keys"
	hintNoBound = "no-bound-helps"
)

// Costs returns the cost estimates of those rules of d that compile, as rules of a new definition, and fixes: bounds
// that bring rules over a limit under it. Fixes suggest the largest common values: 63, 253 and powers of two for
// strings, powers of two for lists and maps, or a smaller bound that values have anyway: one in allOf, or the length of
// what a function of the rule reads, such as 63 for quantities. No bound of a fix refuses a default, an example or an
// enum value of the schema, contradicts its lower bounds, or refuses one of the samples: objects in any version of d,
// such as stored ones. If no such bounds exist, a rule has no fixes but a hint. If the definition's schemas are not
// structural, there are neither fixes nor hints.
//
// A rule over its limit needs a fix of its own. If the rules together are over their limit, [SchemaCosts.Fix] has
// bounds for all of them.
//
// d has its defaults; nil has no rules. Nothing is modified, and nothing in the report aliases d.
//
// Costs takes the time of [Validate], of one walk through the samples, and for each rule some hundred times that of its
// estimate. The latter ends at a fixed amount of work ([SchemaCosts.Unsearched]). The texts of a report have at most 16
// MiB ([SchemaCosts.Omitted]).
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
		var versions []string
		for k := range d.Spec.Versions {
			v := &d.Spec.Versions[k]
			if c.compiled(v.Name) != s {
				continue
			}
			versions = append(versions, v.Name)
			if v.Schema != nil {
				b.documents = append(b.documents, schemaPath(k))
			}
		}
		b.path = schemaPath(i)
		if len(b.documents) == 0 { // v1beta1
			b.documents, b.path = []*field.Path{topSchemaPath}, topSchemaPath
		}
		b.locate(plan.Root(s.compiled), s.props)
		for _, obj := range samples {
			b.mustAccept(plan.Root(s.compiled), obj)
		}
		r := b.report()
		r.Versions = versions
		report.Schemas = append(report.Schemas, r)
	}
	return report
}

// A budget has the state that the cost report shares for all rules of a schema.
type budget struct {
	analyses  []*ruleset.Analysis
	inputs    [][]*plan.Node // for each analysis: the nodes whose bounds it depends on
	users     map[*plan.Node][]int
	estimates []estimated // with the schema's own bounds
	total     costSum     // of estimates
	left      *allowance

	path      *field.Path
	documents []*field.Path // of the schema
	nodes     map[*plan.Node]*location
	least     map[*plan.Node]int64 // the minimum of each bound
	natural   map[*plan.Node]int64 // bounds that values have anyway, of those nodes for which one is known
	heads     map[*plan.Node]int64 // results of [budget.head]
}

// An allowance is the work and text that is left for a report. It becomes negative when it is exceeded.
type allowance struct {
	work int // number of parts of expressions to estimate
	text int // bytes of paths and patches
}

// The limits of a report: a few seconds of work, and text of a few times the size of a large document.
const (
	maxWork = 4_000_000
	maxText = 16 << 20
)

// spend subtracts n bytes of text, and reports whether that many were left.
func (a *allowance) spend(n int) bool {
	if a.text >= 0 {
		a.text -= n
	}
	return a.text >= 0
}

func newBudget(analyses []*ruleset.Analysis, left *allowance) *budget {
	b := &budget{
		analyses: analyses, inputs: make([][]*plan.Node, len(analyses)), users: map[*plan.Node][]int{}, left: left,
		nodes: map[*plan.Node]*location{}, least: map[*plan.Node]int64{}, natural: map[*plan.Node]int64{}, heads: map[*plan.Node]int64{},
	}
	for i, a := range analyses {
		for n, functions := range a.Passed {
			for _, f := range functions {
				if most, ok := naturalLengths[f]; ok {
					b.natural[n] = max(b.natural[n], most)
				}
			}
		}
		e := estimated{a.Estimate, a.MessageCost}
		b.estimates = append(b.estimates, e)
		b.total.add(e)
		for _, n := range slices.Concat(a.Multiplies, a.Sizes) {
			if users := b.users[n]; len(users) == 0 || users[len(users)-1] != i {
				b.users[n] = append(users, i)
				b.inputs[i] = append(b.inputs[i], n)
			}
		}
	}
	return b
}

// An estimated has the costs of a rule and of its messageExpression.
type estimated struct{ rule, message uint64 }

// over reports whether either cost is over the limit of a rule.
func (e estimated) over() bool { return e.rule > RuleCostLimit || e.message > RuleCostLimit }

// A costSum is a sum of estimates, in 128 bits.
type costSum struct{ high, low uint64 }

func (w *costSum) add(e estimated) {
	for _, n := range [...]uint64{e.rule, e.message} {
		var carry uint64
		w.low, carry = bits.Add64(w.low, n, 0)
		w.high += carry
	}
}

func (w *costSum) sub(e estimated) {
	for _, n := range [...]uint64{e.rule, e.message} {
		var borrow uint64
		w.low, borrow = bits.Sub64(w.low, n, 0)
		w.high -= borrow
	}
}

// value returns the sum, or math.MaxUint64 if it is larger.
func (w costSum) value() uint64 {
	if w.high > 0 {
		return math.MaxUint64
	}
	return w.low
}

// over reports whether the sum is over the limit of a definition.
func (w costSum) over() bool { return w.value() > DefinitionCostLimit }

// A location is the position of a node in a schema.
type location struct {
	path  *field.Path // in the document
	items int         // the number of trailing items in path
	props *schema.JSONSchemaProps
}

type bounds = map[*plan.Node]int64

// locate records the locations of all nodes that props were compiled to, and the least value of each bound.
func (b *budget) locate(root *plan.Node, props *schema.JSONSchemaProps) {
	var visit func(n *plan.Node, at location)
	visit = func(n *plan.Node, at location) {
		if n == nil || at.props == nil {
			return
		}
		b.nodes[n] = &at
		b.requires(n, at.props)
		if n.Items != nil && at.props.Items != nil {
			visit(n.Items, location{at.path.Child("items"), at.items + 1, at.props.Items.Schema})
		}
		if n.Additional != nil && at.props.AdditionalProperties != nil {
			visit(n.Additional, location{at.path.Child("additionalProperties"), 0, at.props.AdditionalProperties.Schema})
		}
		properties := at.path.Child("properties")
		for i := range n.Props {
			name := n.Props[i].Name
			visit(n.Props[i].Node, location{properties.Key(name), 0, at.props.Properties[name]})
		}
	}
	visit(root, location{path: b.path, props: props})
}

// requires records the minimum bounds at and below n: those that the lower bounds in p, and its defaults, examples and
// enums need. n was compiled from p.
func (b *budget) requires(n *plan.Node, p *schema.JSONSchemaProps) {
	for i, q := range append([]*schema.JSONSchemaProps{p}, p.AllOf...) {
		if q == nil {
			continue
		}
		least, most := sizeBounds(q, n.SizeKeyword())
		if least != nil {
			b.atLeast(n, *least)
		}
		if i > 0 && most != nil && *most >= 0 { // estimates ignore bounds in allOf
			if known, ok := b.natural[n]; !ok || *most < known {
				b.natural[n] = *most
			}
		}
		if n.SizeKeyword() == "maxProperties" {
			b.atLeast(n, int64(len(q.Required)))
		}
		for _, v := range q.Enum {
			b.mustAccept(n, v)
		}
		b.mustAccept(n, q.Default)
		b.mustAccept(n, q.Example)
	}
}

// sizeBounds returns the lower and the upper bound of p. keyword is that of the upper one.
func sizeBounds(p *schema.JSONSchemaProps, keyword string) (least, most *int64) {
	switch keyword {
	case "maxItems":
		return p.MinItems, p.MaxItems
	case "maxProperties":
		return p.MinProperties, p.MaxProperties
	}
	return p.MinLength, p.MaxLength
}

// atLeast records that the bound of n must not be below least.
func (b *budget) atLeast(n *plan.Node, least int64) { b.least[n] = max(b.least[n], least) }

// mustAccept records that v must stay valid at n.
func (b *budget) mustAccept(n *plan.Node, v any) {
	if n == nil {
		return
	}
	switch v := v.(type) {
	case string:
		if isText(n) {
			b.atLeast(n, int64(utf8.RuneCountInString(v)))
		}
	case []any:
		if n.SizeKeyword() == "maxItems" {
			b.atLeast(n, int64(len(v)))
		}
		for _, item := range v {
			b.mustAccept(n.Items, item)
		}
	case map[string]any:
		if n.SizeKeyword() == "maxProperties" {
			b.atLeast(n, int64(len(v)))
		}
		for key, value := range v {
			child, _ := n.Child(key)
			b.mustAccept(child, value)
		}
	}
}

func (b *budget) report() SchemaCosts {
	total := b.total.value()
	s := SchemaCosts{Path: b.path.String(), Total: total, Share: float64(total) / DefinitionCostLimit}
	fits := !b.total.over()
	best := make([]bounds, len(b.analyses))
	for i, a := range b.analyses {
		at := b.full(a.Node)
		if b.left.text < 0 {
			s.Omitted = len(b.analyses) - i
			break
		}
		r := RuleCosts{
			Path: at + ".x-kubernetes-validations[" + strconv.Itoa(a.Index) + "]", Rule: a.Node.Rules[a.Index].Rule,
			Cost: a.Cost, Estimate: a.Estimate, MessageEstimate: a.MessageCost,
			Share: float64(max(a.Estimate, a.MessageCost)) / RuleCostLimit,
			Part:  a.Part, PartCost: a.PartCost,
			Multiplies: b.sizes(a.Multiplies),
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
		fits = fits && r.Share <= 1
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

// full returns the path of n in the document, and subtracts its length from the allowance. It returns "" if the
// allowance is exceeded.
func (b *budget) full(n *plan.Node) string {
	if b.left.text < 0 {
		return ""
	}
	at := b.path
	if l := b.nodes[n]; l != nil {
		at = l.path
	}
	text := at.String()
	b.left.spend(len(text))
	return text
}

// sizes returns the bounds of nodes, until the allowance for their paths is exceeded.
func (b *budget) sizes(nodes []*plan.Node) []Bound {
	var all []Bound
	for _, n := range nodes {
		if b.nodes[n] == nil {
			continue
		}
		s := Bound{b.full(n), n.SizeKeyword(), n.MaxSize()}
		if b.left.text < 0 {
			break
		}
		all = append(all, s)
	}
	return all
}

// sum returns the total cost of e, or math.MaxUint64 if it is larger.
func (e estimated) sum() uint64 {
	var w costSum
	w.add(e)
	return w.value()
}

// estimate returns the cost of rule i with other bounds.
func (b *budget) estimate(i int, with bounds) estimated {
	if b.left.work >= 0 {
		b.left.work -= b.analyses[i].Steps
	}
	if b.left.work < 0 {
		return estimated{math.MaxUint64, math.MaxUint64} // not used
	}
	rule, message := b.analyses[i].EstimateWith(with)
	return estimated{rule, message}
}

// totalWith returns the total with other bounds.
func (b *budget) totalWith(with bounds) costSum {
	total, done := b.total, map[int]bool{}
	for n := range with {
		for _, k := range b.users[n] {
			if !done[k] {
				done[k] = true
				total.sub(b.estimates[k])
				total.add(b.estimate(k, with))
			}
		}
	}
	return total
}

// fits reports whether, with tighter bounds, rule i is within its limit, and the definition within its own. The limit
// of the definition is ignored if the other rules alone exceed it.
func (b *budget) fits(i int, with bounds) bool {
	own := b.estimates[i]
	if with != nil {
		own = b.estimate(i, with)
	}
	if own.over() {
		return false
	}
	others := b.total
	others.sub(b.estimates[i])
	if others.over() {
		return true
	}
	others.add(own)
	return !others.over() || with != nil && !b.totalWith(with).over()
}
