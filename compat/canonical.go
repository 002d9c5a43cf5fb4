package compat

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/plan"
)

// Canonical texts are equal for branches that have the same keywords in another order. Equal texts mean equal schemas.

// combinatorText returns the canonical text of a combinator.
func (p *proofState) combinatorText(c combinator) string {
	parts := make([]string, len(c.branches))
	for i, b := range c.branches {
		parts[i] = p.canonical(b, 0)
	}
	slices.Sort(parts)
	if c.keyword == "anyOf" {
		parts = slices.Compact(parts)
	}
	return c.keyword + " [" + strings.Join(parts, ", ") + "]"
}

// maxCanonical bounds the depth of canonical texts. Nodes that are deeper are only equal to themselves.
const maxCanonical = 100

// canonical returns the canonical text of a branch at a depth.
func (p *proofState) canonical(n *plan.Node, depth int) string {
	if depth > maxCanonical {
		return fmt.Sprintf("%p", n)
	}
	text, ok := p.canonicalTexts[n]
	if !ok {
		text = p.canonicalNode(n, depth)
		p.canonicalTexts[n] = text
	}
	return text
}

// canonicalNode is canonical without a cache for n itself.
func (p *proofState) canonicalNode(n *plan.Node, depth int) string {
	var b strings.Builder
	if n.Type != "" {
		fmt.Fprintf(&b, "type: %s, ", n.TypeText())
	}
	if n.Accept != 0xff {
		fmt.Fprintf(&b, "accept: %d, ", n.Accept)
	}
	for _, size := range []struct {
		keyword string
		value   int64
	}{{"minItems", n.MinItems}, {"maxItems", n.MaxItems}, {"minProperties", n.MinProperties}, {"maxProperties", n.MaxProperties}} {
		if size.value != math.MinInt64 && size.value != math.MaxInt64 {
			fmt.Fprintf(&b, "%s: %d, ", size.keyword, size.value)
		}
	}
	if c := n.String; c != nil {
		if c.MinLength > 0 {
			fmt.Fprintf(&b, "minLength: %d, ", c.MinLength)
		}
		if c.MaxLength != math.MaxInt64 {
			fmt.Fprintf(&b, "maxLength: %d, ", c.MaxLength)
		}
		if c.PatternText != "" {
			fmt.Fprintf(&b, "pattern: %q, ", c.PatternText)
		}
	}
	if n.Format != "" {
		fmt.Fprintf(&b, "format: %s, ", n.Format)
	}
	if c := n.Number; c != nil {
		for _, k := range []struct {
			keyword string
			bound   *plan.Bound
		}{{"minimum", c.Minimum}, {"maximum", c.Maximum}, {"multipleOf", c.MultipleOf}} {
			if k.bound != nil {
				fmt.Fprintf(&b, "%s: %s, ", k.keyword, boundsText([]*plan.Bound{k.bound}))
			}
		}
		if c.Ranged != plan.RangeAny {
			fmt.Fprintf(&b, "range: %d, ", c.Ranged)
		}
	}
	if n.Enum != nil {
		var values []string
		for _, v := range n.Enum.Values {
			text, _ := json.Marshal(v)
			values = append(values, string(text))
		}
		slices.Sort(values)
		fmt.Fprintf(&b, "enum: [%s], ", strings.Join(slices.Compact(values), ", "))
	}
	if len(n.Required) > 0 {
		required := slices.Clone(n.Required)
		slices.Sort(required)
		fmt.Fprintf(&b, "required: [%s], ", strings.Join(slices.Compact(required), ", "))
	}
	if n.Has&plan.UniqueItems != 0 {
		fmt.Fprintf(&b, "uniqueItems, ")
	}
	if flags := n.Has & (plan.NoOthers | plan.OtherKeys | plan.PreserveFields | plan.HasEmbedded); flags != 0 {
		fmt.Fprintf(&b, "keys: %d, ", flags)
	}
	for i := range n.Props {
		fmt.Fprintf(&b, "%q: %s, ", n.Props[i].Name, p.canonical(n.Props[i].Node, depth+1))
	}
	if n.Additional != nil {
		fmt.Fprintf(&b, "additionalProperties: %s, ", p.canonical(n.Additional, depth+1))
	}
	if n.Items != nil {
		fmt.Fprintf(&b, "items: %s, ", p.canonical(n.Items, depth+1))
	}
	if n.List != plan.ListUntyped {
		fmt.Fprintf(&b, "list: %d %v, ", n.List, n.ListMapKeys)
	}
	if c := n.Combine; c != nil {
		for _, k := range []combinator{{"allOf", c.AllOf}, {"anyOf", c.AnyOf}, {"oneOf", c.OneOf}} {
			if len(k.branches) > 0 {
				fmt.Fprintf(&b, "%s, ", p.combinatorText(k))
			}
		}
		if c.Not != nil {
			fmt.Fprintf(&b, "not %s, ", p.canonical(c.Not, depth+1))
		}
	}
	return "{" + strings.TrimSuffix(b.String(), ", ") + "}"
}
