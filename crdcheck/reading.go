package crdcheck

import (
	"math"
	"slices"

	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/schema"
)

// A server validates default values by another reading of their schema than it validates objects by: int-or-string says nothing about
// the type, no format is dropped, what combinators say of additionalProperties is lost, and the numbers of an enum have not been through
// storage yet. Only defaults that have some of that at their node or beneath it need the schema once more.

// readForDefaults returns the node that the value of p's default is validated by. n is what p was compiled to for objects, and the
// result where both readings are the same.
//
// Clauses: DFV-006, SVT-006, SVT-007.
func readForDefaults(p *schema.JSONSchemaProps, n *plan.Node) *plan.Node {
	if !readsDifferently(p, true) {
		return n
	}
	p = withoutIntOrString(p, true)
	s, err := schema.CompileLoose(p)
	if err != nil {
		return n // which was compiled from as much
	}
	asWritten(p, plan.Root(s))
	return plan.Root(s)
}

// readsDifferently reports whether the two readings of p differ. spine says that p is in no combinator.
func readsDifferently(p *schema.JSONSchemaProps, spine bool) bool {
	if p.XIntOrString || p.Format != "" && !format.Kept(p.Type, p.Format) || !spine && p.AdditionalProperties != nil ||
		slices.ContainsFunc(p.Enum, storageChanges) {
		return true
	}
	for loc, q := range p.Children() {
		if readsDifferently(q, spine && !loc.Combines()) {
			return true
		}
	}
	return false
}

func storageChanges(v any) bool {
	_, changes := jsonval.Stored(v)
	return changes
}

// withoutIntOrString returns a copy of p without x-kubernetes-int-or-string, and without additionalProperties in combinators.
func withoutIntOrString(p *schema.JSONSchemaProps, spine bool) *schema.JSONSchemaProps {
	q := *p
	q.XIntOrString = false
	if p.Items != nil && p.Items.Schema != nil {
		q.Items = &schema.SchemaOrArray{Schema: withoutIntOrString(p.Items.Schema, spine)}
	}
	if len(p.Properties) > 0 {
		q.Properties = make(map[string]*schema.JSONSchemaProps, len(p.Properties))
		for name, child := range p.Properties {
			q.Properties[name] = withoutIntOrString(child, spine)
		}
	}
	if a := p.AdditionalProperties; !spine {
		q.AdditionalProperties = nil
	} else if a != nil && a.Schema != nil {
		q.AdditionalProperties = &schema.SchemaOrBool{Allows: a.Allows, Schema: withoutIntOrString(a.Schema, true)}
	}
	branches := func(of []*schema.JSONSchemaProps) (out []*schema.JSONSchemaProps) {
		for _, branch := range of {
			out = append(out, withoutIntOrString(branch, false))
		}
		return out
	}
	q.AllOf, q.AnyOf, q.OneOf = branches(p.AllOf), branches(p.AnyOf), branches(p.OneOf)
	if p.Not != nil {
		q.Not = withoutIntOrString(p.Not, false)
	}
	return &q
}

// asWritten gives n, which was compiled from p and is shared with nobody yet, and all nodes beneath it the formats and enums that p has.
func asWritten(p *schema.JSONSchemaProps, n *plan.Node) {
	if p.Format != n.Format {
		keepFormat(p.Type, p.Format, n)
	}
	if slices.ContainsFunc(p.Enum, storageChanges) {
		n.Enum = plan.NewEnum(p.Enum)
	}
	if n.Items != nil {
		asWritten(p.Items.Schema, n.Items)
	}
	for i := range n.Props {
		asWritten(p.Properties[n.Props[i].Name], n.Props[i].Node)
	}
	if n.Additional != nil {
		asWritten(p.AdditionalProperties.Schema, n.Additional)
	}
	if n.Combine == nil {
		return
	}
	branches := func(of []*schema.JSONSchemaProps, nodes []*plan.Node) {
		for i, branch := range nodes {
			asWritten(of[i], branch)
		}
	}
	branches(p.AllOf, n.Combine.AllOf)
	branches(p.AnyOf, n.Combine.AnyOf)
	branches(p.OneOf, n.Combine.OneOf)
	if n.Combine.Not != nil {
		asWritten(p.Not, n.Combine.Not)
	}
}

// keepFormat gives n a format that its type, or no type, does not know. Such a format still says that strings and arrays are its own
// affair, unless the type is one of numbers, and that nothing else is right where there is no type (VAL-012). Strings have to be of the
// format if they can be (FMT-003).
func keepFormat(typ, name string, n *plan.Node) {
	n.Format = name
	n.Plain = 0 // a closer look at each value
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
