package kubeversion

import (
	"maps"
	"slices"
	"strconv"

	"github.com/crdkit/crdkit/schema"
)

// rewrite returns p with what f makes of it and of every schema in it, whatever keyword it stands under. f gets the path in the document, and
// returns the schema that it got if there is nothing to change. Parts that do not change are shared. Schemas beyond [schema.MaxDepth], which
// nobody takes, stay as they are.
func rewrite(p *schema.JSONSchemaProps, at string, depth int, f func(p *schema.JSONSchemaProps, at string) *schema.JSONSchemaProps) *schema.JSONSchemaProps {
	if p == nil || depth > schema.MaxDepth {
		return p
	}
	q := *p
	changed := false
	one := func(to **schema.JSONSchemaProps, at string) {
		if r := rewrite(*to, at, depth+1, f); r != *to {
			*to, changed = r, true
		}
	}
	list := func(to *[]*schema.JSONSchemaProps, at string) {
		var own []*schema.JSONSchemaProps
		for i, s := range *to {
			if r := rewrite(s, at+"["+strconv.Itoa(i)+"]", depth+1, f); r != s {
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
	values := func(to *map[string]*schema.JSONSchemaProps, at string) {
		var own map[string]*schema.JSONSchemaProps
		for _, k := range slices.Sorted(maps.Keys(*to)) {
			s := (*to)[k]
			if r := rewrite(s, at+"."+k, depth+1, f); r != s {
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
	either := func(to **schema.SchemaOrBool, at string) {
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
		one(&items.Schema, at+".items")
		list(&items.Schemas, at+".items")
		q.Items = &items
	}
	list(&q.AllOf, at+".allOf")
	list(&q.AnyOf, at+".anyOf")
	list(&q.OneOf, at+".oneOf")
	one(&q.Not, at+".not")
	values(&q.Properties, at+".properties")
	either(&q.AdditionalProperties, at+".additionalProperties")
	values(&q.PatternProperties, at+".patternProperties")
	either(&q.AdditionalItems, at+".additionalItems")
	values(&q.Definitions, at+".definitions")
	var dependencies map[string]schema.SchemaOrStrings
	for _, k := range slices.Sorted(maps.Keys(p.Dependencies)) {
		v := p.Dependencies[k]
		before := v.Schema
		if one(&v.Schema, at+".dependencies."+k); v.Schema != before {
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
