package compat

import (
	"slices"
	"strconv"

	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/tool/constraint"
)

// knowledge is what is known about the values of a rule. A path has the names below self as a rule writes them, with
// anyItem for the items of a list.
type knowledge interface {
	// constant returns the literal of the value at a path, if it is always the same, or reports that there is never
	// one.
	constant(path []string) (literal string, absent bool)
	// excludes reports whether no value at a path is equal to a literal.
	excludes(path []string, literal string) bool
	// isList reports whether self is always a list.
	isList() bool
}

// anyItem stands for the items of a list in a path.
const anyItem = "[]"

// schemaKnowledge is what the schemas of both sides say about the values that the accepting side accepts.
type schemaKnowledge struct {
	accepting, refusing               *facts
	acceptingVersion, refusingVersion *version
}

// constant knows the fields that the accepting side drops, within objects and the items of a list.
func (k schemaKnowledge) constant(path []string) (literal string, absent bool) {
	parents, last := path[:len(path)-1], path[len(path)-1]
	for i, name := range parents {
		if i > 0 && name != anyItem && !k.isObject() {
			return "", false
		}
		var ok bool
		if k, ok = k.below(name, path[i+1] == anyItem); !ok {
			return "", false
		}
	}
	name, ok := types.UnescapeName(last)
	if !ok || len(parents) > 0 && !k.isObject() {
		return "", false
	}
	switch a, b := k.locations(property(name)); {
	case !a.pruned():
		return "", false
	case b.defaultValue() == nil:
		return "", true
	default:
		return literalOf(b.defaultValue()), false
	}
}

// below returns what is known one level below k. It reports false if a value may be absent there, or has no schema.
// Only macros visit the items of a list, so neither the items nor the list have to be present.
func (k schemaKnowledge) below(name string, isRange bool) (schemaKnowledge, bool) {
	step, ok := stepTo(name)
	switch {
	case !ok, step.Item && !k.isList(), !step.Item && !isRange && !slices.Contains(k.accepting.required, step.Name):
		return k, false
	}
	a, b := k.locations(step)
	k.accepting, k.refusing = factsOf(a), factsOf(b)
	return k, a.node != nil && b.node != nil
}

// stepTo returns the step to a name of a path. It reports false if it is not a name that a rule can use.
func stepTo(name string) (step constraint.Step, ok bool) {
	if name == anyItem {
		return items, true
	}
	name, ok = types.UnescapeName(name)
	return property(name), ok
}

// locations returns the locations one step below k on both sides.
func (k schemaKnowledge) locations(step constraint.Step) (accepting, refusing *location) {
	return k.acceptingVersion.effective(k.accepting.below(step)), k.refusingVersion.effective(k.refusing.below(step))
}

func (k schemaKnowledge) isObject() bool { return k.accepting.accept&^plan.KindObject == 0 }

func (k schemaKnowledge) isList() bool {
	return k.accepting.accept&^(plan.KindArray|plan.KindNull) == 0
}

// excludes knows values from a list.
func (k schemaKnowledge) excludes(path []string, literal string) bool {
	x := k.accepting
	for _, name := range path {
		step, ok := stepTo(name)
		if !ok || step.Item && (x.accept&plan.KindArray == 0 || x.accept&plan.KindObject != 0) {
			return false
		}
		l := k.acceptingVersion.effective(x.below(step))
		if l.node == nil {
			return false
		}
		x = factsOf(l)
	}
	values, ok := x.finite()
	return ok && !slices.ContainsFunc(values, func(v any) bool {
		text := literalOf(v)
		return v != nil && (text == "" || text == literal)
	})
}

// literalOf returns the literal of a string or a boolean as normal forms have it, or an empty string.
func literalOf(v any) string {
	switch x := v.(type) {
	case string:
		return strconv.Quote(x)
	case bool:
		return strconv.FormatBool(x)
	}
	return ""
}
