package parity

import (
	"encoding/json"
	"testing"

	k8sfield "k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/parity/gen"
	"github.com/crdkit/crdkit/parity/internal/reference"
	"github.com/crdkit/crdkit/schema"
)

var violations = comparison{
	pkg: "schema", functions: "Decode, Violations", reference: "NewStructural, ValidateStructural", cases: 6000,
	draw: func(s *gen.Source) any { return gen.Schema(s, gen.Schemas{Wild: true, Unsupported: true}) },
	ask: ofText(func(text []byte) []outcome {
		theirs, refused := reference.Violations(k8sfield.NewPath("spec", "validation", "openAPIV3Schema"), text)
		props, failed := schema.Decode(text)
		if refused != nil || failed != nil {
			return []outcome{{failed != nil, refused != nil, true}}
		}
		return []outcome{errorsOutcome(schema.Violations(field.NewPath("spec", "validation", "openAPIV3Schema"), props), theirs)}
	}),
}

// SVL, STC-003: what keeps a schema from being structural.
func TestViolations(t *testing.T) { violations.run(t) }

// What gen takes for structural is so: the other tests stand on it.
func TestStructural(t *testing.T) {
	comparison{
		pkg: "schema", functions: "Compile", reference: "NewStructural, ValidateStructural", cases: 2000,
		draw: func(s *gen.Source) any { return gen.Schema(s, gen.Schemas{Wild: s.OneIn(4)}) },
		ask: ofText(func(text []byte) []outcome {
			theirs, refused := reference.Violations(nil, text)
			props, failed := schema.Decode(text)
			if refused != nil || failed != nil {
				return []outcome{{failed != nil, refused != nil, true}}
			}
			_, ours := schema.Compile(props)
			return []outcome{errorsOutcome(ours, theirs)}
		}),
	}.run(t)
}

// CDC: the document as Go data. Half of the documents have a value somewhere that does not belong there.
func TestDecodeSchema(t *testing.T) {
	comparison{
		pkg: "schema", functions: "Decode, JSONSchemaProps.MarshalJSON", reference: "v1.JSONSchemaProps", cases: 6000,
		draw: func(s *gen.Source) any {
			p := gen.Schema(s, gen.Schemas{Wild: true, Unsupported: true})
			if s.OneIn(2) {
				return gen.Replace(s, p)
			}
			return p
		},
		ask: ofText(func(text []byte) []outcome {
			theirs, refused := reference.Rewrite(text)
			var ours []byte
			props, failed := schema.Decode(text)
			if failed == nil {
				ours, failed = json.Marshal(props)
			}
			if refused != nil || failed != nil {
				return []outcome{{failed != nil, refused != nil, true}}
			}
			return []outcome{{asJSON(ours), asJSON(theirs), false}}
		}),
	}.run(t)
}

// asJSON returns a JSON document as data, in which 1 and 1.0 are one number.
func asJSON(text []byte) any {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return string(text)
	}
	return v
}
