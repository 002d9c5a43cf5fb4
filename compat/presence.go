package compat

import (
	"slices"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// steady reports whether y has a field of that name wherever x has it, and nowhere else: it is neither dropped nor filled in on one side only.
func samePresence(x, y *facts, name string, declared bool) bool {
	a, b := x.child(name, declared), y.child(name, declared)
	if b.pruned() {
		return a.pruned()
	}
	return a.nullOutcome(false).equal(b.nullOutcome(false)) && (!declared || jsonval.Equal(a.defaultValue(), b.defaultValue()))
}

// loses reports whether y may lack a field of that name where x has it: one that it drops, or does not fill in.
func mayLose(x, y *facts, name string, declared bool) bool {
	a, b := x.child(name, declared), y.child(name, declared)
	switch {
	case a.pruned():
		return false
	case b.pruned():
		return true
	}
	return declared && a.defaultValue() != nil && b.defaultValue() == nil || a.nullOutcome(false).present() && !b.nullOutcome(false).present()
}

// gains reports whether y may have a field of that name where x lacks it. Nobody sends what x drops.
func mayGain(x, y *facts, name string, declared bool) bool {
	a, b := x.child(name, declared), y.child(name, declared)
	return declared && a.defaultValue() == nil && b.defaultValue() != nil || !a.pruned() && !a.nullOutcome(false).present() && b.nullOutcome(false).present()
}

// unsteady returns the names for which steady does not hold, and whether that is so for names that neither side declares.
func differingPresence(x, y *facts) (names []string, others bool) {
	return namesWhere(x, y, func(x, y *facts, name string, declared bool) bool { return !samePresence(x, y, name, declared) })
}

// namesOf returns the names that either side declares for which something holds, and whether it holds for the names that neither declares.
func namesWhere(x, y *facts, holds func(x, y *facts, name string, declared bool) bool) (names []string, others bool) {
	for _, name := range declaredByEither(x, y) {
		if holds(x, y, name, true) {
			names = append(names, name)
		}
	}
	return names, holds(x, y, "", false)
}

// names returns the declared properties of all nodes of f.
func (f *facts) declaredNames() []string {
	var names []string
	for _, n := range f.nodes {
		for i := range n.Props {
			names = append(names, n.Props[i].Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// bothNames returns the declared properties of both sides.
func declaredByEither(x, y *facts) []string {
	names, more := x.declaredNames(), y.declaredNames()
	if slices.Equal(names, more) {
		return names
	}
	names = append(names, more...)
	slices.Sort(names)
	return slices.Compact(names)
}

// declares reports whether f has a schema for that very name.
func (f *facts) declares(name string) bool { return slices.Contains(f.declaredNames(), name) }

// closed reports whether objects of f have declared properties only.
func (f *facts) closed() bool {
	return f.loc.node != nil && f.child("", false).pruned() && !f.loc.node.IsResource()
}
