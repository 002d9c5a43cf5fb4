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
	if p == nil {
		return canonicalNode(p, n, depth)
	}
	text, ok := p.canonicalTexts[n]
	if !ok {
		text = canonicalNode(p, n, depth)
		p.canonicalTexts[n] = text
	}
	return text
}

// canonicalNode is canonical without a cache for n itself.
func canonicalNode(p *proofState, n *plan.Node, depth int) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if n.Type != "" {
		add("type: %s", n.TypeText())
	}
	if n.Accept != 0xff {
		add("accept: %d", n.Accept)
	}
	for _, b := range []struct {
		keyword string
		value   int64
	}{{"minItems", n.MinItems}, {"maxItems", n.MaxItems}, {"minProperties", n.MinProperties}, {"maxProperties", n.MaxProperties}} {
		if b.value != math.MinInt64 && b.value != math.MaxInt64 {
			add("%s: %d", b.keyword, b.value)
		}
	}
	if c := n.String; c != nil {
		if c.MinLength > 0 {
			add("minLength: %d", c.MinLength)
		}
		if c.MaxLength != math.MaxInt64 {
			add("maxLength: %d", c.MaxLength)
		}
		if c.PatternText != "" {
			add("pattern: %q", c.PatternText)
		}
	}
	if n.Format != "" {
		add("format: %s", n.Format)
	}
	if c := n.Number; c != nil {
		for _, b := range []struct {
			keyword string
			bound   *plan.Bound
		}{{"minimum", c.Minimum}, {"maximum", c.Maximum}, {"multipleOf", c.MultipleOf}} {
			if b.bound != nil {
				add("%s: %s", b.keyword, boundsText([]*plan.Bound{b.bound}))
			}
		}
		if c.Ranged != plan.RangeAny {
			add("range: %d", c.Ranged)
		}
	}
	if n.Enum != nil {
		var values []string
		for _, v := range n.Enum.Values {
			text, _ := json.Marshal(v)
			values = append(values, string(text))
		}
		slices.Sort(values)
		add("enum: [%s]", strings.Join(slices.Compact(values), ", "))
	}
	if len(n.Required) > 0 {
		required := slices.Clone(n.Required)
		slices.Sort(required)
		add("required: [%s]", strings.Join(slices.Compact(required), ", "))
	}
	if n.Has&plan.UniqueItems != 0 {
		add("uniqueItems")
	}
	if flags := n.Has & (plan.NoOthers | plan.OtherKeys | plan.PreserveFields | plan.HasEmbedded); flags != 0 {
		add("keys: %d", flags)
	}
	for i := range n.Props {
		add("%q: %s", n.Props[i].Name, p.canonical(n.Props[i].Node, depth+1))
	}
	if n.Additional != nil {
		add("additionalProperties: %s", p.canonical(n.Additional, depth+1))
	}
	if n.Items != nil {
		add("items: %s", p.canonical(n.Items, depth+1))
	}
	if n.List != plan.ListUntyped {
		add("list: %d %v", n.List, n.ListMapKeys)
	}
	if c := n.Combine; c != nil {
		for _, k := range []combinator{{"allOf", c.AllOf}, {"anyOf", c.AnyOf}, {"oneOf", c.OneOf}} {
			if len(k.branches) > 0 {
				add("%s", p.combinatorText(k))
			}
		}
		if c.Not != nil {
			add("not %s", p.canonical(c.Not, depth+1))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
