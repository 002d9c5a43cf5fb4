package schema

// A size is how much there is in the compiled form of a schema, the slots being those of its indexes.
type size struct{ nodes, objects, arrays, rare, props, slots int }

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
	s.slots += indexSize(len(p.Properties))
}

// ofObjects reports whether the node of p may need [ObjectKeywords] of its own.
func ofObjects(p *JSONSchemaProps) bool {
	return len(p.Properties) > 0 || p.AdditionalProperties != nil && p.AdditionalProperties.Schema != nil || len(p.Required) > 0 ||
		p.MinProperties != nil || p.MaxProperties != nil
}

// ofArrays reports whether the node of p may need [ArrayKeywords] of its own.
func ofArrays(p *JSONSchemaProps) bool {
	return p.Items != nil || p.MinItems != nil || p.MaxItems != nil || len(p.XListMapKeys) > 0
}

// rare reports whether the node of p may need [RareKeywords] of its own.
func rare(p *JSONSchemaProps) bool {
	return p.Format != "" || p.Default != nil || len(p.Enum) > 0 || len(p.XValidations) > 0 || p.XMapType != nil || combined(p)
}

func combined(p *JSONSchemaProps) bool {
	return len(p.AllOf) > 0 || len(p.AnyOf) > 0 || len(p.OneOf) > 0 || p.Not != nil
}
