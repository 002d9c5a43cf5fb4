package schema

import "encoding/json"

// Value returns the schema as generic values, the reverse of [FromValue]: an openAPIV3Schema with the keys that a server writes.
// What is false, zero, nil or empty is left out, but for keywords whose zero says something: `minimum: 0` and `$ref: ""`
// stay, `nullable: false`, `required: []` and `properties: {}` vanish. An items without a schema is null.
//
// The maps and lists are new, but for the values of default, example and enum: these belong to p, and must not be modified while
// p is in use. The value of a nil p is nil. p must not contain itself.
func (p *JSONSchemaProps) Value() any {
	if p == nil {
		return nil
	}
	m := make(map[string]any)
	putText(m, "id", p.ID)
	putText(m, "$schema", p.Schema)
	put(m, "$ref", p.Ref)
	putText(m, "description", p.Description)
	putText(m, "type", p.Type)
	putText(m, "format", p.Format)
	putText(m, "title", p.Title)
	if p.Default != nil {
		m["default"] = p.Default
	}
	putFlag(m, "nullable", p.Nullable)

	put(m, "maximum", p.Maximum)
	putFlag(m, "exclusiveMaximum", p.ExclusiveMaximum)
	put(m, "minimum", p.Minimum)
	putFlag(m, "exclusiveMinimum", p.ExclusiveMinimum)
	put(m, "multipleOf", p.MultipleOf)
	put(m, "maxLength", p.MaxLength)
	put(m, "minLength", p.MinLength)
	putText(m, "pattern", p.Pattern)
	put(m, "maxItems", p.MaxItems)
	put(m, "minItems", p.MinItems)
	putFlag(m, "uniqueItems", p.UniqueItems)
	put(m, "maxProperties", p.MaxProperties)
	put(m, "minProperties", p.MinProperties)
	if len(p.Enum) > 0 {
		m["enum"] = p.Enum[:len(p.Enum):len(p.Enum)]
	}
	putTexts(m, "required", p.Required)

	putSchemas(m, "properties", p.Properties)
	putSchemas(m, "patternProperties", p.PatternProperties)
	putSchemas(m, "definitions", p.Definitions)
	putList(m, "allOf", p.AllOf)
	putList(m, "oneOf", p.OneOf)
	putList(m, "anyOf", p.AnyOf)
	if p.Not != nil {
		m["not"] = p.Not.Value()
	}
	if p.Items != nil {
		m["items"] = p.Items.value()
	}
	if p.AdditionalProperties != nil {
		m["additionalProperties"] = p.AdditionalProperties.value()
	}
	if p.AdditionalItems != nil {
		m["additionalItems"] = p.AdditionalItems.value()
	}
	if len(p.Dependencies) > 0 {
		d := make(map[string]any, len(p.Dependencies))
		for k, v := range p.Dependencies {
			d[k] = v.value()
		}
		m["dependencies"] = d
	}
	if p.ExternalDocs != nil {
		docs := make(map[string]any)
		putText(docs, "description", p.ExternalDocs.Description)
		putText(docs, "url", p.ExternalDocs.URL)
		m["externalDocs"] = docs
	}
	if p.Example != nil {
		m["example"] = p.Example
	}

	put(m, "x-kubernetes-preserve-unknown-fields", p.XPreserveUnknownFields)
	putFlag(m, "x-kubernetes-embedded-resource", p.XEmbeddedResource)
	putFlag(m, "x-kubernetes-int-or-string", p.XIntOrString)
	putTexts(m, "x-kubernetes-list-map-keys", p.XListMapKeys)
	put(m, "x-kubernetes-list-type", p.XListType)
	put(m, "x-kubernetes-map-type", p.XMapType)
	if len(p.XValidations) > 0 {
		rules := make([]any, len(p.XValidations))
		for i := range p.XValidations {
			rules[i] = p.XValidations[i].value()
		}
		m["x-kubernetes-validations"] = rules
	}
	return m
}

// MarshalJSON writes the schema as [JSONSchemaProps.Value] has it, its keys sorted.
func (p JSONSchemaProps) MarshalJSON() ([]byte, error) { return json.Marshal(p.Value()) }

// UnmarshalJSON is [Decode] for encoding/json: a schema may be a field of somebody's struct. An error leaves p as it was.
// A JSON null does so, too.
func (p *JSONSchemaProps) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	decoded, err := Decode(data)
	if err != nil {
		return err
	}
	*p = *decoded
	return nil
}

func (s *SchemaOrArray) value() any {
	if len(s.Schemas) > 0 {
		return schemaValues(s.Schemas)
	}
	return s.Schema.Value()
}

func (s *SchemaOrBool) value() any {
	if s.Schema != nil {
		return s.Schema.Value()
	}
	return s.Allows
}

func (s SchemaOrStrings) value() any {
	if len(s.Property) > 0 {
		return textValues(s.Property)
	}
	return s.Schema.Value()
}

func (r *ValidationRule) value() map[string]any {
	m := map[string]any{"rule": r.Rule}
	putText(m, "message", r.Message)
	putText(m, "messageExpression", r.MessageExpression)
	put(m, "reason", r.Reason)
	putText(m, "fieldPath", r.FieldPath)
	put(m, "optionalOldSelf", r.OptionalOldSelf)
	return m
}

func put[T any](m map[string]any, key string, v *T) {
	if v != nil {
		m[key] = *v
	}
}

func putText(m map[string]any, key, v string) {
	if v != "" {
		m[key] = v
	}
}

func putFlag(m map[string]any, key string, v bool) {
	if v {
		m[key] = v
	}
}

func putTexts(m map[string]any, key string, v []string) {
	if len(v) > 0 {
		m[key] = textValues(v)
	}
}

func putSchemas(m map[string]any, key string, v map[string]*JSONSchemaProps) {
	if len(v) == 0 {
		return
	}
	out := make(map[string]any, len(v))
	for k, p := range v {
		out[k] = p.Value()
	}
	m[key] = out
}

func putList(m map[string]any, key string, v []*JSONSchemaProps) {
	if len(v) > 0 {
		m[key] = schemaValues(v)
	}
}

func schemaValues(l []*JSONSchemaProps) []any {
	out := make([]any, len(l))
	for i, p := range l {
		out[i] = p.Value()
	}
	return out
}

func textValues(l []string) []any {
	out := make([]any, len(l))
	for i, s := range l {
		out[i] = s
	}
	return out
}
