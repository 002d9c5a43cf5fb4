package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/internal/tool/explain"
	"github.com/crdkit/crdkit/internal/tool/finding"
	"github.com/crdkit/crdkit/internal/tool/sample"
	"github.com/crdkit/crdkit/internal/tool/yamltext"
	"github.com/crdkit/crdkit/kubeversion"
)

// A SchemaCosts has the costs of the rules of a schema.
type SchemaCosts struct {
	Path  string     `json:"path"`
	Total string     `json:"total"` // of all rules
	Limit string     `json:"limit"`
	Share float64    `json:"share"` // of the limit
	Rules []RuleCost `json:"rules"`
	Fix   []Bound    `json:"fix,omitempty"` // bounds that bring all rules under the limit
	// Omitted is how many rules are not listed.
	Omitted int `json:"omitted,omitempty"`
}

// A RuleCost has the costs of a rule.
type RuleCost struct {
	Path     string   `json:"path"`
	Line     int      `json:"line"`
	Column   int      `json:"column"`
	Rule     string   `json:"rule"`
	Estimate string   `json:"estimate"` // of all evaluations in one object
	Limit    string   `json:"limit"`
	Share    float64  `json:"share"` // of the limit
	Fixes    []Fix    `json:"fixes,omitempty"`
	Hints    []string `json:"hints,omitempty"`
}

// A Fix is a set of bounds that bring a rule under the limit.
type Fix struct {
	Bounds []Bound `json:"bounds"`
	Marker string  `json:"marker"` // for kubebuilder
	Share  float64 `json:"share"`  // of the limit, with these bounds
}

// maxRules is the maximum number of listed rules of a schema.
const maxRules = 300

// rules returns the estimated costs of the definition's rules.
func (e *Engine) rules(_ context.Context, q *Question) (any, error) {
	d := e.definition(q.Definition)
	if d.crd == nil {
		return nil, errUnread
	}
	schemas := []SchemaCosts{}
	for _, s := range d.checked.Costs().Schemas {
		out := SchemaCosts{Path: s.Path, Total: counted(s.Total), Limit: counted(crdcheck.DefinitionCostLimit), Share: bounded(s.Share), Rules: []RuleCost{}, Omitted: s.Omitted}
		if s.Fix != nil {
			out.Fix = boundsOf(s.Fix.Bounds)
		}
		for i := range s.Rules {
			if i == maxRules {
				out.Omitted += len(s.Rules) - i
				break
			}
			r := &s.Rules[i]
			at := d.At(r.Path)
			rule := RuleCost{Path: r.Path, Line: at.Line, Column: at.Column, Rule: r.Rule,
				Estimate: counted(max(r.Estimate, r.MessageEstimate)), Limit: counted(crdcheck.RuleCostLimit), Share: bounded(r.Share)}
			for _, f := range r.Fixes {
				rule.Fixes = append(rule.Fixes, Fix{boundsOf(f.Bounds), f.Marker, float64(f.Estimate) / crdcheck.RuleCostLimit})
			}
			for _, h := range r.Hints {
				rule.Hints = append(rule.Hints, h.Text)
			}
			out.Rules = append(out.Rules, rule)
		}
		schemas = append(schemas, out)
	}
	return schemas, nil
}

func boundsOf(bounds []crdcheck.Bound) (out []Bound) {
	for _, b := range bounds {
		out = append(out, Bound(b))
	}
	return out
}

// counted formats a cost in groups of three digits.
func counted(cost uint64) string {
	if cost == math.MaxUint64 {
		return "unbounded"
	}
	text := fmt.Sprint(cost)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// bounded limits a share, which may be infinite, to a number that JSON can represent.
func bounded(share float64) float64 { return min(share, 1e6) }

// A Minor has the verdict of a minor version of Kubernetes on the definition.
type Minor struct {
	Version  string   `json:"version"`
	Accepted bool     `json:"accepted"`
	But      bool     `json:"but,omitempty"` // it is accepted, with a note about a field or a rule
	Reasons  []string `json:"reasons,omitempty"`
	Notes    []string `json:"notes,omitempty"`
	Omitted  int      `json:"omitted,omitempty"` // reasons and notes that are not listed
}

// maxReasons is the maximum number of listed reasons of a version, and of its notes.
const maxReasons = 50

// versions returns which versions of Kubernetes accept the definition.
func (e *Engine) versions(_ context.Context, q *Question) (any, error) {
	d := e.definition(q.Definition)
	if d.crd == nil {
		return nil, errUnread
	}
	minors := []Minor{}
	for _, v := range kubeversion.Range(d.crd) {
		m := Minor{Version: v.Version, Accepted: v.Accepted(), Omitted: v.Omitted}
		add := func(to *[]string, text string) {
			if len(*to) == maxReasons {
				m.Omitted++
				return
			}
			*to = append(*to, text)
		}
		for _, err := range v.Errors {
			add(&m.Reasons, err.Error())
		}
		for _, path := range v.Unknown {
			add(&m.Reasons, path+": unknown field")
		}
		for _, path := range v.Dropped {
			add(&m.Reasons, path+": dropped field")
		}
		for _, n := range v.Notes {
			add(&m.Notes, n.String())
			m.But = m.But || m.Accepted && n.Path != ""
		}
		minors = append(minors, m)
	}
	return minors, nil
}

// Samples are objects made from the definition, as YAML.
type Samples struct {
	Minimal string   `json:"minimal"`
	Full    string   `json:"full,omitempty"`
	Broken  []Broken `json:"broken"`
	// Missing has the constraints and rules for which no object was found that breaks only them.
	Missing []string `json:"missing,omitempty"`
	Omitted int      `json:"omitted,omitempty"` // beyond the first maxFindings
}

// Broken is an object that breaks one constraint or rule.
type Broken struct {
	Breaks string   `json:"breaks"`
	Object string   `json:"object"`
	Stored string   `json:"stored,omitempty"` // the old object, for a transition rule
	Errors []string `json:"errors"`
}

// samples returns objects of the definition.
func (e *Engine) samples(ctx context.Context, q *Question) (any, error) {
	d := e.definition(q.Definition)
	switch {
	case d.crd == nil:
		return nil, errUnread
	case d.resource == nil:
		return nil, errors.New("there are samples once the definition is accepted")
	}
	version := d.resource.Version(servedVersion(d.crd))
	if version == nil || version.Schema() == nil {
		return nil, errors.New("there are no samples: no version with a schema is served")
	}
	maker := sample.For(d.crd, version, constraint.VersionRules(d.crd, version.Name()))
	minimal, err := maker.Minimal(ctx)
	if err != nil {
		return nil, fmt.Errorf("no valid object was found: %w", err)
	}
	out := &Samples{Minimal: yamlText(minimal), Broken: []Broken{}}
	if full, err := maker.Full(ctx); err == nil {
		out.Full = yamlText(full)
	}
	// There may be many large objects: those that are not listed are not kept.
	for made, err := range maker.EachBroken(ctx) {
		switch {
		case len(out.Broken)+len(out.Missing) == maxFindings:
			out.Omitted++
			continue
		case err != nil:
			out.Missing = append(out.Missing, made.Breaks)
			continue
		}
		b := Broken{Breaks: made.Breaks, Object: yamlText(made.Object)}
		if made.Old != nil {
			b.Stored = yamlText(made.Old)
		}
		for _, err := range made.Errors {
			b.Errors = append(b.Errors, err.Error())
		}
		out.Broken = append(out.Broken, b)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return out, nil
}

// explain describes the field at the cursor.
func (e *Engine) explain(_ context.Context, q *Question) (any, error) {
	d := e.definition(q.Definition)
	if d.crd == nil {
		return nil, errUnread
	}
	version, words := "", []string(nil)
	if q.In == "object" {
		t := read(q.Object)
		if t.body == nil {
			return nil, errors.New("the object cannot be read yet: see its errors")
		}
		for _, s := range t.pathAt(q.Line, q.Column) {
			if !s.IsIndex {
				words = append(words, s.Key)
			}
		}
	} else {
		var ok bool
		if version, words, ok = d.schemaField(d.pathAt(q.Line, q.Column)); !ok {
			return nil, errors.New("put the cursor on a field of the schema, or of the object")
		}
	}
	if len(words) > 0 && (words[0] == "apiVersion" || words[0] == "kind" || words[0] == "metadata") {
		return nil, fmt.Errorf("%s is a field of every object", words[0])
	}
	return explain.Field(d.crd, version, words)
}

// A Comparison has the effects of a change of a definition.
type Comparison struct {
	Worst    string           `json:"worst"`
	Changes  []Change         `json:"changes"`
	Omitted  int              `json:"omitted,omitempty"` // changes that are not listed
	Severity finding.Severity `json:"severity"`          // the highest severity
}

// A Change is a finding of package compat.
type Change struct {
	Verdict  string           `json:"verdict"`
	Severity finding.Severity `json:"severity"` // error, warning or note
	Request  string           `json:"request"`
	Version  string           `json:"version"`
	Path     string           `json:"path"`
	Check    string           `json:"check"`
	Detail   string           `json:"detail"`
	Before   string           `json:"before,omitempty"`
	After    string           `json:"after,omitempty"`
	Object   string           `json:"object,omitempty"` // the witness, as YAML
	Stored   string           `json:"stored,omitempty"` // the object that it updates
}

var severities = map[compat.Verdict]finding.Severity{
	compat.Breaks: finding.Error, compat.LosesData: finding.Error, compat.Changes: finding.Warning,
	compat.Unknown: finding.Warning, compat.Loosens: finding.Note, compat.Harmless: finding.Note,
}

// compare returns the effects of replacing the old definition by the new one.
func (e *Engine) compare(ctx context.Context, q *Question) (any, error) {
	d, old := e.definition(q.Definition), checkDefinition(q.Old)
	switch {
	case d.crd == nil:
		return nil, errUnread
	case old.crd == nil:
		return nil, errors.New("the previous definition cannot be read yet")
	}
	report, err := compat.Compare(ctx, old.crd, d.crd, nil)
	if err != nil {
		return nil, err
	}
	out := &Comparison{Worst: string(report.Worst()), Severity: severities[report.Worst()], Changes: []Change{}}
	for i := range report.Findings {
		f := &report.Findings[i]
		if len(out.Changes) == maxFindings {
			out.Omitted++
			continue
		}
		c := Change{Verdict: string(f.Verdict), Severity: severities[f.Verdict], Request: f.Request, Version: f.Version, Path: f.Path,
			Check: f.Check, Detail: f.Detail, Before: f.Before, After: f.After}
		if f.Witness != nil {
			c.Object = yamlText(f.Witness.Object)
			if f.Witness.Stored != nil {
				c.Stored = yamlText(f.Witness.Stored)
			}
		}
		out.Changes = append(out.Changes, c)
	}
	order := []finding.Severity{finding.Error, finding.Warning, finding.Note}
	slices.SortStableFunc(out.Changes, func(a, b Change) int { return slices.Index(order, a.Severity) - slices.Index(order, b.Severity) })
	return out, nil
}

// fix returns the text of the definition with bounds added.
func (e *Engine) fix(_ context.Context, q *Question) (any, error) {
	data := []byte(q.Definition)
	for _, b := range q.Bounds {
		parts := yamltext.Split(data)
		if len(parts) == 0 {
			return nil, errUnread
		}
		doc, err := yamltext.Locate(parts[0])
		if err != nil {
			return nil, err
		}
		path, ok := doc.Path(b.Path)
		if !ok {
			return nil, fmt.Errorf("the definition has no %s", b.Path)
		}
		if data, err = yamltext.SetInteger(data, 0, path, b.Keyword, b.Value); err != nil {
			return nil, err
		}
	}
	return string(data), nil
}

// schemaField returns the version, and the field as a list of words, for a path in a schema of the definition. It
// reports false for a path outside of the schemas.
func (d *definition) schemaField(path []field.Segment) (version string, words []string, ok bool) {
	if len(path) < 5 || path[1].Key != "versions" || !path[2].IsIndex || path[3].Key != "schema" || path[2].Index >= len(d.crd.Spec.Versions) {
		return "", nil, false
	}
	version = d.crd.Spec.Versions[path[2].Index].Name
	for rest := path[5:]; len(rest) > 0; rest = rest[1:] { // after openAPIV3Schema
		switch rest[0].Key {
		case "properties":
			if rest = rest[1:]; len(rest) == 0 {
				return version, words, true
			}
			words = append(words, rest[0].Key)
		case "additionalProperties":
			words = append(words, "*")
		case "items":
		default:
			return version, words, true
		}
	}
	return version, words, true
}
