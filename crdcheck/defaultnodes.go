package crdcheck

import (
	"math"
	"slices"

	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/schemadoc"
	"github.com/crdkit/crdkit/schema"
)

// A server reads a schema differently to validate default values than to validate objects: int-or-string does not
// affect the type, no format is dropped, additionalProperties in combinators are lost, and the numbers of an enum have
// not been changed by storage. A schema is compiled again only for defaults at or below whose node one of these
// differences occurs.

// nodeForDefaults returns the node that validates the value of p's default. n is what p was compiled to for objects,
// and the result if there is no difference.
//
// Clauses: DFV-006, SVT-006, SVT-007.
func nodeForDefaults(p *schema.JSONSchemaProps, n *plan.Node) *plan.Node {
	if !differsForDefaults(p, false) {
		return n
	}
	p = withoutIntOrString(p, false)
	s, err := schema.CompileLoose(p)
	if err != nil {
		return n // cannot fail: n was compiled from a schema that contains this one
	}
	restoreKeywords(p, plan.Root(s))
	return plan.Root(s)
}

// differsForDefaults reports whether p is read differently for default values. inBranch says that p is in a combinator.
func differsForDefaults(p *schema.JSONSchemaProps, inBranch bool) bool {
	if p.XIntOrString || hasUnknownFormat(p) || inBranch && p.AdditionalProperties != nil ||
		slices.ContainsFunc(p.Enum, changedByStorage) {
		return true
	}
	for loc, q := range p.Children() {
		if differsForDefaults(q, inBranch || loc.Combines()) {
			return true
		}
	}
	return false
}

func changedByStorage(v any) bool {
	_, changes := jsonval.Stored(v)
	return changes
}

// withoutIntOrString returns a copy of p without x-kubernetes-int-or-string, and without additionalProperties in
// combinators.
func withoutIntOrString(p *schema.JSONSchemaProps, inBranch bool) *schema.JSONSchemaProps {
	q := *schemadoc.MapChildren(p, func(loc schema.Location, child *schema.JSONSchemaProps) *schema.JSONSchemaProps {
		return withoutIntOrString(child, inBranch || loc.Combines())
	})
	q.XIntOrString = false
	if inBranch {
		q.AdditionalProperties = nil
	}
	return &q
}

// restoreKeywords sets the formats and enums of n, and of all nodes below it, to those of p. n was compiled from p and
// is not shared yet.
func restoreKeywords(p *schema.JSONSchemaProps, n *plan.Node) {
	if p.Format != n.Format {
		keepFormat(p.Type, p.Format, n)
	}
	if slices.ContainsFunc(p.Enum, changedByStorage) {
		n.Enum = plan.NewEnum(p.Enum)
	}
	if n.Items != nil {
		restoreKeywords(p.Items.Schema, n.Items)
	}
	for i := range n.Props {
		restoreKeywords(p.Properties[n.Props[i].Name], n.Props[i].Node)
	}
	if n.Additional != nil {
		restoreKeywords(p.AdditionalProperties.Schema, n.Additional)
	}
	if n.Combine == nil {
		return
	}
	branches := func(of []*schema.JSONSchemaProps, nodes []*plan.Node) {
		for i, branch := range nodes {
			restoreKeywords(of[i], branch)
		}
	}
	branches(p.AllOf, n.Combine.AllOf)
	branches(p.AnyOf, n.Combine.AnyOf)
	branches(p.OneOf, n.Combine.OneOf)
	if n.Combine.Not != nil {
		restoreKeywords(p.Not, n.Combine.Not)
	}
}

// keepFormat sets a format of n that is not checked for its type, or that has no type. Such a format still makes all
// strings and arrays valid for the schema, unless the type is a number. Without a type, it makes all other values
// except null invalid (VAL-012). If strings can have the format, they must (FMT-003).
func keepFormat(typ, name string, n *plan.Node) {
	n.Format = name
	n.Plain = 0 // check each value in full
	const own = plan.KindString | plan.KindArray
	switch typ {
	case "integer", "number":
	case "":
		n.Accept = plan.KindNull | own
	default:
		n.Accept |= own
	}
	known := format.Lookup(name)
	if known == nil {
		return
	}
	if n.String == nil {
		n.String = &plan.StringChecks{MinLength: math.MinInt64, MaxLength: math.MaxInt64}
	}
	n.String.Format = known
}
