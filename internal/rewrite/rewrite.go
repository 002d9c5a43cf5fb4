package rewrite

import (
	"maps"
	"reflect"
	"slices"

	"github.com/crdkit/crdkit/internal/keyword"
	"github.com/crdkit/crdkit/schema"
)

var keywords = keyword.Of[schema.JSONSchemaProps]()

// Children returns p with the results of f in place of the schemas directly below it, under any keyword: p itself if f
// returns each as it is, otherwise a copy. Nil elements of lists and maps are passed to f, too.
func Children(p *schema.JSONSchemaProps, f func(at schema.Location, q *schema.JSONSchemaProps) *schema.JSONSchemaProps) *schema.JSONSchemaProps {
	out, copied := p, "" // copied is the keyword whose list or map in out is a copy
	for at, q := range p.Children() {
		r := f(at, q)
		if r == q {
			continue
		}
		if out == p {
			own := *p
			out = &own
		}
		set(out, at, q, r, at.Keyword != copied)
		copied = at.Keyword
	}
	return out
}

// set replaces the schema q by r. With shared, the list or map that has q is copied first.
func set(p *schema.JSONSchemaProps, at schema.Location, q, r *schema.JSONSchemaProps, shared bool) {
	i, _ := keywords.Find(at.Keyword)
	switch f := keyword.Field(reflect.ValueOf(p).Elem(), i).(type) {
	case **schema.JSONSchemaProps:
		*f = r
	case *[]*schema.JSONSchemaProps:
		if shared {
			*f = slices.Clone(*f)
		}
		(*f)[at.Index] = r
	case *map[string]*schema.JSONSchemaProps:
		if shared {
			*f = maps.Clone(*f)
		}
		(*f)[at.Name] = r
	case **schema.SchemaOrBool:
		*f = &schema.SchemaOrBool{Allows: (*f).Allows, Schema: r}
	case **schema.SchemaOrArray:
		if shared {
			*f = &schema.SchemaOrArray{Schema: (*f).Schema, Schemas: slices.Clone((*f).Schemas)}
		}
		if q != nil && q == (*f).Schema {
			(*f).Schema = r
		} else {
			(*f).Schemas[at.Index] = r
		}
	case *map[string]schema.SchemaOrStrings:
		if shared {
			*f = maps.Clone(*f)
		}
		(*f)[at.Name] = schema.SchemaOrStrings{Schema: r, Property: (*f)[at.Name].Property}
	}
}
