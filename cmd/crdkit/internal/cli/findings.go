package cli

import (
	"github.com/crdkit/crdkit/cmd/crdkit/internal/output"
	"github.com/crdkit/crdkit/internal/tool/finding"
)

// A result has the findings about a document.
type result struct {
	finding.List
	d      *document
	stored map[string]any // the object or definition as a server answers it; nil if it is refused, or not known
	// unconverted says that only a conversion webhook knows the rest of the answer.
	unconverted bool
}

func newResult(d *document) *result {
	return &result{List: finding.List{Object: d.Object}, d: d}
}

// setDetails sets the details of the report. text prints one of them.
func setDetails[T any](e *env, details []T, text func(of *T, w *output.Writer)) {
	e.report.Details = details
	e.report.Text = func(w *output.Writer) {
		for i := range details {
			text(&details[i], w)
		}
	}
}

// addFindings adds the findings of a document to the report.
//
//go:noinline
func (e *env) addFindings(r *result) {
	for _, f := range r.d.inFile(r.Findings) {
		f.Object = r.d.title()
		e.report.Add(f)
	}
}

// addFinding adds a finding at the start of a document to the report.
func (e *env) addFinding(d *document, severity finding.Severity, code finding.Code, message string) {
	r := newResult(d)
	r.Say(severity, code, message)
	e.addFindings(r)
}
