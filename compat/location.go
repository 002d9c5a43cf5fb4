package compat

import (
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/schema"
)

// A spot is a position of one side: what a schema says of the values there. The zero spot has no schema: pruning drops what is there.
type location struct {
	node      *plan.Node   // of the structure
	branches  []*plan.Node // of the same values, in branches of combinators that always count
	preserved bool         // there is no node, and whatever is there is kept

	proofs *proofState
}

func (s location) pruned() bool { return s.node == nil && !s.preserved }

// rules returns the rules of the values at s.
func (s location) rules() []plan.Rule {
	if s.node == nil {
		return nil
	}
	return s.node.Rules
}

// fallback returns the default at s, or nil.
func (s location) defaultValue() any {
	if s.node == nil {
		return nil
	}
	return s.node.Default
}

// keepsNull reports whether null in a field is kept. Where it is not, the field is dropped (DEF-006).
func (s location) keepsNull() bool {
	return s.preserved || s.node != nil && s.node.Has&plan.Nullable != 0
}

// A fate is what becomes of null.
type nullOutcome struct {
	kept        bool
	replacement any // a default takes its place
}

// null returns what becomes of null at s, which is that of an item or not.
func (s location) nullOutcome(item bool) nullOutcome {
	switch {
	case s.keepsNull():
		return nullOutcome{kept: true}
	case s.node != nil && s.node.Default != nil:
		return nullOutcome{replacement: s.node.Default}
	}
	return nullOutcome{kept: item}
}

// there reports whether something is there in place of null.
func (f nullOutcome) present() bool { return f.kept || f.replacement != nil }

func (f nullOutcome) equal(g nullOutcome) bool {
	return f.kept == g.kept && jsonval.Equal(f.replacement, g.replacement)
}

// child returns the spot of a field beneath f. other says that the name stands for any key that is not declared.
func (f *facts) child(name string, declared bool) location {
	s := location{proofs: f.loc.proofs}
	switch n := f.loc.node; {
	case f.loc.preserved:
		s.preserved = true
	case n != nil:
		child := n.Additional
		if p := n.Prop(name); declared && p != nil {
			child = p.Node
		}
		s.node = child
		s.preserved = child == nil && keepsUndeclared(n) || child == nil && n.IsResource() && plan.ResourceField(name)
	}
	for i, n := range f.nodes {
		if f.loc.node != nil && i == 0 {
			continue
		}
		c := n.Additional
		if p := n.Prop(name); declared && p != nil {
			c = p.Node
		}
		if c != nil {
			s.branches = append(s.branches, c)
		}
	}
	if s.preserved && len(s.branches) > 0 {
		s.node, s.preserved = anything, false
	}
	return s
}

// item returns the spot of the items beneath f.
func (f *facts) item() location {
	s := location{proofs: f.loc.proofs}
	switch n := f.loc.node; {
	case f.loc.preserved:
		s.preserved = true
	case n != nil:
		s.node, s.preserved = n.Items, n.Items == nil
	}
	for i, n := range f.nodes {
		if n.Items != nil && (f.loc.node == nil || i > 0) {
			s.branches = append(s.branches, n.Items)
		}
	}
	if s.preserved && len(s.branches) > 0 {
		s.node, s.preserved = anything, false
	}
	return s
}

func keepsUndeclared(n *plan.Node) bool {
	return n.Has&plan.PreserveFields != 0 || n.Additional == nil && n.Has&plan.OtherKeys != 0 && n.Has&plan.NoOthers == 0
}

// anything accepts all values.
var anything = mustAnything()

func mustAnything() *plan.Node {
	s, err := schema.CompileLoose(&schema.JSONSchemaProps{Type: "object", Properties: map[string]*schema.JSONSchemaProps{
		"x": {XPreserveUnknownFields: ptr(true), Nullable: true}}})
	if err != nil {
		panic(err)
	}
	n, _ := plan.Root(s).Child("x")
	return n
}

func ptr[T any](v T) *T { return &v }
