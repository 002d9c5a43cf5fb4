package crdcheck

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/cel"
	"github.com/crdkit/crdkit/crd"
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
	Headroom        []Bound // of a rule that fits: the greatest value that each bound may have by itself
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

// A Fix is a set of bounds with which a rule fits.
type Fix struct {
	Bounds   []Bound
	Estimate uint64 // of the rule with them
	Total    uint64 // of the definition's schema with them
	Patch    []byte // a JSON Patch of the definition, for all versions that have the schema
	Marker   string // for kubebuilder, a line for each bound: +kubebuilder:validation:MaxItems=64
}

// A Hint is something known to make rules dear.
type Hint struct {
	Name string // fixed: HintAllOf, HintUnique, HintMatches, HintMapKeys
	Path string
	Text string
}

// The names of hints.
const (
	HintAllOf   = "bound-in-allOf"
	HintUnique  = "uniqueness-by-loops"
	HintMatches = "matches-of-constant"
	HintMapKeys = "map-keys"
)

// Costs returns the estimates of the rules of d that compile, as those of a new definition, and bounds with which those that are over a limit
// fit. Each value that a fix suggests is the greatest natural one: 63, 253 and powers of two for strings, powers of two for lists and maps. A
// rule that no bounds make fit has no fixes, and neither has any if the definition's schemas are not structural.
//
// d has its defaults; nil has no rules. It is not modified, and nothing in the report aliases it. A fix does not look at objects that are stored
// already, nor at default values and lower bounds of the schema.
//
// The time is that of [Validate], and for each rule some hundred times that of its estimate.
func Costs(d *crd.CustomResourceDefinition) *CostReport {
	if d == nil {
		return &CostReport{}
	}
	return Compile(d).Costs()
}

// Costs is the package's [Costs] for the definition that was checked.
func (c *Checked) Costs() *CostReport {
	report := &CostReport{}
	d := c.definition
	done := map[*compiledSchema]bool{}
	for i := range d.Spec.Versions {
		s := c.compiled(d.Spec.Versions[i].Name)
		if s == nil || done[s] || !s.isStructural || s.rules == nil || !s.facts.hasRules {
			continue
		}
		done[s] = true
		b := &budget{analyses: s.rules.Analyze(), root: s.props}
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
		b.locate(s.compiled.Root())
		report.Schemas = append(report.Schemas, b.report())
	}
	return report
}

// A budget is what the rules of a schema share.
type budget struct {
	analyses  []*cel.Analysis
	root      *schema.JSONSchemaProps
	path      string
	documents []string // JSON pointers to the schema
	nodes     map[schema.Node]location
	estimates []uint64 // of the analyses
	total     uint64
}

// A location is where a node stands in a schema.
type location struct {
	path    string // properties[a].items, empty for the root
	pointer string // /properties/a/items
	props   *schema.JSONSchemaProps
}

type bounds = map[schema.Node]int64

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// locate finds where all nodes are.
func (b *budget) locate(root schema.Node) {
	b.nodes = map[schema.Node]location{}
	var visit func(n schema.Node, at location)
	visit = func(n schema.Node, at location) {
		if at.props == nil {
			return
		}
		b.nodes[n] = at
		dot := at.path
		if dot != "" {
			dot += "."
		}
		if items := n.Items(); !items.IsZero() {
			visit(items, location{dot + "items", at.pointer + "/items", at.props.Items.Schema})
		}
		if a := n.AdditionalProperties(); !a.IsZero() {
			visit(a, location{dot + "additionalProperties", at.pointer + "/additionalProperties", at.props.AdditionalProperties.Schema})
		}
		for name, child := range n.Properties() {
			visit(child, location{
				dot + "properties[" + name + "]", at.pointer + "/properties/" + pointerEscapes.Replace(name), at.props.Properties[name],
			})
		}
	}
	visit(root, location{props: b.root})
}

func (b *budget) report() SchemaCosts {
	for _, a := range b.analyses {
		b.estimates = append(b.estimates, sum(a.Estimate, a.MessageCost))
		b.total = sum(b.total, b.estimates[len(b.estimates)-1])
	}
	s := SchemaCosts{Path: b.path, Total: b.total, Share: float64(b.total) / DefinitionCostLimit}
	for i, a := range b.analyses {
		at := b.path
		if a.Path != "" {
			at += "." + a.Path
		}
		r := RuleCosts{
			Path: at + ".x-kubernetes-validations[" + strconv.Itoa(a.Index) + "]", Rule: a.Node.Rules()[a.Index].Rule,
			Cost: a.Cost, Estimate: a.Estimate, MessageEstimate: a.MessageCost,
			Share: float64(max(a.Estimate, a.MessageCost)) / RuleCostLimit,
			Part:  a.Part, PartCost: a.PartCost,
		}
		for _, n := range a.Multiplies {
			r.Multiplies = append(r.Multiplies, b.size(n))
		}
		for _, n := range a.Sizes {
			r.Sizes = append(r.Sizes, b.size(n))
		}
		if b.fits(i, nil) {
			r.Headroom = b.headroom(i)
		} else {
			r.Fixes, r.Hints = b.fixes(i), b.hints(a)
		}
		s.Rules = append(s.Rules, r)
	}
	return s
}

// full returns a path in the document.
func (b *budget) full(n schema.Node) string {
	if at := b.nodes[n].path; at != "" {
		return b.path + "." + at
	}
	return b.path
}

func (b *budget) size(n schema.Node) Size {
	s := Size{Path: b.full(n), Keyword: keyword(n)}
	if isBounded(n) {
		bound := bound(n)
		s.Bound = &bound
	}
	return s
}

// keyword returns the keyword that bounds the size of values at n.
func keyword(n schema.Node) string {
	k, _, _ := n.MaxSize()
	return k
}

// isBounded reports whether n has that keyword.
func isBounded(n schema.Node) bool {
	_, _, declared := n.MaxSize()
	return declared
}

// bound returns its value.
func bound(n schema.Node) int64 {
	_, most, _ := n.MaxSize()
	return most
}

// sum returns x+y, or the greatest number.
func sum(x, y uint64) uint64 {
	if x > math.MaxUint64-y {
		return math.MaxUint64
	}
	return x + y
}

// othersWith returns the total of the rules but i with other bounds.
func (b *budget) othersWith(i int, with bounds) uint64 {
	total := uint64(0)
	for k, a := range b.analyses {
		if k == i {
			continue
		}
		estimate := b.estimates[k]
		if slices.ContainsFunc(inputs(a), func(n schema.Node) bool { _, ok := with[n]; return ok }) {
			estimate = sum(a.EstimateWith(with))
		}
		total = sum(total, estimate)
	}
	return total
}

// fits reports whether rule i fits with other bounds: it is within its limit, and the definition is within its own, unless the other rules
// alone are over that.
func (b *budget) fits(i int, with bounds) bool {
	rule, message := b.analyses[i].Estimate, b.analyses[i].MessageCost
	if with != nil {
		rule, message = b.analyses[i].EstimateWith(with)
	}
	if rule > RuleCostLimit || message > RuleCostLimit {
		return false
	}
	own := rule + message
	if b.total <= DefinitionCostLimit && with == nil {
		return true
	}
	others := b.othersWith(i, with)
	return others > DefinitionCostLimit || own+others <= DefinitionCostLimit
}
