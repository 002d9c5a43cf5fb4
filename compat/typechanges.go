package compat

import (
	"regexp"
	"strings"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
)

// Retypings are what the same rule may read differently on the two sides, so that it says something else: as the length of a text or of the bytes
// that it encodes, say, or with another default.
type typeChanges struct {
	self   bool     // self itself, or its items
	fields []string // of self
}

// retyped compares what rules at a and b may read: types, and what is filled in or dropped.
func typeChangesBetween(a, b *plan.Node) (r typeChanges) {
	if a == nil || b == nil {
		return r
	}
	r.self = !sameType(a, b) || !sameTypesBelow(a.Items, b.Items) || !sameTypesBelow(a.Additional, b.Additional) ||
		a.Items != nil && b.Items != nil && !(location{node: a.Items}).nullOutcome(true).equal(location{node: b.Items}.nullOutcome(true)) ||
		a.Additional != nil && b.Additional != nil && !(location{node: a.Additional}).nullOutcome(false).equal(location{node: b.Additional}.nullOutcome(false))
	for i := range a.Props {
		was := location{node: a.Props[i].Node}
		p := b.Prop(a.Props[i].Name)
		if p == nil {
			continue
		}
		is := location{node: p.Node}
		if !sameTypesBelow(was.node, is.node) || !was.nullOutcome(false).equal(is.nullOutcome(false)) || !jsonval.Equal(was.node.Default, is.node.Default) {
			r.fields = append(r.fields, a.Props[i].Name)
		}
	}
	return r
}

// sameTypes reports whether what both nodes describe has the same types, as far as both describe it.
func sameTypesBelow(a, b *plan.Node) bool {
	if a == nil || b == nil {
		return true
	}
	r := typeChangesBetween(a, b)
	return !r.self && len(r.fields) == 0
}

// sameType reports whether the values that both nodes accept, if there are any, are the same for rules.
func sameType(a, b *plan.Node) bool {
	return (a.Accept&b.Accept&plan.KindInt == 0 || (a.Type == "number") == (b.Type == "number")) &&
		(a.Accept&b.Accept&plan.KindString == 0 || typeOfFormat(a.Format) == typeOfFormat(b.Format)) &&
		(a.Accept&b.Accept&plan.KindArray == 0 || max(a.List, plan.ListAtomic) == max(b.List, plan.ListAtomic))
}

// typedBy returns a format that makes another type of a text, or nothing.
func typeOfFormat(format string) string {
	switch format {
	case "byte", "date", "date-time", "datetime", "duration":
		return format
	}
	return ""
}

// bareSelf matches what reads more of self than one of its fields.
var wholeSelf = regexp.MustCompile(`\b(?:self|oldSelf)\b\s*(?:[^.\s]|$)`)

// in reports whether a rule may read something that is retyped.
func (r *typeChanges) affect(rule string) bool {
	if r.self {
		return true
	}
	if len(r.fields) == 0 {
		return false
	}
	if wholeSelf.MatchString(rule) {
		return true
	}
	for _, name := range r.fields {
		if strings.ContainsAny(name, "-./") || strings.Contains(name, "__") || strings.Contains(rule, name) {
			return true
		}
	}
	return false
}
