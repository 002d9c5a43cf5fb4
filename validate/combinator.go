package validate

import (
	"fmt"
	"strconv"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/verdict"
	"github.com/crdkit/crdkit/internal/walk"
	"github.com/crdkit/crdkit/schema"
)

// combinators reports on anyOf, oneOf, allOf and not, in this order (VAL-060). Branches that failed are walked again for their
// errors, as branches of the same value.
func (r *reporter) combinators(c *schema.Combinators, v any, at *walk.Frame, depth int) {
	quoted := strconv.Quote(at.Name())
	// anyOf: VAL-061.
	if len(c.AnyOf) > 0 && verdict.FirstValid(c.AnyOf, v) < 0 {
		r.whole(at, quoted+" must validate at least one schema (anyOf)")
		n, _ := best(c.AnyOf, v)
		r.value(n, v, at, depth+1)
	}
	// oneOf: VAL-062.
	if len(c.OneOf) > 0 {
		switch valid := verdict.CountValid(c.OneOf, v); valid {
		case 0:
			r.whole(at, quoted+" must validate one and only one schema (oneOf). Found none valid")
			n, _ := best(c.OneOf, v)
			r.value(n, v, at, depth+1)
		case 1:
		default:
			r.whole(at, fmt.Sprintf("%s must validate one and only one schema (oneOf). Found %d valid alternatives", quoted, valid))
		}
	}
	// allOf: VAL-063.
	if valid := verdict.CountValid(c.AllOf, v); valid < len(c.AllOf) {
		for _, n := range c.AllOf {
			r.child(n, v, at, depth)
		}
		none := ""
		if valid == 0 {
			none = ". None validated"
		}
		r.whole(at, quoted+" must validate all the schemas (allOf)"+none)
	}
	// not: VAL-064.
	if c.Not != nil && verdict.OK(c.Not, v, verdict.Schema) {
		r.whole(at, quoted+" must not validate the schema (not)")
	}
}

// best returns the branch that matched most, the first of those with the greatest count, and the count (VAL-065).
func best(branches []*schema.Node, v any) (found *schema.Node, most int) {
	most = -1
	for _, n := range branches {
		if count := matches(n, v); count > most {
			found, most = n, count
		}
	}
	return found, most
}

// matches counts what a server counts as matched while it validates v: mostly checks that were made, whether or not they
// passed. Only the comparison of two branches for the same value means anything (VAL-065).
func matches(n *schema.Node, v any) int {
	kind := schema.Of(v)
	if kind == 0 {
		if known, err := jsonval.Normalize(nil, v); err == nil {
			v, kind = known, schema.Of(known)
		}
	}
	passed := n.Accept&kind != 0
	if kind == schema.KindNull {
		if passed {
			return 1
		}
		return 0
	}
	count := 4 // bool
	if n.TypeText != "" || n.Format != "" {
		count++
		if passed {
			count++
		}
	}
	switch x := v.(type) {
	case string:
		count++
		if n.String != nil && n.String.Format != nil {
			count++
		}
	case []any:
		count += 2
		if n.Items != nil {
			for _, item := range x {
				count += matches(n.Items, item)
			}
		}
	case map[string]any:
		count++
		for k, child := range x {
			if c, _ := n.Child(k); c != nil {
				count += matches(c, child)
			}
		}
	case bool:
	default: // numbers
		count += 2
	}
	if n.Combine != nil {
		count += branchMatches(n.Combine, v)
	}
	return count
}

// branchMatches counts each branch once: branches may be nested deeply.
func branchMatches(c *schema.Combinators, v any) int {
	count := 0
	if len(c.AnyOf) > 0 {
		count += matchesOf(c.AnyOf, verdict.FirstValid(c.AnyOf, v), v)
	}
	if len(c.OneOf) > 0 {
		if valid := verdict.CountValid(c.OneOf, v); valid < 2 {
			count += matchesOf(c.OneOf, verdict.FirstValid(c.OneOf, v), v)
		}
	}
	for _, n := range c.AllOf {
		count += matches(n, v)
	}
	return count
}

// matchesOf returns the count of the valid branch, or of the best if there is none.
func matchesOf(branches []*schema.Node, valid int, v any) int {
	if valid >= 0 {
		return matches(branches[valid], v)
	}
	_, most := best(branches, v)
	return most
}
