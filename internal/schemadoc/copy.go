package schemadoc

import (
	"maps"
	"slices"

	"github.com/crdkit/crdkit/schema"
)

// MapChildren returns p with what f returns for each schema directly below it, except for nil ones. If nothing changes, it
// returns p itself.
func MapChildren(p *schema.JSONSchemaProps, f func(loc schema.Location, q *schema.JSONSchemaProps) *schema.JSONSchemaProps) *schema.JSONSchemaProps {
	c := Copy{Schema: p}
	for loc, q := range p.Children() {
		if q == nil {
			continue
		}
		if r := f(loc, q); r != q {
			c.Set(loc, r)
		}
	}
	return c.Schema
}

// A Copy is a schema that is copied when it first changes.
type Copy struct {
	Schema  *schema.JSONSchemaProps
	copied  bool
	keyword string // whose list or map was copied last
}

// Own returns the copy, which may be modified, except for the values that its fields refer to.
func (c *Copy) Own() *schema.JSONSchemaProps {
	if !c.copied {
		own := *c.Schema
		c.Schema, c.copied = &own, true
	}
	return c.Schema
}

// Set replaces the schema at a location by q. The calls for the schemas of one keyword must be consecutive.
func (c *Copy) Set(loc schema.Location, q *schema.JSONSchemaProps) {
	p, first := c.Own(), c.keyword != loc.Keyword
	c.keyword = loc.Keyword
	switch loc.Keyword {
	case "not":
		p.Not = q
	case "items":
		if first {
			p.Items = &schema.SchemaOrArray{Schema: p.Items.Schema, Schemas: slices.Clone(p.Items.Schemas)}
		}
		if loc == (schema.Location{Keyword: "items"}) { // not in a list
			p.Items.Schema = q
		} else {
			p.Items.Schemas[loc.Index] = q
		}
	case "additionalProperties":
		p.AdditionalProperties = &schema.SchemaOrBool{Allows: p.AdditionalProperties.Allows, Schema: q}
	case "additionalItems":
		p.AdditionalItems = &schema.SchemaOrBool{Allows: p.AdditionalItems.Allows, Schema: q}
	case "dependencies":
		setKey(&p.Dependencies, loc.Name, schema.SchemaOrStrings{Schema: q, Property: p.Dependencies[loc.Name].Property}, first)
	case "properties":
		setKey(&p.Properties, loc.Name, q, first)
	case "patternProperties":
		setKey(&p.PatternProperties, loc.Name, q, first)
	case "definitions":
		setKey(&p.Definitions, loc.Name, q, first)
	case "allOf":
		setIndex(&p.AllOf, loc.Index, q, first)
	case "anyOf":
		setIndex(&p.AnyOf, loc.Index, q, first)
	case "oneOf":
		setIndex(&p.OneOf, loc.Index, q, first)
	}
}

// setKey sets a key of *m, after replacing *m by a clone if it is the first one.
func setKey[V any](m *map[string]V, key string, v V, first bool) {
	if first {
		*m = maps.Clone(*m)
	}
	(*m)[key] = v
}

// setIndex is setKey for an element of a list.
func setIndex(l *[]*schema.JSONSchemaProps, i int, q *schema.JSONSchemaProps, first bool) {
	if first {
		*l = slices.Clone(*l)
	}
	(*l)[i] = q
}

// Preserves reports whether p has x-kubernetes-preserve-unknown-fields: true. Nil has no keywords.
func Preserves(p *schema.JSONSchemaProps) bool {
	return p != nil && p.XPreserveUnknownFields != nil && *p.XPreserveUnknownFields
}
