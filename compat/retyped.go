package compat

import (
	"regexp"
	"strings"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
)

// Retypings are what the same rule may read differently on the two sides, so that it says something else: as the length of a text or of the bytes
// that it encodes, say, or with another default.
type retypings struct {
	whole  bool     // self itself, or its items
	fields []string // of self
}

// retyped compares what rules at a and b may read: types, and what is filled in or dropped.
func retyped(a, b *plan.Node) (r retypings) {
	if a == nil || b == nil {
		return r
	}
	r.whole = !sameType(a, b) || !sameTypes(a.Items, b.Items) || !sameTypes(a.Additional, b.Additional) ||
		a.Items != nil && b.Items != nil && !(spot{node: a.Items}).null(true).equal(spot{node: b.Items}.null(true)) ||
		a.Additional != nil && b.Additional != nil && !(spot{node: a.Additional}).null(false).equal(spot{node: b.Additional}.null(false))
	for i := range a.Props {
		was := spot{node: a.Props[i].Node}
		p := b.Prop(a.Props[i].Name)
		if p == nil {
			continue
		}
		is := spot{node: p.Node}
		if !sameTypes(was.node, is.node) || !was.null(false).equal(is.null(false)) || !jsonval.Equal(was.node.Default, is.node.Default) {
			r.fields = append(r.fields, a.Props[i].Name)
		}
	}
	return r
}

// sameTypes reports whether what both nodes describe has the same types, as far as both describe it.
func sameTypes(a, b *plan.Node) bool {
	if a == nil || b == nil {
		return true
	}
	r := retyped(a, b)
	return !r.whole && len(r.fields) == 0
}

// sameType reports whether the values that both nodes accept, if there are any, are the same for rules.
func sameType(a, b *plan.Node) bool {
	return (a.Accept&b.Accept&plan.KindInt == 0 || (a.Type == "number") == (b.Type == "number")) &&
		(a.Accept&b.Accept&plan.KindString == 0 || typedBy(a.Format) == typedBy(b.Format)) &&
		(a.Accept&b.Accept&plan.KindArray == 0 || max(a.List, plan.ListAtomic) == max(b.List, plan.ListAtomic))
}

// typedBy returns a format that makes another type of a text, or nothing.
func typedBy(format string) string {
	switch format {
	case "byte", "date", "date-time", "datetime", "duration":
		return format
	}
	return ""
}

// bareSelf matches what reads more of self than one of its fields.
var bareSelf = regexp.MustCompile(`\b(?:self|oldSelf)\b\s*(?:[^.\s]|$)`)

// in reports whether a rule may read something that is retyped.
func (r *retypings) in(rule string) bool {
	if r.whole {
		return true
	}
	if len(r.fields) == 0 {
		return false
	}
	if bareSelf.MatchString(rule) {
		return true
	}
	for _, name := range r.fields {
		if strings.ContainsAny(name, "-./") || strings.Contains(name, "__") || strings.Contains(rule, name) {
			return true
		}
	}
	return false
}
