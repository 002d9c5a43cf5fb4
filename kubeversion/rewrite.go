package kubeversion

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/schema"
)

// A place is the position of a schema in a document.
type place struct {
	above *place
	key   string // or an index in brackets
	depth int
	// lenient: a strict decoder does not check this place. A server's types for items, additionalProperties,
	// additionalItems and dependencies decode themselves, and not strictly.
	lenient bool
}

func (p *place) below(key string) *place { return &place{p, key, p.depth + 1, p.lenient} }

func (p *place) item(i int) *place { return p.below("[" + strconv.Itoa(i) + "]") }

func (p *place) leniently(key string) *place { return &place{p, key, p.depth + 1, true} }

// String returns the path as a strict decoder writes it.
func (p *place) String() string {
	var b strings.Builder
	p.write(&b)
	return b.String()
}

func (p *place) write(b *strings.Builder) {
	if p.above != nil {
		p.above.write(b)
		if !strings.HasPrefix(p.key, "[") {
			b.WriteByte('.')
		}
	}
	b.WriteString(p.key)
}

// An edit returns the schema that replaces p at a place: p itself if there is nothing to change.
type edit func(p *schema.JSONSchemaProps, at *place) *schema.JSONSchemaProps

// rewrite applies f to p and to every schema below it, under any keyword, and returns the result. Unchanged parts are
// shared. Schemas beyond [schema.MaxDepth], which no server accepts, stay unchanged.
func rewrite(p *schema.JSONSchemaProps, at *place, f edit) *schema.JSONSchemaProps {
	if p == nil || at.depth > 3*schema.MaxDepth {
		return p
	}
	c := copying{p: p, edit: f}
	if p.Items != nil {
		if s, list := rewrite(p.Items.Schema, at.leniently("items"), f), c.list(p.Items.Schemas, at.leniently("items")); s != p.Items.Schema || list != nil {
			c.own().Items = &schema.SchemaOrArray{Schema: s, Schemas: p.Items.Schemas}
			if list != nil {
				c.q.Items.Schemas = list
			}
		}
	}
	for _, b := range [...]struct {
		key string
		of  func(p *schema.JSONSchemaProps) *[]*schema.JSONSchemaProps
	}{
		{"allOf", func(p *schema.JSONSchemaProps) *[]*schema.JSONSchemaProps { return &p.AllOf }},
		{"anyOf", func(p *schema.JSONSchemaProps) *[]*schema.JSONSchemaProps { return &p.AnyOf }},
		{"oneOf", func(p *schema.JSONSchemaProps) *[]*schema.JSONSchemaProps { return &p.OneOf }},
	} {
		if list := *b.of(p); len(list) > 0 {
			if list = c.list(list, at.below(b.key)); list != nil {
				*b.of(c.own()) = list
			}
		}
	}
	if s := rewrite(p.Not, at.below("not"), f); s != p.Not {
		c.own().Not = s
	}
	for _, m := range [...]struct {
		key string
		of  func(p *schema.JSONSchemaProps) *map[string]*schema.JSONSchemaProps
	}{
		{"properties", func(p *schema.JSONSchemaProps) *map[string]*schema.JSONSchemaProps { return &p.Properties }},
		{"patternProperties", func(p *schema.JSONSchemaProps) *map[string]*schema.JSONSchemaProps { return &p.PatternProperties }},
		{"definitions", func(p *schema.JSONSchemaProps) *map[string]*schema.JSONSchemaProps { return &p.Definitions }},
	} {
		if values := *m.of(p); len(values) > 0 {
			if values = c.values(values, at.below(m.key)); values != nil {
				*m.of(c.own()) = values
			}
		}
	}
	if a := p.AdditionalProperties; a != nil {
		if s := rewrite(a.Schema, at.leniently("additionalProperties"), f); s != a.Schema {
			c.own().AdditionalProperties = &schema.SchemaOrBool{Allows: a.Allows, Schema: s}
		}
	}
	if a := p.AdditionalItems; a != nil {
		if s := rewrite(a.Schema, at.leniently("additionalItems"), f); s != a.Schema {
			c.own().AdditionalItems = &schema.SchemaOrBool{Allows: a.Allows, Schema: s}
		}
	}
	var dependencies map[string]schema.SchemaOrStrings
	for k, d := range p.Dependencies {
		if s := rewrite(d.Schema, at.leniently("dependencies").below(k), f); s != d.Schema {
			if dependencies == nil {
				dependencies = maps.Clone(p.Dependencies)
			}
			dependencies[k] = schema.SchemaOrStrings{Schema: s, Property: d.Property}
		}
	}
	if dependencies != nil {
		c.own().Dependencies = dependencies
	}
	if c.q != nil {
		p = c.q
	}
	return f(p, at)
}

// A copying copies p on the first change.
type copying struct {
	p, q *schema.JSONSchemaProps
	edit edit
}

func (c *copying) own() *schema.JSONSchemaProps {
	if c.q == nil {
		q := *c.p
		c.q = &q
	}
	return c.q
}

// list returns the rewritten l, or nil if it is unchanged.
func (c *copying) list(l []*schema.JSONSchemaProps, at *place) (own []*schema.JSONSchemaProps) {
	for i, s := range l {
		if r := rewrite(s, at.item(i), c.edit); r != s {
			if own == nil {
				own = slices.Clone(l)
			}
			own[i] = r
		}
	}
	return own
}

// values returns the rewritten m, or nil if it is unchanged.
func (c *copying) values(m map[string]*schema.JSONSchemaProps, at *place) (own map[string]*schema.JSONSchemaProps) {
	for k, s := range m {
		if r := rewrite(s, at.below(k), c.edit); r != s {
			if own == nil {
				own = maps.Clone(m)
			}
			own[k] = r
		}
	}
	return own
}
