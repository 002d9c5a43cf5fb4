package schema

import "github.com/crdkit/crdkit/internal/plan"

// A size counts what the compiled form of a schema has; slots are those of its indexes.
type size struct{ nodes, objects, arrays, rare, props, slots, rules int }

// add counts p itself.
func (s *size) add(p *JSONSchemaProps) {
	s.nodes++
	if ofObjects(p) {
		s.objects++
	}
	if ofArrays(p) {
		s.arrays++
	}
	if rare(p) {
		s.rare++
	}
	s.props += len(p.Properties)
	s.rules += len(p.XValidations)
	s.slots += plan.IndexSize(len(p.Properties))
}

// ofObjects reports whether the node of p may need [plan.ObjectKeywords] of its own.
func ofObjects(p *JSONSchemaProps) bool {
	return len(p.Properties) > 0 || p.AdditionalProperties != nil && p.AdditionalProperties.Schema != nil || len(p.Required) > 0 ||
		p.MinProperties != nil || p.MaxProperties != nil
}

// ofArrays reports whether the node of p may need [plan.ArrayKeywords] of its own.
func ofArrays(p *JSONSchemaProps) bool {
	return p.Items != nil || p.MinItems != nil || p.MaxItems != nil || len(p.XListMapKeys) > 0
}

// rare reports whether the node of p may need [plan.RareKeywords] of its own.
func rare(p *JSONSchemaProps) bool {
	return p.Format != "" || p.Default != nil || len(p.Enum) > 0 || len(p.XValidations) > 0 || p.XMapType != nil || hasCombinators(p)
}

func hasCombinators(p *JSONSchemaProps) bool {
	return len(p.AllOf) > 0 || len(p.AnyOf) > 0 || len(p.OneOf) > 0 || p.Not != nil
}
