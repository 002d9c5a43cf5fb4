package compat

import (
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/schema"
)

// A location is a position in the schema of one side, with everything that the schema says about the values there. If
// there is no node, and preserved is false, values there are pruned.
type location struct {
	node      *plan.Node   // of the structural schema
	branches  []*plan.Node // nodes for the same values in branches of combinators that always apply
	preserved bool         // there is no node, and values are preserved as they are

	proofs *proofState
}

// pruned reports whether values at l are dropped.
func (l *location) pruned() bool { return l.node == nil && !l.preserved }

// rules returns the rules for values at l.
func (l *location) rules() []plan.Rule {
	if l.node == nil {
		return nil
	}
	return l.node.Rules
}

// defaultValue returns the default at l, or nil.
func (l *location) defaultValue() any {
	if l.node == nil {
		return nil
	}
	return l.node.Default
}

// keepsNull reports whether a field that is null is kept. Otherwise it is dropped (DEF-006).
func (l *location) keepsNull() bool {
	return l.preserved || l.node != nil && l.node.Has&plan.Nullable != 0
}

// A nullOutcome is what is stored in place of null.
type nullOutcome struct {
	kept        bool
	replacement any // the default
}

// nullOutcome returns what is stored in place of null at l. item says that l is the location of list items, which are
// never dropped.
func (l *location) nullOutcome(item bool) nullOutcome {
	switch {
	case l.keepsNull():
		return nullOutcome{kept: true}
	case l.defaultValue() != nil:
		return nullOutcome{replacement: l.defaultValue()}
	}
	return nullOutcome{kept: item}
}

// present reports whether anything is stored.
func (o nullOutcome) present() bool { return o.kept || o.replacement != nil }

// sameNullOutcome reports whether both locations store the same in place of null.
func sameNullOutcome(a, b *location, item bool) bool {
	x, y := a.nullOutcome(item), b.nullOutcome(item)
	return x.kept == y.kept && jsonval.Equal(x.replacement, y.replacement)
}

// The steps from a location to one below it, besides those to properties.
var (
	items      = constraint.Step{Item: true}
	undeclared = constraint.Step{Other: true} // any field that is not declared
)

// property returns the step to a field with that name, declared or not.
func property(name string) constraint.Step { return constraint.Step{Name: name} }

// below returns the location that is one step below that of f.
func (f *facts) below(step constraint.Step) *location {
	child := constraint.Steps{step}.Node
	l := &location{preserved: f.loc.preserved, proofs: f.loc.proofs}
	branches := f.nodes
	if n := f.loc.node; n != nil {
		l.node = child(n)
		l.preserved = l.node == nil && (step.Item || preservesUndeclared(n) || n.IsResource() && plan.ResourceField(step.Name))
		branches = branches[1:]
	}
	for _, n := range branches {
		if c := child(n); c != nil {
			l.branches = append(l.branches, c)
		}
	}
	if l.preserved && len(l.branches) > 0 {
		l.node, l.preserved = anything, false
	}
	return l
}

// preservesUndeclared reports whether n preserves fields that are not declared.
func preservesUndeclared(n *plan.Node) bool {
	return n.Has&plan.PreserveFields != 0 || n.Additional == nil && n.Has&plan.OtherKeys != 0 && n.Has&plan.NoOthers == 0
}

// anything is a node that accepts and preserves all values, and anyText one that accepts all strings.
var anything, anyText = func() (*plan.Node, *plan.Node) {
	yes := true
	s, err := schema.CompileLoose(&schema.JSONSchemaProps{Type: "object", Properties: map[string]*schema.JSONSchemaProps{
		"x": {XPreserveUnknownFields: &yes, Nullable: true}, "y": {Type: "string"}}})
	if err != nil {
		panic(err) // the schema is a constant
	}
	root := plan.Root(s)
	return root.Prop("x").Node, root.Prop("y").Node
}()
