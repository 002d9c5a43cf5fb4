package check

import (
	"github.com/crdkit/crdkit/internal/cel/eval"
	"github.com/crdkit/crdkit/internal/since"
)

// An environment says which functions an expression may call: those for new or for stored expressions (CEN-001), in a
// minor version.
type environment struct {
	stored bool
	minor  since.Minor
}

// functions returns all functions of an environment, library by library. Only new expressions depend on the minor
// version: from since.ListIncludes on, they have the functions of stored ones, in their order.
func functions(e environment) []*eval.Function {
	all := eval.Functions(e.stored || since.ListIncludes.In(e.minor))
	if e.stored || e.minor == 0 {
		return all
	}
	var known []*eval.Function
	for _, f := range all {
		of := &eval.Function{Name: f.Name}
		for _, o := range f.Overloads {
			if o.Since.In(e.minor) {
				of.Overloads = append(of.Overloads, o)
			}
		}
		if len(of.Overloads) > 0 {
			known = append(known, of)
		}
	}
	return known
}
