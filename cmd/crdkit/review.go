package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/crdkit/crdkit/cel"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/kubeversion"
	"github.com/crdkit/crdkit/registry"
)

// What rules may cost by their estimates.
const (
	expressionLimit = 10_000_000  // a rule, for all values of one object; a messageExpression, once
	schemaLimit     = 100_000_000 // all expressions of a schema
)

// A review is the answer to a request to create a definition.
type review struct {
	Source     string         `json:"source"`
	Definition string         `json:"definition"` // its name
	Accepted   bool           `json:"accepted"`
	Warnings   []string       `json:"warnings"`
	Status     *field.Status  `json:"status,omitempty"` // the refusal
	Versions   []versionCosts `json:"versions"`         // those whose schemas are structural: no other's rules are estimated
	Fixes      []fix          `json:"fixes,omitempty"`
	Hints      []hint         `json:"hints,omitempty"`
	Kubernetes []verdict      `json:"kubernetes,omitempty"` // if it was asked for
}

// A fix says with which bounds a rule fits that costs too much.
type fix struct {
	Rule   string           `json:"rule"`
	Bounds []crdcheck.Bound `json:"bounds"`
	Patch  json.RawMessage  `json:"patch"`
	Marker string           `json:"marker"`
}

// A hint says what may be wrong with a rule that costs too much.
type hint struct {
	Rule string `json:"rule"`
	Name string `json:"name"`
	Path string `json:"path"`
	Text string `json:"text"`
}

// A verdict is what a version of Kubernetes says.
type verdict struct {
	Version  string   `json:"version"`
	Accepted bool     `json:"accepted"`
	Reasons  []string `json:"reasons,omitempty"`
}

// equal reports whether v and w say the same.
func (v *verdict) equal(w *verdict) bool {
	return v.Accepted == w.Accepted && slices.Equal(v.Reasons, w.Reasons)
}

// versionCosts are the estimates for the rules in the schema of a version. Rules that do not compile have none.
type versionCosts struct {
	Name  string     `json:"name"`
	Rules []ruleCost `json:"rules"`
	Total amount     `json:"total"`
	Limit amount     `json:"limit"`
}

// A ruleCost is the estimate for a rule, of which the product has the limit, and that for its messageExpression, which has the same.
type ruleCost struct {
	Path        string `json:"path"` // of the node with the rule; empty for the root
	Index       int    `json:"index"`
	Cost        amount `json:"cost"`        // of one evaluation
	Cardinality amount `json:"cardinality"` // evaluations in one object
	Product     amount `json:"product"`     // if the cardinality is unbounded, that of what fits into a request counts
	MessageCost amount `json:"messageCost"`
	Limit       amount `json:"limit"`
}

// An amount is a cost or a number of evaluations. One without bounds is null for programs.
type amount uint64

const unbounded = amount(math.MaxUint64)

func (a amount) MarshalJSON() ([]byte, error) {
	if a == unbounded {
		return []byte("null"), nil
	}
	return json.Marshal(uint64(a))
}

func (a amount) String() string {
	if a == unbounded {
		return "unbounded"
	}
	return strconv.FormatUint(uint64(a), 10)
}

func (a amount) plus(b amount) amount {
	sum, carry := bits.Add64(uint64(a), uint64(b), 0)
	if carry != 0 {
		return unbounded
	}
	return amount(sum)
}

// reviewAll reviews all definitions.
func reviewAll(reg *registry.Registry, versions bool) []answer {
	var reviews []answer
	for _, d := range reg.Definitions() {
		source := d.Source.File
		if source == "" {
			source = "-"
		}
		reviews = append(reviews, newReview(source, d.CRD, versions))
	}
	return reviews
}

func newReview(source string, d *crd.CustomResourceDefinition, versions bool) review {
	r := review{Source: source, Definition: d.Name(), Warnings: []string{}, Versions: []versionCosts{}}
	checked := crdcheck.Compile(d)
	if errs := checked.Errors(); errs != nil {
		r.Status = errs.Status(crd.Group, "CustomResourceDefinition", d.Name())
	} else {
		r.Accepted = true
		r.Warnings = append(r.Warnings, crdcheck.Warnings(d, nil)...)
	}
	for _, v := range d.Spec.Versions {
		if rules := checked.Rules(v.Name); rules != nil {
			r.Versions = append(r.Versions, estimate(v.Name, rules))
		}
	}
	if r.refused() {
		r.Fixes, r.Hints = advice(checked.Costs())
	}
	if versions {
		for _, v := range kubeversion.Range(d) {
			r.Kubernetes = append(r.Kubernetes, newVerdict(&v))
		}
	}
	return r
}

// advice returns what a report has for rules that cost too much.
func advice(report *crdcheck.CostReport) (fixes []fix, hints []hint) {
	for _, s := range report.Schemas {
		for _, rule := range s.Rules {
			for _, f := range rule.Fixes {
				fixes = append(fixes, fix{rule.Path, f.Bounds, f.Patch, f.Marker})
			}
			for _, h := range rule.Hints {
				hints = append(hints, hint{rule.Path, h.Name, h.Path, h.Text})
			}
		}
	}
	return fixes, hints
}

func newVerdict(v *kubeversion.Verdict) verdict {
	out := verdict{Version: v.Version, Accepted: v.Accepted()}
	for _, e := range v.Errors {
		out.Reasons = append(out.Reasons, e.Error())
	}
	for _, path := range v.Unknown {
		out.Reasons = append(out.Reasons, path+": unknown field")
	}
	for _, path := range v.Dropped {
		out.Reasons = append(out.Reasons, path+": dropped field")
	}
	for _, n := range v.Notes {
		out.Reasons = append(out.Reasons, "note: "+n.String())
	}
	return out
}

// estimate returns what the rules of a version may cost.
func estimate(version string, rules *cel.Rules) versionCosts {
	costs := versionCosts{Name: version, Rules: []ruleCost{}, Limit: schemaLimit}
	for _, c := range rules.Costs() {
		cost := ruleCost{
			Path: c.Path, Index: c.Index, Cost: amount(c.Cost), Cardinality: amount(c.Cardinality),
			Product: amount(c.Estimate), MessageCost: amount(c.MessageCost), Limit: expressionLimit,
		}
		costs.Rules = append(costs.Rules, cost)
		costs.Total = costs.Total.plus(cost.Product).plus(cost.MessageCost)
	}
	return costs
}

func (r review) refused() bool { return r.Status != nil }

// print writes what kubectl does, and a table for each version that has rules.
func (r review) print(stdout, stderr io.Writer) error {
	state := "accepted"
	for _, w := range r.Warnings {
		fmt.Fprintln(stderr, "Warning:", w)
	}
	if r.refused() {
		state = "refused"
		fmt.Fprintln(stderr, refusal(r.Source, r.Status))
	}
	fmt.Fprintf(stdout, "customresourcedefinition.%s/%s %s\n", crd.Group, r.Definition, state)
	table := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	for _, v := range r.Versions {
		if len(v.Rules) == 0 {
			continue
		}
		fmt.Fprintf(table, "  %s\tCOST\tTIMES\tPRODUCT\tLIMIT\n", v.Name)
		for _, c := range v.Rules {
			place := fmt.Sprintf("x-kubernetes-validations[%d]", c.Index)
			if c.Path != "" {
				place = c.Path + "." + place
			}
			row(table, place+".rule", c.Cost, c.Cardinality, c.Product, c.Limit)
			if c.MessageCost > 0 {
				row(table, place+".messageExpression", c.MessageCost, 1, c.MessageCost, c.Limit)
			}
		}
		row(table, "total", "", "", v.Total, v.Limit)
		if err := table.Flush(); err != nil {
			return err
		}
	}
	for _, f := range r.Fixes {
		fmt.Fprintf(stdout, "  %s fits with\n", f.Rule)
		for _, b := range f.Bounds {
			fmt.Fprintf(stdout, "    %s: %d at %s\n", b.Keyword, b.Value, b.Path)
		}
	}
	for _, h := range r.Hints {
		fmt.Fprintf(stdout, "  hint: %s: %s\n", h.Path, h.Text)
	}
	for rest := r.Kubernetes; len(rest) > 0; {
		n := slices.IndexFunc(rest, func(v verdict) bool { return !v.equal(&rest[0]) })
		if n < 0 {
			n = len(rest)
		}
		versions, answer := rest[0].Version, "refused"
		if n > 1 {
			versions += " to " + rest[n-1].Version
		}
		if rest[0].Accepted {
			answer = "accepted"
		}
		fmt.Fprintf(stdout, "  Kubernetes %s: %s\n", versions, answer)
		for _, reason := range rest[0].Reasons {
			fmt.Fprintf(stdout, "    %s\n", strings.ReplaceAll(reason, "\n", "\n    "))
		}
		rest = rest[n:]
	}
	return nil
}

func row(to io.Writer, place string, cost, times any, product, limit amount) {
	over := ""
	if product > limit {
		over = " exceeded"
	}
	fmt.Fprintf(to, "  %s\t%v\t%v\t%v\t%v%s\n", place, cost, times, product, limit, over)
}
