package report

import (
	"net/url"
	"strings"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/output"
	"github.com/crdkit/crdkit/crdlint"
	"github.com/crdkit/crdkit/internal/tool/finding"
)

// github prints a workflow command for each finding. GitHub shows ten annotations for each severity in a step.
func (r *Report) github(w *output.Writer) {
	levels := map[finding.Severity]string{finding.Error: "error", finding.Warning: "warning", finding.Note: "notice"}
	for _, g := range r.groups() {
		w.Annotate(levels[g.Severity], g.File, g.Line, g.Column, g.Object, fullMessage(g))
	}
}

// fullMessage returns the message with the example, other places and the hints below it.
func fullMessage(g *group) string {
	var b strings.Builder
	b.WriteString(g.Message)
	for _, line := range g.lines() {
		b.WriteString("\n" + line)
	}
	for _, h := range g.Hints {
		b.WriteString("\nhint: " + h)
	}
	return b.String()
}

// The parts of SARIF 2.1.0 that a report uses.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string           `json:"name"`
		Version        string           `json:"version,omitempty"`
		InformationURI string           `json:"informationUri"`
		Rules          []map[string]any `json:"rules"`
	}
	sarifResult struct {
		RuleID    string            `json:"ruleId"`
		RuleIndex int               `json:"ruleIndex"`
		Level     string            `json:"level"`
		Message   map[string]string `json:"message"`
		Locations []sarifLocation   `json:"locations"`
	}
	sarifLocation struct {
		Physical sarifPhysical       `json:"physicalLocation"`
		Logical  []map[string]string `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact map[string]string `json:"artifactLocation"`
		Region   *sarifRegion      `json:"region,omitempty"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
	}
)

func (r *Report) sarif(w *output.Writer, version string) error {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "crdkit", Version: version, InformationURI: "https://github.com/crdkit/crdkit", Rules: []map[string]any{}}
	rules := map[string]int{}
	for _, f := range r.Findings {
		id := f.Check()
		if _, ok := rules[id]; !ok {
			rules[id] = len(rules)
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule(id))
		}
		run.Results = append(run.Results, sarifResult{
			id, rules[id], string(f.Severity), map[string]string{"text": fullMessage(&group{Finding: f})}, []sarifLocation{newSARIFLocation(f)},
		})
	}
	return w.JSON(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

// sarifRule returns the description of a rule. Lints have a page.
func sarifRule(id string) map[string]any {
	text := func(text string) map[string]string { return map[string]string{"text": text} }
	for _, l := range crdlint.Lints() {
		if l.Name == id {
			return map[string]any{
				"id": id, "shortDescription": text(l.Title), "fullDescription": text(l.Why),
				"helpUri": "https://github.com/crdkit/crdkit/blob/main/docs/lints.md#" + id,
			}
		}
	}
	return map[string]any{"id": id, "shortDescription": text(finding.Describe(id))}
}

func newSARIFLocation(f *finding.Finding) sarifLocation {
	location := sarifLocation{Physical: sarifPhysical{Artifact: map[string]string{"uri": fileURI(f.File)}}}
	if f.Line > 0 {
		location.Physical.Region = &sarifRegion{f.Line, f.Column}
	}
	if f.Object != "" {
		location.Logical = append(location.Logical, map[string]string{"fullyQualifiedName": f.Object, "kind": "object"})
	}
	if f.Path != "" {
		location.Logical = append(location.Logical, map[string]string{"fullyQualifiedName": f.Path, "kind": "member"})
	}
	return location
}

// fileURI returns the name of a file as a URI, which is relative if the name is.
func fileURI(name string) string {
	name = strings.Trim(name, "<>") // the name of standard input
	if len(name) > 2 && name[1] == ':' && name[2] == '/' {
		name = "/" + name // the name begins with a drive of Windows
	}
	u := url.URL{Path: name}
	if strings.HasPrefix(name, "/") {
		u.Scheme = "file"
	}
	return u.String()
}
