package compat

import (
	"slices"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/tool/constraint"
)

// Pruning, defaulting and the dropping of nulls change which fields an object has before it is validated. Where the
// sides differ in this, keywords such as required and maxProperties are checked against different objects.

// samePresence reports whether both sides have the field in the same objects, with the same value: neither drops it or
// adds it alone. Objects have no field that x prunes.
func samePresence(x, y *facts, field constraint.Step) bool {
	a, b := x.below(field), y.below(field)
	if b.pruned() {
		return a.pruned()
	}
	return sameNullOutcome(a, b, false) && (field.Other || jsonval.Equal(a.defaultValue(), b.defaultValue()))
}

// mayLose reports whether y may lack the field in an object in which x has it.
func mayLose(x, y *facts, field constraint.Step) bool {
	a, b := x.below(field), y.below(field)
	switch {
	case a.pruned():
		return false
	case b.pruned():
		return true
	}
	return !field.Other && a.defaultValue() != nil && b.defaultValue() == nil || a.nullOutcome(false).present() && !b.nullOutcome(false).present()
}

// mayGain reports whether y may have the field in an object in which x lacks it. Objects have no field that x prunes.
func mayGain(x, y *facts, field constraint.Step) bool {
	a, b := x.below(field), y.below(field)
	return !field.Other && a.defaultValue() == nil && b.defaultValue() != nil || !a.pruned() && !a.nullOutcome(false).present() && b.nullOutcome(false).present()
}

// differingPresence returns the names for which samePresence does not hold, and whether it does not hold for undeclared
// fields.
func differingPresence(x, y *facts) (names []string, others bool) {
	return fieldsWhere(x, y, func(x, y *facts, field constraint.Step) bool { return !samePresence(x, y, field) })
}

// fieldsWhere returns the names that either side declares for which a condition holds, and whether it holds for
// undeclared fields.
func fieldsWhere(x, y *facts, holds func(x, y *facts, field constraint.Step) bool) (names []string, others bool) {
	for _, step := range fieldSteps(x, y) {
		switch {
		case !holds(x, y, step):
		case step.Other:
			others = true
		default:
			names = append(names, step.Name)
		}
	}
	return names, others
}

// declaredNames returns the names of the properties that nodes of f declare, sorted.
func (f *facts) declaredNames() []string { return propertyNames(f.nodes) }

// fieldSteps returns the steps to the fields that either side declares, by name, and then to the undeclared ones.
func fieldSteps(x, y *facts) (steps []constraint.Step) {
	for _, name := range propertyNames(slices.Concat(x.nodes, y.nodes)) {
		steps = append(steps, property(name))
	}
	return append(steps, undeclared)
}

// propertyNames returns the names of the properties that nodes declare, and more names, sorted.
func propertyNames(nodes []*plan.Node, more ...string) []string {
	names := more
	for _, n := range nodes {
		for i := range n.Props {
			names = append(names, n.Props[i].Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// declares reports whether f declares a property with that name.
func (f *facts) declares(name string) bool {
	return slices.ContainsFunc(f.nodes, func(n *plan.Node) bool { return n.Prop(name) != nil })
}

func setOf(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

// closed reports whether objects have no fields but declared ones.
func (f *facts) closed() bool {
	return f.loc.node != nil && f.below(undeclared).pruned() && !f.loc.node.IsResource()
}
