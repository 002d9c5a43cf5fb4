package crdcheck

import (
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/schema"
)

// goodDefaults reports whether [defaultErrors] surely has nothing to say of s, which is structural and compiled. It needs no paths, and is
// not sure of defaults of a whole object, nor of those of a resource's metadata, whose values are judged as part of that, nor of those
// with rules.
func goodDefaults(s *compiledSchema, requirePruned bool) bool {
	if s.props.Default != nil {
		return false
	}
	d := defaultChecker{requirePruned: requirePruned, left: defaultsBudget}
	return d.goodBelow(s.props, plan.Root(s.compiled), true, false)
}

// good reports whether the defaults at p and beneath it surely are in order. n is what p was compiled to. part says that p is a part of a
// resource's metadata.
func (d *defaultChecker) good(p *schema.JSONSchemaProps, n *plan.Node, part bool) bool {
	part = part && !p.XEmbeddedResource // DFV-002
	switch {
	case n.Below&plan.HasDefault == 0:
		return true
	case p.Default == nil:
		return d.goodBelow(p, n, p.XEmbeddedResource, part)
	case part || n.Below&plan.HasRules != 0:
		return false
	}
	d.node(p, n, nil, nil, surrounding{})
	return d.errs.Len() == 0
}

// goodBelow is good for the schemas right under p. resource says that p describes a resource, the whole object or an embedded one.
func (d *defaultChecker) goodBelow(p *schema.JSONSchemaProps, n *plan.Node, resource, part bool) bool {
	if n.Items != nil && !d.good(p.Items.Schema, n.Items, part) {
		return false
	}
	for i := range n.Props {
		name := n.Props[i].Name
		if !d.good(p.Properties[name], n.Props[i].Node, part || resource && plan.ResourceField(name)) {
			return false
		}
	}
	return true
}
