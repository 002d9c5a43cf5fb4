package embedded

import (
	"errors"
	"slices"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/schemadoc"
	"github.com/crdkit/crdkit/prune"
	"github.com/crdkit/crdkit/schema"
)

// StoredDefaults returns p, which s was compiled from, with its defaults as a server uses them: without the unknown or
// malformed parts of metadata, and without the unknown fields that old definitions may have in them. It returns p
// itself if there is nothing to change, else a copy of the schemas that contain changes. p is not modified. A default
// of the whole object that is not an object is an error.
//
// Clauses: PUF-003, DEF-020.
func StoredDefaults(p *schema.JSONSchemaProps, s *schema.Structural) (*schema.JSONSchemaProps, error) {
	root := plan.Root(s)
	d := defaults{root: root}
	out := d.prepare(p, root, surrounding{anchor: root})
	return out, d.err
}

// A surrounding is the part of an object around a default that affects it: the lists that it is an item of, which may
// preserve its unknown fields, and the resource whose metadata it belongs to, because metadata is read as a whole.
type surrounding struct {
	anchor *plan.Node      // the outermost node that matters
	steps  []field.Segment // from the anchor to the default, which is the first item of its lists
	meta   bool            // within a resource's apiVersion, kind or metadata
}

func (s surrounding) then(next field.Segment) surrounding {
	s.steps = append(s.steps[:len(s.steps):len(s.steps)], next)
	return s
}

// below returns the surrounding of key k in an object at n; child describes its value.
func (s surrounding) below(n, child *plan.Node, k string) surrounding {
	switch {
	case s.meta:
		return s.then(field.Segment{Key: k})
	case n.IsResource() && plan.ResourceField(k):
		return surrounding{anchor: n, steps: []field.Segment{{Key: k}}, meta: true}
	}
	return surrounding{anchor: child}
}

type defaults struct {
	root *plan.Node
	err  error
}

// prepare returns p, which n was compiled from, or a copy if a default at p or below it changes.
func (d *defaults) prepare(p *schema.JSONSchemaProps, n *plan.Node, at surrounding) *schema.JSONSchemaProps {
	if n.Below&plan.HasDefault == 0 {
		return p
	}
	c := schemadoc.Copy{Schema: p}
	if n.Default != nil {
		if v := d.prepared(n.Default, at); !jsonval.Equal(v, n.Default) {
			c.Own().Default = v
		}
	}
	child := func(loc schema.Location, p *schema.JSONSchemaProps, n *plan.Node, at surrounding) {
		if q := d.prepare(p, n, at); q != p {
			c.Set(loc, q)
		}
	}
	if n.Items != nil {
		child(schema.Location{Keyword: "items"}, p.Items.Schema, n.Items, at.then(field.Segment{IsIndex: true}))
	}
	if n.Additional != nil {
		child(schema.Location{Keyword: "additionalProperties"}, p.AdditionalProperties.Schema, n.Additional, at.below(n, n.Additional, "*"))
	}
	for i := range n.Props {
		name, node := n.Props[i].Name, n.Props[i].Node
		child(schema.Location{Keyword: "properties", Name: name}, p.Properties[name], node, at.below(n, node, name))
	}
	return c.Schema
}

// prepared puts v into an object with its surrounding, normalizes the object, and returns the resulting v, or nil if it
// was dropped.
func (d *defaults) prepared(v any, at surrounding) any {
	v = Within(at.steps, v)
	norm := Normalizer{Drop: true} // so that it has no errors
	if at.anchor == d.root {
		if _, ok := v.(map[string]any); !ok {
			d.err = errors.New("failed to prune default value: object root default value must be of object type")
			return nil
		}
		v, _ = norm.Normalize(resource, v)
	}
	v, _ = norm.Normalize(at.anchor, v)
	return taken(prune.Value(plan.View[schema.Node](at.anchor), v), at.steps)
}

// Within returns an object or a list that has only v, at the end of the steps.
func Within(steps []field.Segment, v any) any {
	for _, s := range slices.Backward(steps) {
		if s.IsIndex {
			v = []any{v}
		} else {
			v = map[string]any{s.Key: v}
		}
	}
	return v
}

// resource describes an embedded resource without fields of its own.
var resource = plan.WithFlags(plan.HasEmbedded)

// taken returns the value in v at the end of the steps, or nil if it was dropped.
func taken(v any, steps []field.Segment) any {
	for _, s := range steps {
		switch x := v.(type) {
		case map[string]any:
			v = x[s.Key]
		case []any:
			v = nil
			if len(x) > 0 {
				v = x[0]
			}
		default:
			return nil
		}
	}
	return v
}
