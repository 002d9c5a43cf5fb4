package compat

import (
	"slices"
	"strconv"

	"github.com/crdkit/crdkit/internal/cel/declare"
	"github.com/crdkit/crdkit/internal/plan"
)

// knowledge is what is known of the values that a rule is about.
type knowledge interface {
	// constant returns the value of self.path as text, if it is always that; "absent" if the field is never there.
	constant(path []string) (text string, absent bool)
	// excludes reports whether the value at a path is never the text of a literal.
	excludes(path []string, literal string) bool
	// list reports whether self is always a list.
	isList() bool
}

// Known is what the facts of the accepting side tell of the values that a rule of the other side is about.
type schemaKnowledge struct {
	accepting, refusing               *facts
	acceptingVersion, refusingVersion *version
}

// constant knows of fields that the accepting side drops, if what leads there is always an object, or the item of a list that a macro goes through.
func (k schemaKnowledge) constant(path []string) (text string, absent bool) {
	last := len(path) - 1
	for i, escaped := range path {
		if i > 0 && escaped != itemStep && k.accepting.accept&^plan.KindObject != 0 {
			return "", false
		}
		if i == last {
			break
		}
		var a, b location
		if escaped == itemStep {
			if !k.isList() {
				return "", false
			}
			a, b = k.acceptingVersion.effective(k.accepting.below(items)), k.refusingVersion.effective(k.refusing.below(items))
		} else {
			name, ok := declare.Unescape(escaped)
			if !ok || path[i+1] != itemStep && !slices.Contains(k.accepting.required, name) {
				return "", false
			}
			a, b = k.child(name)
		}
		if k.accepting, k.refusing = factsOf(a), factsOf(b); a.node == nil || b.node == nil {
			return "", false
		}
	}
	name, ok := declare.Unescape(path[last])
	switch a, b := k.child(name); {
	case !ok || !a.pruned():
		return "", false
	case b.defaultValue() == nil:
		return "", true
	default:
		return literalOf(b.defaultValue()), false
	}
}

// child returns the spots of a field on both sides.
func (k schemaKnowledge) child(name string) (accepts, refuses location) {
	return k.acceptingVersion.effective(k.accepting.below(property(name))), k.refusingVersion.effective(k.refusing.below(property(name)))
}

func (k schemaKnowledge) isList() bool {
	return k.accepting.accept&^(plan.KindArray|plan.KindNull) == 0
}

func (k schemaKnowledge) excludes(path []string, literal string) bool {
	x := k.accepting
	for _, escaped := range path {
		var s location
		if escaped == itemStep {
			if x.accept&plan.KindArray == 0 || x.accept&plan.KindObject != 0 {
				return false
			}
			s = k.acceptingVersion.effective(x.below(items))
		} else {
			name, ok := declare.Unescape(escaped)
			if !ok {
				return false
			}
			s = k.acceptingVersion.effective(x.below(property(name)))
		}
		if s.node == nil {
			return false
		}
		x = factsOf(s)
	}
	values, ok := x.finite()
	return ok && !slices.ContainsFunc(values, func(v any) bool {
		text := literalOf(v)
		return v != nil && (text == "" || text == literal)
	})
}

// literalOf returns a value as the text of a literal, or nothing.
func literalOf(v any) string {
	switch x := v.(type) {
	case string:
		return strconv.Quote(x)
	case bool:
		return strconv.FormatBool(x)
	}
	return ""
}
