package crdcheck

import (
	"github.com/crdkit/crdkit/schema"
)

// goodDefaults reports whether [defaultErrors] surely has nothing to say of s, which is structural. As long as that is not compiled, only
// those schemas in it are that have a default. It needs no paths, and is not sure of defaults of a whole object, nor of those of a
// resource's metadata, whose values are judged as part of that, nor of those with rules.
func goodDefaults(s *compiledSchema, requirePruned bool) bool {
	if s.props.Default != nil {
		return false
	}
	d := defaultChecker{schema: s, requirePruned: requirePruned, left: defaultsBudget}
	var n *schema.Node
	if s.compiled != nil {
		n = s.compiled.Root
	}
	return d.goodBelow(s.props, n, true, false)
}

// good reports whether the defaults at p and beneath it surely are in order. part says that p is a part of a resource's metadata.
func (d *defaultChecker) good(p *schema.JSONSchemaProps, n *schema.Node, part bool) bool {
	part = part && !p.XEmbeddedResource // DFV-002
	switch {
	case n != nil && n.Below&schema.HasDefault == 0:
		return true
	case p.Default == nil:
		return d.goodBelow(p, n, p.XEmbeddedResource, part)
	case part:
		return false
	}
	if n == nil {
		part, errs := d.schema.rest(p)
		if len(errs) > 0 {
			return false
		}
		n = part.Root
	}
	if n.Below&schema.HasRules != 0 {
		return false
	}
	d.node(p, n, nil, nil, surrounding{})
	return d.errs.Len() == 0
}

// goodBelow is good for the schemas right under p. resource says that p describes a resource, the whole object or an embedded one.
func (d *defaultChecker) goodBelow(p *schema.JSONSchemaProps, n *schema.Node, resource, part bool) bool {
	if p.Items != nil && p.Items.Schema != nil {
		var items *schema.Node
		if n != nil {
			items = n.Items
		}
		if !d.good(p.Items.Schema, items, part) {
			return false
		}
	}
	if n != nil {
		for i := range n.Props {
			name := n.Props[i].Name
			if n.Props[i].Node.Below&schema.HasDefault != 0 &&
				!d.good(p.Properties[name], n.Props[i].Node, part || resource && schema.ResourceField(name)) {
				return false
			}
		}
		return true
	}
	for name, child := range p.Properties {
		if !d.good(child, nil, part || resource && schema.ResourceField(name)) {
			return false
		}
	}
	return true
}
