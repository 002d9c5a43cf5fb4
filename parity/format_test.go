package parity

import (
	"testing"

	"k8s.io/kube-openapi/pkg/validation/strfmt"

	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/parity/gen"
)

// FMT-002 to FMT-007: each format on each text, whichever it was made for.
func TestFormats(t *testing.T) {
	names := gen.Formats()
	comparison{
		pkg: "internal/format", functions: "Lookup, Format.Valid", reference: "strfmt.Default", cases: 20000,
		draw: func(s *gen.Source) any { return gen.FormatText(s) },
		ask: func(sample any) (outcomes []outcome) {
			v, ok := sample.(string)
			if !ok {
				return nil
			}
			for _, name := range names {
				theirs := strfmt.Default.Validates(name, v)
				f := format.Lookup(name)
				if f == nil {
					return []outcome{{ours: name + " is unknown"}}
				}
				o := outcome{f.Valid(v), theirs, theirs}
				if o.differs() {
					o.ours, o.theirs = map[string]any{name: o.ours}, map[string]any{name: theirs}
				}
				outcomes = append(outcomes, o)
			}
			return outcomes
		},
	}.run(t)
}
