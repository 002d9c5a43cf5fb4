package parity

import (
	"testing"

	k8sfield "k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/parity/gen"
	"github.com/crdkit/crdkit/validate"
)

var validated = comparison{
	pkg: "validate", functions: "Validate", reference: "ValidateCustomResource, objectmeta.Validate, listtype.ValidateListSetsAndMaps", cases: 4000,
	draw: objectsOf(gen.Schemas{}),
	ask: eachObject(func(p *pair, obj map[string]any) []outcome {
		theirs := append(p.theirs.Value(nil, obj), p.theirs.Embedded(nil, obj)...)
		theirs = append(theirs, p.theirs.Lists(nil, obj)...)
		return []outcome{errorsOutcome(validate.Validate(p.ours, obj), theirs)}
	}),
}

// STR-011 steps 3, 5 and 6.
func TestValidate(t *testing.T) { validated.run(t) }

// VAL, FMT, ERR: values of any kind, at the root and below a path; schemas that no server takes, too.
func TestValue(t *testing.T) {
	comparison{
		pkg: "validate", functions: "Value", reference: "validation.ValidateCustomResource", cases: 8000,
		draw: valuesOf(gen.Schemas{Wild: true}),
		ask: each(func(p *pair, v any) []outcome {
			return []outcome{
				errorsOutcome(validate.Value(p.inner, nil, v), p.theirs.Value(nil, v)),
				errorsOutcome(validate.Value(p.inner, field.NewPath("status").Index(1).Key("k"), v),
					p.theirs.Value(k8sfield.NewPath("status").Index(1).Key("k"), v)),
			}
		}),
	}.run(t)
}

// OME-020 to OME-022.
func TestEmbedded(t *testing.T) {
	comparison{
		pkg: "validate", functions: "Embedded", reference: "objectmeta.Validate", cases: 4000,
		draw: func(s *gen.Source) any { return resources(s) },
		ask: each(func(p *pair, v any) []outcome {
			return []outcome{
				errorsOutcome(validate.Embedded(p.inner, nil, v), p.theirs.Embedded(nil, v)),
				errorsOutcome(validate.Embedded(p.inner, field.NewPath("a"), v), p.theirs.Embedded(k8sfield.NewPath("a"), v)),
			}
		}),
	}.run(t)
}

// resources makes a schema with an embedded resource, and values for it.
func resources(s *gen.Source) map[string]any {
	p := map[string]any{
		"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true,
		"properties": map[string]any{"spec": gen.Node(s, gen.Schemas{}), "b": gen.Node(s, gen.Schemas{})},
	}
	switch s.Intn(4) {
	case 1:
		p = map[string]any{"type": "array", "items": p}
	case 2:
		p = map[string]any{"type": "object", "additionalProperties": p}
	case 3:
		p = map[string]any{"type": "object", "properties": map[string]any{"a.b": p}}
	}
	values := given.List(4, func(int) any { return gen.Object{Source: s, Odd: 12}.Value(p, 3) })
	return map[string]any{"schema": p, "objects": values}
}

// LST-001 to LST-009.
func TestLists(t *testing.T) {
	comparison{
		pkg: "validate", functions: "Lists", reference: "listtype.ValidateListSetsAndMaps", cases: 6000,
		draw: func(s *gen.Source) any {
			p := map[string]any{"type": "object", "properties": map[string]any{"a": gen.List(s), "b": gen.List(s), "c": gen.Node(s, gen.Schemas{})}}
			if s.OneIn(4) {
				p["additionalProperties"] = gen.List(s)
			}
			values := given.List(4, func(int) any { return gen.Object{Source: s, Odd: 12}.Value(p, 3) })
			return map[string]any{"schema": p, "objects": values}
		},
		ask: eachObject(func(p *pair, obj map[string]any) []outcome {
			return []outcome{
				errorsOutcome(validate.Lists(p.inner, nil, obj), p.theirs.Lists(nil, obj)),
				errorsOutcome(validate.Lists(p.inner, field.NewPath("a"), obj), p.theirs.Lists(k8sfield.NewPath("a"), obj)),
			}
		}),
	}.run(t)
}
