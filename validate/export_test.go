package validate

import (
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/schema"
)

// Report is Value without the verdict first: it enters every part of the value, whether or not there is something to say.
func Report(n *schema.Node, v any) field.List {
	r := reporter{}
	r.value(n, v, nil, probeDepth)
	return r.errs
}

// Tally is what the choice of a best branch counts, and its verdict.
func Tally(n *schema.Node, v any) (int, bool) { return tally(n, v) }
