package constraint

import (
	"slices"

	"github.com/crdkit/crdkit/internal/schemadoc"
	"github.com/crdkit/crdkit/schema"
)

// alone returns the part of a schema that a rule needs: the nodes from the root to it, the keys of list maps on the way
// (by which items are correlated with old ones), and all nodes below it. It has no other rule.
func alone(p *schema.JSONSchemaProps, schemaPath Steps, index int) *schema.JSONSchemaProps {
	return aloneIn(p, schemaPath, index, nil)
}

// aloneIn is alone for a node that has keys as the item of a list map.
func aloneIn(p *schema.JSONSchemaProps, schemaPath Steps, index int, keys []string) *schema.JSONSchemaProps {
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
	for _, key := range keys {
		if child := p.Properties[key]; child != nil {
			q.Properties = with(q.Properties, key, withoutRules(child))
		}
	}
	switch step, rest := schemaPath[0], schemaPath[1:]; {
	case step.Item:
		q.Items = &schema.SchemaOrArray{Schema: aloneIn(p.Items.Schema, rest, index, p.XListMapKeys)}
	case step.Other:
		q.AdditionalProperties = &schema.SchemaOrBool{Allows: true, Schema: alone(p.AdditionalProperties.Schema, rest, index)}
	default:
		q.Properties = with(q.Properties, step.Name, alone(p.Properties[step.Name], rest, index))
	}
	q.Required = slices.DeleteFunc(slices.Clone(q.Required), func(name string) bool { return q.Properties[name] == nil })
	return q
}

func with(properties map[string]*schema.JSONSchemaProps, name string, p *schema.JSONSchemaProps) map[string]*schema.JSONSchemaProps {
	if properties == nil {
		properties = map[string]*schema.JSONSchemaProps{}
	}
	properties[name] = p
	return properties
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
	return schemadoc.MapChildren(plain(p), func(_ schema.Location, q *schema.JSONSchemaProps) *schema.JSONSchemaProps { return withoutRules(q) })
}
