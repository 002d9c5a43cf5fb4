package compat

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A Verdict says what a change does.
type Verdict string

// The verdicts, from the worst to the best.
const (
	Breaks    Verdict = "breaks"     // accepted before, refused now
	LosesData Verdict = "loses data" // accepted, and values are dropped
	Changes   Verdict = "changes"    // accepted, and stored with other values
	Unknown   Verdict = "unknown"    // neither proved to be harmless nor shown to be anything else
	Loosens   Verdict = "loosens"    // accepted now, refused before: readers get values that they never got
	Harmless  Verdict = "harmless"   // proved to change nothing
)

// order has the verdicts, from the worst to the best.
var order = []Verdict{Breaks, LosesData, Changes, Unknown, Loosens, Harmless}

// The values of Finding.Request.
const (
	requestCreate     = "create"
	requestUpdate     = "update"
	requestStatus     = "status"
	requestDefinition = "definition"
)

// A Finding is one thing that a change of a definition does.
type Finding struct {
	Verdict Verdict `json:"verdict"`
	// Request is the kind of request with another result: create, update of a stored object, status through the status
	// subresource, or definition, which stands for the update of the definition itself, and for what clients know about
	// it.
	Request string `json:"request,omitempty"`
	Version string `json:"version,omitempty"`
	// Path is a path in the schema, with [*] for the items of a list and the values of a map: spec.ports[*].name.
	Path string `json:"path,omitempty"`
	// Check is the keyword or the part of the definition. It is crdify's name of the check where crdify has one.
	Check  string `json:"check,omitempty"`
	Detail string `json:"detail"` // one sentence
	// Before and After are what the definitions say, shortened if they are long.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// Witness proves a finding about objects. It is nil for [Unknown], [Harmless] and the request definition.
	Witness *Witness `json:"witness,omitempty"`
}

// A Witness is a request that shows what a finding says: both definitions handled it. Stored is nil for a create;
// otherwise Object replaces it.
type Witness struct {
	Stored map[string]any `json:"stored,omitempty"`
	Object map[string]any `json:"object"`
}

// Name returns the version, check, request and path of the finding, without those that are empty and without the
// request create.
// It does not depend on the values that a finding is about, so that it can name a finding that is accepted.
func (f *Finding) Name() string {
	parts := []string{f.Check}
	if f.Version != "" {
		parts = []string{f.Version, f.Check}
	}
	if f.Request != "" && f.Request != requestCreate {
		parts = append(parts, f.Request)
	}
	if f.Path != "" {
		parts = append(parts, f.Path)
	}
	return strings.Join(parts, " ")
}

// String returns a line about the finding, without its witness.
func (f *Finding) String() string {
	s := fmt.Sprintf("%s: %s: %s", f.Verdict, f.Name(), f.Detail)
	if f.Before != "" || f.After != "" {
		s += fmt.Sprintf(" (%s, now %s)", f.Before, f.After)
	}
	return s
}

// A Report is the result of [Compare] or [Versions]. Findings are sorted by version, in the order of the old
// definition, then by path, check and request.
type Report struct {
	Findings []Finding
	// NotCompared is the number of schemas that were not compared because there are too many, because they are too deep,
	// or because no effort was left, each with everything below it. Of Versions, it is also the number of pairs that
	// were not compared. If it is not 0, there is a finding of the check notCompared.
	NotCompared int
	// Omitted is the number of findings that are not listed because there are too many.
	Omitted int
	// Unconverted says that a conversion webhook, which is not given, converts in a version whose schemas differ: the
	// requests of that version are answered without what only the webhook knows.
	Unconverted bool
}

// Worst returns the worst verdict of the findings, or [Harmless] if there are none. The order is that of the constants.
func (r *Report) Worst() Verdict {
	for _, v := range order {
		if slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Verdict == v }) {
			return v
		}
	}
	return Harmless
}

// maxText bounds the length of the text of a report.
const maxText = 32 << 10

// String returns the findings, the worst first, each as a line that its witness follows as JSON. It is cut at 32 KiB,
// at the end of a finding.
func (r *Report) String() string {
	var b strings.Builder
	left := len(r.Findings) + r.Omitted
	for _, v := range order {
		for i := range r.Findings {
			f := &r.Findings[i]
			if f.Verdict != v {
				continue
			}
			text := f.String() + "\n"
			if w := f.Witness; w != nil {
				if w.Stored != nil {
					text += "  stored: " + compact(w.Stored) + "\n"
				}
				text += "  object: " + compact(w.Object) + "\n"
			}
			if b.Len()+len(text) > maxText {
				return b.String() + fmt.Sprintf("and %d more\n", left)
			}
			b.WriteString(text)
			left--
		}
	}
	if left > 0 {
		fmt.Fprintf(&b, "and %d more\n", left)
	}
	return b.String()
}

// compact returns a value as JSON on one line.
func compact(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// JSON returns the whole report as a JSON document: {"worst": VERDICT, "findings": [...]}. Each finding also has its
// name. It also has the numbers notCompared and omitted if they are not 0, and unconverted if it is true.
func (r *Report) JSON() []byte {
	type finding struct {
		Name string `json:"name"`
		*Finding
	}
	doc := struct {
		Worst       Verdict   `json:"worst"`
		Findings    []finding `json:"findings"`
		NotCompared int       `json:"notCompared,omitempty"`
		Omitted     int       `json:"omitted,omitempty"`
		Unconverted bool      `json:"unconverted,omitempty"`
	}{r.Worst(), []finding{}, r.NotCompared, r.Omitted, r.Unconverted}
	for i := range r.Findings {
		doc.Findings = append(doc.Findings, finding{r.Findings[i].Name(), &r.Findings[i]})
	}
	text, err := json.MarshalIndent(doc, "", "  ")
	if err != nil { // Invariant: witnesses are JSON values.
		return []byte("{}")
	}
	return append(text, '\n')
}
