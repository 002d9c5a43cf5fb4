package compat

import (
	"regexp"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/tool/constraint"
)

// typeChanges are differences between two schemas with which the same rule has different results for the same object.
// For example, a rule reads a string of the format byte as bytes, and with another default it reads another value.
type typeChanges struct {
	self   bool     // of self, of its items or of its undeclared fields
	fields []string // of self
}

// typeChangesBetween returns the differences between a and b.
func typeChangesBetween(a, b *plan.Node) (c typeChanges) {
	c.self = !sameType(a, b) || !sameValues(a, b, items) || !sameValues(a, b, undeclared)
	for i := range a.Props {
		name := a.Props[i].Name
		if p := b.Prop(name); p != nil && (!sameValues(a, b, property(name)) || !jsonval.Equal(a.Props[i].Node.Default, p.Node.Default)) {
			c.fields = append(c.fields, name)
		}
	}
	return c
}

// sameValues reports whether rules read the same values one step below a and b, as far as both describe them.
func sameValues(a, b *plan.Node, step constraint.Step) bool {
	a, b = constraint.Steps{step}.Node(a), constraint.Steps{step}.Node(b)
	if a == nil || b == nil {
		return true
	}
	c := typeChangesBetween(a, b)
	return !c.self && len(c.fields) == 0 && sameNullOutcome(&location{node: a}, &location{node: b}, step.Item)
}

// sameType reports whether values that both nodes accept have the same type in rules.
func sameType(a, b *plan.Node) bool {
	return (a.Accept&b.Accept&plan.KindInt == 0 || (a.Type == "number") == (b.Type == "number")) &&
		(a.Accept&b.Accept&plan.KindString == 0 || formatType(a.Format) == formatType(b.Format)) &&
		(a.Accept&b.Accept&plan.KindArray == 0 || max(a.List, plan.ListAtomic) == max(b.List, plan.ListAtomic))
}

// formatType returns the format if strings of that format have a type of their own in rules, or an empty string.
func formatType(format string) string {
	switch format {
	case "byte", "date", "date-time", "datetime", "duration":
		return format
	}
	return ""
}

// wholeSelf matches rules that use self or oldSelf other than to select a field.
var wholeSelf = regexp.MustCompile(`\b(?:self|oldSelf)\b\s*(?:[^.\s]|$)`)

// affect reports whether a rule may read something that differs.
func (c *typeChanges) affect(rule string) bool {
	if c.self || len(c.fields) == 0 {
		return c.self
	}
	return wholeSelf.MatchString(rule) || slices.ContainsFunc(c.fields, func(name string) bool {
		escaped := strings.ContainsAny(name, "-./") || strings.Contains(name, "__")
		return escaped || strings.Contains(rule, name)
	})
}
