package single

import (
	"maps"
	"slices"

	"github.com/crdkit/crdkit/internal/constraint"
	"github.com/crdkit/crdkit/schema"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// alone returns the part of a schema that a rule needs: the nodes on the way to it, with the scalars beside them (by which the items of a
// list find their old ones), and all beneath it. It has no other rule.
func alone(p *schema.JSONSchemaProps, schemaPath constraint.Steps, index int) *schema.JSONSchemaProps {
	if p == nil {
		return nil
	}
	if len(schemaPath) == 0 {
		q := bare(p)
		q.XValidations = p.XValidations[index : index+1]
		return q
	}
	q := shallow(p)
	switch step := schemaPath[0]; {
	case step.Item:
		q.Items = &schema.SchemaOrArray{Schema: alone(p.Items.Schema, schemaPath[1:], index)}
	case step.Other:
		q.AdditionalProperties = &schema.SchemaOrBool{Allows: true, Schema: alone(p.AdditionalProperties.Schema, schemaPath[1:], index)}
	default:
		q.Properties = map[string]*schema.JSONSchemaProps{}
		for name, child := range p.Properties {
			if name == step.Name {
				q.Properties[name] = alone(child, schemaPath[1:], index)
			} else if child != nil && child.Type != "object" && child.Type != "array" {
				q.Properties[name] = bare(child)
			}
		}
	}
	return q
}

// shallow returns p without rules, without combinators, which no rule sees, and without the schemas of what is in it.
func shallow(p *schema.JSONSchemaProps) *schema.JSONSchemaProps {
	q := *p
	q.XValidations, q.AllOf, q.AnyOf, q.OneOf, q.Not, q.Default = nil, nil, nil, nil, nil, nil
	q.Properties, q.Items, q.AdditionalProperties = nil, nil, nil
	return &q
}

// bare returns p without the rules at it and beneath it, and without combinators.
func bare(p *schema.JSONSchemaProps) *schema.JSONSchemaProps {
	if p == nil {
		return nil
	}
	q := shallow(p)
	if p.Properties != nil {
		q.Properties = make(map[string]*schema.JSONSchemaProps, len(p.Properties))
		for name, child := range p.Properties {
			q.Properties[name] = bare(child)
		}
	}
	if p.Items != nil {
		q.Items = &schema.SchemaOrArray{Schema: bare(p.Items.Schema), Schemas: p.Items.Schemas}
	}
	if p.AdditionalProperties != nil {
		q.AdditionalProperties = &schema.SchemaOrBool{Allows: p.AdditionalProperties.Allows, Schema: bare(p.AdditionalProperties.Schema)}
	}
	return q
}
