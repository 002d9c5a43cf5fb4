package cli

import (
	"fmt"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/finding"
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
