package cli

import (
	"flag"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/input"
	"github.com/crdkit/crdkit/cmd/crdkit/internal/output"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/internal/tool/explain"
	"github.com/crdkit/crdkit/internal/tool/finding"
)

var costCommand = command{
	name:  "cost",
	args:  "[-over SHARE] [-fix] NAME...",
	short: "what the rules of definitions may cost, and bounds that bring expensive rules under the limit",
	long:  "A server refuses a rule over 100%, and a schema whose rules are over 100% together. With -over, less is an error here already.",
	setup: func(e *env, flags *flag.FlagSet) func([]string) error {
		over, fix := 1.0, false
		flags.Func("over", "rules that cost more than this `SHARE` of the limit are errors, such as 50% (default 100%)", func(text string) error {
			percent, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
			if err != nil || !(percent >= 0) {
				return fmt.Errorf("must be a number of percents, such as 50%%")
			}
			over = percent / 100
			return nil
		})
		e.inputFlags(flags)
		e.outputFlag(flags)
		flags.BoolVar(&fix, "fix", false, "write bounds into the files, with which rules over 100% fit: the least restrictive that do")
		return func(args []string) error { return e.cost(args, over, fix) }
	},
}

// costDetails are the details of the report for one definition.
type costDetails struct {
	Definition string       `json:"definition"`
	Schemas    []schemaCost `json:"schemas"`
}

type schemaCost struct {
	Versions []string   `json:"versions"` // with this schema
	Path     string     `json:"path"`     // of the first version's
	Total    *uint64    `json:"total"`    // null: more than can be counted
	Share    float64    `json:"share"`    // of the limit
	Rules    []ruleCost `json:"rules"`
	Fix      *costFix   `json:"fix,omitempty"` // with which all rules fit, and all together
}

type ruleCost struct {
	Path     string     `json:"path"`
	Rule     string     `json:"rule"`
	Cost     *uint64    `json:"cost"`     // of one evaluation
	Estimate *uint64    `json:"estimate"` // of all evaluations in one object
	Message  *uint64    `json:"messageEstimate,omitempty"`
	Share    float64    `json:"share"`
	Fixes    []*costFix `json:"fixes,omitempty"`
	Hints    []string   `json:"hints,omitempty"`
}

type costFix struct {
	Bounds []costBound `json:"bounds"`
	Marker string      `json:"marker"`
}

type costBound struct {
	Path    string `json:"path"`
	Keyword string `json:"keyword"`
	Value   int64  `json:"value"`
}

func (e *env) cost(args []string, over float64, fix bool) error {
	var files []input.File
	if fix {
		var err error
		if files, err = e.fixCosts(args); err != nil {
			return err
		}
	}
	definitions, err := e.readDefinitions("cost", args, files...)
	if err != nil {
		return err
	}
	reports := make([]*crdcheck.CostReport, len(definitions))
	parallel(len(definitions), func(i int) { reports[i] = crdcheck.Costs(definitions[i].crd) })
	details := []costDetails{}
	for i, d := range definitions {
		details = append(details, newCostDetails(d.crd.Name(), reports[i]))
		e.addFindings(d.costFindings(reports[i], over))
	}
	setDetails(e, details, (*costDetails).text)
	return nil
}

// costFindings returns the rules and schemas that cost more than a share of the limit.
func (d *definition) costFindings(costs *crdcheck.CostReport, over float64) *result {
	found := newResult(d.document)
	add := func(s *crdcheck.SchemaCosts, path, message string, hints []string) {
		for i := range hints {
			hints[i] = strings.ReplaceAll(hints[i], s.Path+".", "")
		}
		text := strings.Join(s.Versions, ", ")
		if below, ok := strings.CutPrefix(path, s.Path+"."); ok {
			text += " " + below
		}
		found.Add(finding.Finding{Severity: finding.Error, Code: finding.Cost, Path: path, Message: text + ": " + message, Hints: hints}, d.At(path))
	}
	for i := range costs.Schemas {
		s := &costs.Schemas[i]
		if s.Share > over {
			add(s, s.Path, fmt.Sprintf("all rules together cost %s of the limit of a schema", percent(s.Share)), explain.SchemaCostHints(s))
		}
		for k := range s.Rules {
			if r := &s.Rules[k]; r.Share > over {
				add(s, r.Path, fmt.Sprintf("the rule costs %s of the limit: %s", percent(r.Share), r.Rule), explain.RuleCostHints(r))
			}
		}
	}
	return found
}

func newCostDetails(name string, costs *crdcheck.CostReport) costDetails {
	details := costDetails{Definition: name, Schemas: []schemaCost{}}
	for i := range costs.Schemas {
		s := &costs.Schemas[i]
		schema := schemaCost{Versions: s.Versions, Path: s.Path, Total: finiteCost(s.Total), Share: roundShare(s.Share), Rules: []ruleCost{}}
		for k := range s.Rules {
			schema.Rules = append(schema.Rules, newRuleCost(&s.Rules[k]))
		}
		if s.Fix != nil {
			schema.Fix = newFix(s.Fix)
		}
		details.Schemas = append(details.Schemas, schema)
	}
	return details
}

func newRuleCost(r *crdcheck.RuleCosts) ruleCost {
	c := ruleCost{Path: r.Path, Rule: r.Rule, Cost: finiteCost(r.Cost), Estimate: finiteCost(r.Estimate), Share: roundShare(r.Share)}
	if r.MessageEstimate > 0 {
		c.Message = finiteCost(r.MessageEstimate)
	}
	for i := range r.Fixes {
		c.Fixes = append(c.Fixes, newFix(&r.Fixes[i]))
	}
	for _, h := range r.Hints {
		c.Hints = append(c.Hints, h.Text)
	}
	return c
}

func newFix(f *crdcheck.Fix) *costFix {
	fix := &costFix{Marker: f.Marker}
	for _, b := range f.Bounds {
		fix.Bounds = append(fix.Bounds, costBound(b))
	}
	return fix
}

// finiteCost returns a cost, or nil for one that has no bound.
func finiteCost(cost uint64) *uint64 {
	if cost == math.MaxUint64 {
		return nil
	}
	return &cost
}

func roundShare(share float64) float64 { return math.Round(share*1e6) / 1e6 }

// text prints a table for each schema that has rules.
func (c *costDetails) text(w *output.Writer) {
	w.Printf("%s\n", c.Definition)
	if len(c.Schemas) == 0 {
		w.Printf("  no rules\n")
	}
	for _, s := range c.Schemas {
		w.Printf("  %s\n", strings.Join(s.Versions, ", "))
		rows := [][]string{{"SHARE", "ESTIMATE", "EACH", "RULE"}}
		for _, r := range s.Rules {
			rows = append(rows, []string{percent(r.Share), costText(r.Estimate), costText(r.Cost), s.below(r.Path)})
		}
		writeTable(w, append(rows, []string{percent(s.Share), costText(s.Total), "", "all"}))
		for _, r := range s.Rules {
			for _, f := range r.Fixes {
				s.fixText(w, f, s.below(r.Path)+" fits with")
			}
		}
		if s.Fix != nil {
			s.fixText(w, s.Fix, "all rules fit with")
		}
	}
}

// below returns a path in the document as one below the schema.
func (s *schemaCost) below(path string) string { return strings.TrimPrefix(path, s.Path+".") }

func (s *schemaCost) fixText(w *output.Writer, f *costFix, title string) {
	w.Printf("  %s\n", title)
	for _, b := range f.Bounds {
		w.Printf("    %s: %d at %s\n", b.Keyword, b.Value, s.below(b.Path))
	}
}

func costText(cost *uint64) string {
	if cost == nil {
		return "unbounded"
	}
	return strconv.FormatUint(*cost, 10)
}
