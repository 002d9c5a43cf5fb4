package cli

import (
	"flag"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/input"
	"github.com/crdkit/crdkit/cmd/crdkit/internal/report"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/internal/hint"
)

var costCommand = command{
	name:  "cost",
	args:  "[-over SHARE] [-fix] NAME...",
	short: "what the rules of definitions may cost, and bounds with which those that cost too much fit",
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

// costsOf are the costs of a definition's rules.
type costsOf struct {
	Definition string       `json:"definition"`
	Schemas    []schemaCost `json:"schemas"`
}

type schemaCost struct {
	Path  string     `json:"path"`
	Total *uint64    `json:"total"` // null: more than can be counted
	Share float64    `json:"share"` // of the limit
	Rules []ruleCost `json:"rules"`
	Fix   *costFix   `json:"fix,omitempty"` // with which all rules fit, and all together
}

type ruleCost struct {
	Path     string    `json:"path"`
	Rule     string    `json:"rule"`
	Cost     *uint64   `json:"cost"`     // of one evaluation
	Estimate *uint64   `json:"estimate"` // of all evaluations in one object
	Message  *uint64   `json:"messageEstimate,omitempty"`
	Share    float64   `json:"share"`
	Fixes    []costFix `json:"fixes,omitempty"`
	Hints    []string  `json:"hints,omitempty"`
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
	files := []input.File(nil)
	if fix {
		var err error
		if files, err = e.fixCosts(args); err != nil {
			return err
		}
	}
	definitions, err := e.named("cost", args, files...)
	if err != nil {
		return err
	}
	reports := make([]*crdcheck.CostReport, len(definitions))
	parallel(len(definitions), func(i int) { reports[i] = crdcheck.Costs(definitions[i].crd) })
	all := []costsOf{}
	for i, d := range definitions {
		all = append(all, newCosts(d.crd.Name(), reports[i]))
		v := &verdict{d: d.document}
		for _, s := range reports[i].Schemas {
			if s.Share > over {
				v.add(report.Finding{
					Severity: report.Error, Code: report.CodeCost, Path: s.Path,
					Message: fmt.Sprintf("%s: all rules together cost %s of the limit of a schema", s.Path, percent(s.Share)), Hints: hint.Schema(&s),
				}, d.textPlace(s.Path))
			}
			for k := range s.Rules {
				if r := &s.Rules[k]; r.Share > over {
					v.add(report.Finding{
						Severity: report.Error, Code: report.CodeCost, Path: r.Path,
						Message: fmt.Sprintf("%s: the rule costs %s of the limit: %s", r.Path, percent(r.Share), r.Rule), Hints: hint.Rule(r),
					}, d.textPlace(r.Path))
				}
			}
		}
		e.judged(v)
	}
	e.report.Details = all
	e.report.Text = func(w io.Writer) {
		for _, c := range all {
			c.text(w)
		}
	}
	return nil
}

func newCosts(name string, r *crdcheck.CostReport) costsOf {
	out := costsOf{Definition: name, Schemas: []schemaCost{}}
	for _, s := range r.Schemas {
		schema := schemaCost{Path: s.Path, Total: counted(s.Total), Share: rounded(s.Share), Rules: []ruleCost{}}
		for i := range s.Rules {
			r := &s.Rules[i]
			c := ruleCost{Path: r.Path, Rule: r.Rule, Cost: counted(r.Cost), Estimate: counted(r.Estimate), Share: rounded(r.Share)}
			if r.MessageEstimate > 0 {
				c.Message = counted(r.MessageEstimate)
			}
			for i := range r.Fixes {
				c.Fixes = append(c.Fixes, newFix(&r.Fixes[i]))
			}
			for _, h := range r.Hints {
				c.Hints = append(c.Hints, h.Text)
			}
			schema.Rules = append(schema.Rules, c)
		}
		if s.Fix != nil {
			fix := newFix(s.Fix)
			schema.Fix = &fix
		}
		out.Schemas = append(out.Schemas, schema)
	}
	return out
}

func newFix(f *crdcheck.Fix) costFix {
	fix := costFix{Marker: f.Marker}
	for _, b := range f.Bounds {
		fix.Bounds = append(fix.Bounds, costBound(b))
	}
	return fix
}

// counted returns a cost, or nil for one that is beyond counting.
func counted(cost uint64) *uint64 {
	if cost == math.MaxUint64 {
		return nil
	}
	return &cost
}

func rounded(share float64) float64 { return math.Round(share*1e6) / 1e6 }

func percent(share float64) string {
	switch {
	case share >= 1000:
		return "more than 1000x"
	case share >= 10:
		return strconv.FormatFloat(share*100, 'f', 0, 64) + "%"
	case share > 1:
		return strconv.FormatFloat(math.Ceil(share*1000)/10, 'f', 1, 64) + "%"
	}
	return strconv.FormatFloat(share*100, 'f', 1, 64) + "%"
}

// text prints a table for each schema that has rules.
func (c *costsOf) text(w io.Writer) {
	fmt.Fprintf(w, "%s\n", c.Definition)
	if len(c.Schemas) == 0 {
		fmt.Fprintln(w, "  no rules")
	}
	for _, s := range c.Schemas {
		fmt.Fprintf(w, "  %s\n", s.Path)
		rows := [][]string{{"SHARE", "ESTIMATE", "EACH", "RULE"}}
		for _, r := range s.Rules {
			rows = append(rows, []string{percent(r.Share), costText(r.Estimate), costText(r.Cost), strings.TrimPrefix(r.Path, s.Path+".")})
		}
		table(w, append(rows, []string{percent(s.Share), costText(s.Total), "", "all"}))
		for _, r := range s.Rules {
			for i := range r.Fixes {
				r.Fixes[i].text(w, strings.TrimPrefix(r.Path, s.Path+".")+" fits with")
			}
		}
		if s.Fix != nil {
			s.Fix.text(w, "all rules fit with")
		}
	}
}

// table prints rows whose cells begin below each other.
func table(w io.Writer, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell)+2)
		}
	}
	for _, row := range rows {
		fmt.Fprint(w, "  ")
		for i, cell := range row {
			if i+1 < len(row) {
				cell += strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			}
			fmt.Fprint(w, cell)
		}
		fmt.Fprintln(w)
	}
}

func (f *costFix) text(w io.Writer, title string) {
	fmt.Fprintf(w, "  %s\n", title)
	for _, b := range f.Bounds {
		fmt.Fprintf(w, "    %s: %d at %s\n", b.Keyword, b.Value, b.Path)
	}
}

func costText(cost *uint64) string {
	if cost == nil {
		return "unbounded"
	}
	return strconv.FormatUint(*cost, 10)
}
