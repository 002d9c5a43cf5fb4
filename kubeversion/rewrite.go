package kubeversion

import (
	"maps"
	"slices"
	"strconv"

	"github.com/crdkit/crdkit/schema"
)

// A place is where a schema stands in a document.
type place struct {
	path  string
	depth int
	// lenient: a strict decoder does not look here. The types that a server has for items, additionalProperties, additionalItems and
	// dependencies decode themselves, and not strictly.
	lenient bool
}

func (p place) below(key string) place { return place{p.path + "." + key, p.depth + 1, p.lenient} }

func (p place) item(i int) place {
	return place{p.path + "[" + strconv.Itoa(i) + "]", p.depth + 1, p.lenient}
}

func (p place) leniently(key string) place { return place{p.path + "." + key, p.depth + 1, true} }

// rewrite returns p with what f makes of it and of every schema in it, whatever keyword it stands under. f gets the path in the document, and
// returns the schema that it got if there is nothing to change. Parts that do not change are shared. Schemas beyond [schema.MaxDepth], which
// nobody takes, stay as they are.
func rewrite(p *schema.JSONSchemaProps, at place, f func(p *schema.JSONSchemaProps, at place) *schema.JSONSchemaProps) *schema.JSONSchemaProps {
	if p == nil || at.depth > schema.MaxDepth {
		return p
	}
	q := *p
	changed := false
	one := func(to **schema.JSONSchemaProps, at place) {
		if r := rewrite(*to, at, f); r != *to {
			*to, changed = r, true
		}
	}
	list := func(to *[]*schema.JSONSchemaProps, at place) {
		var own []*schema.JSONSchemaProps
		for i, s := range *to {
			if r := rewrite(s, at.item(i), f); r != s {
				if own == nil {
					own = slices.Clone(*to)
				}
				own[i], changed = r, true
			}
		}
		if own != nil {
			*to = own
		}
	}
	values := func(to *map[string]*schema.JSONSchemaProps, at place) {
		var own map[string]*schema.JSONSchemaProps
		for _, k := range slices.Sorted(maps.Keys(*to)) {
			s := (*to)[k]
			if r := rewrite(s, at.below(k), f); r != s {
				if own == nil {
					own = maps.Clone(*to)
				}
				own[k], changed = r, true
			}
		}
		if own != nil {
			*to = own
		}
	}
	either := func(to **schema.SchemaOrBool, at place) {
		if *to == nil {
			return
		}
		a := **to
		if one(&a.Schema, at); a != **to {
			*to = &a
		}
	}
	if p.Items != nil {
		items := *p.Items
		one(&items.Schema, at.leniently("items"))
		list(&items.Schemas, at.leniently("items"))
		q.Items = &items
	}
	list(&q.AllOf, at.below("allOf"))
	list(&q.AnyOf, at.below("anyOf"))
	list(&q.OneOf, at.below("oneOf"))
	one(&q.Not, at.below("not"))
	values(&q.Properties, at.below("properties"))
	either(&q.AdditionalProperties, at.leniently("additionalProperties"))
	values(&q.PatternProperties, at.below("patternProperties"))
	either(&q.AdditionalItems, at.leniently("additionalItems"))
	values(&q.Definitions, at.below("definitions"))
	var dependencies map[string]schema.SchemaOrStrings
	for _, k := range slices.Sorted(maps.Keys(p.Dependencies)) {
		v := p.Dependencies[k]
		before := v.Schema
		if one(&v.Schema, at.leniently("dependencies").below(k)); v.Schema != before {
			if dependencies == nil {
				dependencies = maps.Clone(p.Dependencies)
			}
			dependencies[k] = v
		}
	}
	if dependencies != nil {
		q.Dependencies = dependencies
	}
	if !changed {
		return f(p, at)
	}
	return f(&q, at)
}
