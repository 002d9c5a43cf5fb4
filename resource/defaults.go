package resource

import (
	"errors"
	"maps"

	"github.com/crdkit/crdkit/internal/embedded"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/prune"
	"github.com/crdkit/crdkit/schema"
)

type compiler func(*schema.JSONSchemaProps) (*schema.Structural, error)

// preparedDefaults compiles p with its defaults as a server uses them: without the unknown or malformed parts of metadata, and
// without the unknown fields that old definitions may have in them (DEF-020). p is not modified. s is p compiled already, or nil.
func preparedDefaults(s *schema.Structural, p *schema.JSONSchemaProps, compile compiler) (*schema.Structural, error) {
	if s == nil {
		var err error
		if s, err = compile(p); err != nil {
			return nil, err
		}
	}
	if s.Root.Below&schema.HasDefault == 0 {
		return s, nil
	}
	d := defaults{s: s}
	prepared := d.prepare(p, nil)
	if d.err != nil {
		return nil, d.err
	}
	if prepared == p {
		return s, nil
	}
	return compile(prepared)
}

// A surrounding is the place of a default in an object, from the inside out.
type surrounding struct {
	outer *surrounding
	key   string // of an object; "*" stands for any key that has no schema of its own
	item  bool   // of a list
}

type defaults struct {
	s   *schema.Structural
	err error
}

// prepare returns p, or a copy if a default at p or beneath it has to change.
func (d *defaults) prepare(p *schema.JSONSchemaProps, at *surrounding) *schema.JSONSchemaProps {
	out := p
	change := func() {
		if out == p {
			c := *p
			out = &c
		}
	}
	if p.Default != nil {
		if v, changed := d.prepared(p.Default, at); changed {
			change()
			out.Default = v
		}
	}
	if p.Items != nil && p.Items.Schema != nil {
		if q := d.prepare(p.Items.Schema, &surrounding{outer: at, item: true}); q != p.Items.Schema {
			change()
			out.Items = &schema.SchemaOrArray{Schema: q}
		}
	}
	if a := p.AdditionalProperties; a != nil && a.Schema != nil {
		if q := d.prepare(a.Schema, &surrounding{outer: at, key: "*"}); q != a.Schema {
			change()
			out.AdditionalProperties = &schema.SchemaOrBool{Allows: true, Schema: q}
		}
	}
	var properties map[string]*schema.JSONSchemaProps // a copy, made at the first change
	for k, sub := range p.Properties {
		if q := d.prepare(sub, &surrounding{outer: at, key: k}); q != sub {
			if properties == nil {
				change()
				properties = maps.Clone(p.Properties)
				out.Properties = properties
			}
			properties[k] = q
		}
	}
	return out
}

// prepared puts v where it would stand in an object, brings that into form, and takes v out again.
func (d *defaults) prepared(v any, at *surrounding) (out any, changed bool) {
	whole := v
	for s := at; s != nil; s = s.outer {
		if s.item {
			whole = []any{whole}
		} else {
			whole = map[string]any{s.key: whole}
		}
	}
	obj, ok := whole.(map[string]any)
	if !ok {
		d.err = errors.New("failed to prune default value: object root default value must be of object type")
		return v, false
	}
	if meta, has := obj["metadata"]; has { // the object is a resource, and so has metadata of its own
		if read, changed, err := objectmeta.ReadDropping(meta); err == nil && changed {
			obj = maps.Clone(obj)
			obj["metadata"] = read
		}
	}
	c := embedded.Coercer{Drop: true}
	coerced, err := c.Coerce(d.s.Root, obj)
	if err != nil {
		d.err = err
		return v, false
	}
	obj = prune.Prune(d.s, coerced.(map[string]any))
	out = taken(obj, at)
	return out, !jsonval.Equal(out, v)
}

// taken returns the value at a place in v, nil if it is gone.
func taken(v any, at *surrounding) any {
	if at == nil {
		return v
	}
	switch x := taken(v, at.outer).(type) {
	case map[string]any:
		return x[at.key]
	case []any:
		if len(x) > 0 {
			return x[0]
		}
	}
	return nil
}
