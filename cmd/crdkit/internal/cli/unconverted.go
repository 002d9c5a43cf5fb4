package cli

import (
	"fmt"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/tool/finding"
)

// noteUnconverted adds a note to the first object of a definition whose answer only the conversion webhook knows.
func (e *env) noteUnconverted(d *document, definition string) {
	r := newResult(d)
	at, _ := r.Key([]field.Segment{{Key: "apiVersion"}})
	r.Add(finding.Finding{
		Severity: finding.Note, Code: finding.Unconverted, Path: "apiVersion", Pointer: "/apiVersion",
		Message: fmt.Sprintf("what a server stores and answers is not known: %s has a conversion webhook, which is not called", definition),
		Hints:   []string{"objects in versions that the webhook converts are only validated in their own version"},
	}, at)
	e.addFindings(r)
}

// noteUnconverted adds a note to the definition if only its conversion webhook knows a part of the answers.
func (a *kindAudit) noteUnconverted(r *result) {
	if a.report.Unconverted == 0 {
		return
	}
	r.Add(finding.Finding{
		Severity: finding.Note, Code: finding.Unconverted, Path: "spec.conversion.strategy", Pointer: "/spec/conversion/strategy",
		Message: objectsText(a.report.Unconverted) + " checked in one version only, since the conversion webhook is not called",
		Hints:   []string{"-convert-exec names a program that converts objects as the webhook does"},
	}, a.d.nearestPosition("spec.conversion.strategy"))
}
