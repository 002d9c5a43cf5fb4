package crdcheck

import (
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/schema"
)

// validDefaults reports whether [defaultErrors] certainly finds no errors in s, which is structural and compiled. It
// may be a false negative, never a false positive. It needs no paths. It is false for defaults of a whole object, for
// those of a resource's metadata, which are checked as part of that resource, and for those with rules.
func validDefaults(s *compiledSchema, requirePruned bool) bool {
	if s.props.Default != nil {
		return false
	}
	d := defaultChecker{requirePruned: requirePruned, left: defaultsBudget}
	return d.validBelow(s.props, plan.Root(s.compiled), true, false)
}

// valid reports whether the defaults at and below p are certainly valid. n is what p was compiled to. part says that p
// is part of a resource's metadata.
func (d *defaultChecker) valid(p *schema.JSONSchemaProps, n *plan.Node, part bool) bool {
	part = part && !p.XEmbeddedResource // DFV-002
	switch {
	case n.Below&plan.HasDefault == 0:
		return true
	case p.Default == nil:
		return d.validBelow(p, n, p.XEmbeddedResource, part)
	case part || n.Below&plan.HasRules != 0:
		return false
	}
	d.node(p, n, nil, nil, resourceContext{})
	return d.errs.Len() == 0
}

// validBelow is valid for the children of p. resource says that p describes a resource, the whole object or an embedded
// one.
func (d *defaultChecker) validBelow(p *schema.JSONSchemaProps, n *plan.Node, resource, part bool) bool {
	if n.Items != nil && !d.valid(p.Items.Schema, n.Items, part) {
		return false
	}
	for i := range n.Props {
		name := n.Props[i].Name
		if !d.valid(p.Properties[name], n.Props[i].Node, part || resource && plan.ResourceField(name)) {
			return false
		}
	}
	return true
}
