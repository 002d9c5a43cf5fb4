package single

import (
	"github.com/crdkit/crdkit/internal/constraint"
	"github.com/crdkit/crdkit/internal/schemacopy"
	"github.com/crdkit/crdkit/schema"
)

// alone returns the part of a schema that a rule needs: the nodes from the root to it, with their scalar properties (by
// which items of a list are correlated with old ones), and all nodes below it. It has no other rule.
func alone(p *schema.JSONSchemaProps, schemaPath constraint.Steps, index int) *schema.JSONSchemaProps {
	if p == nil {
		return nil
	}
	if len(schemaPath) == 0 {
		q := withoutRules(p)
		q.XValidations = p.XValidations[index : index+1]
		return q
	}
	q := plain(p)
	q.Properties, q.Items, q.AdditionalProperties = nil, nil, nil
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
				q.Properties[name] = withoutRules(child)
			}
		}
	}
	return q
}

// plain returns p without its own rules, and without combinators and a default, which do not affect rules.
func plain(p *schema.JSONSchemaProps) *schema.JSONSchemaProps {
	q := *p
	q.XValidations, q.AllOf, q.AnyOf, q.OneOf, q.Not, q.Default = nil, nil, nil, nil, nil, nil
	return &q
}

// withoutRules returns p without the rules at it and below it, and without combinators.
func withoutRules(p *schema.JSONSchemaProps) *schema.JSONSchemaProps {
	if p == nil {
		return nil
	}
	return schemacopy.Children(plain(p), func(_ schema.Location, q *schema.JSONSchemaProps) *schema.JSONSchemaProps { return withoutRules(q) })
}
