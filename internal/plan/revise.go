package plan

import (
	"math"
	"slices"

	"github.com/crdkit/crdkit/internal/since"
)

// A Revision changes schemas to what servers of another version make of them: it leaves out formats. The zero value
// changes nothing. Revisions are comparable.
type Revision struct {
	NoNumberFormats bool // numbers are not checked against the range of their type and format
	NoNameFormats   bool // k8s-short-name and k8s-long-name are unknown
	FormerIntegers  bool // see the flag
}

// RevisionFor returns what servers with a profile make of schemas.
func RevisionFor(p since.Profile) Revision {
	return Revision{
		NoNumberFormats: !p.Has(since.NumberFormats),
		NoNameFormats:   !p.Has(since.ShortNameFormats),
		FormerIntegers:  !p.Has(since.NearIntegers),
	}
}

// Node returns n with the changes of r. It does not modify n, shares with it what does not change, and returns n itself
// if nothing does. The result has the IDs of n.
func (r Revision) Node(n *Node) *Node {
	if n == nil || r == (Revision{}) {
		return n
	}
	c := *n
	changed := r.checks(&c)
	object, array, rare := *n.ObjectKeywords, *n.ArrayKeywords, *c.RareKeywords
	if r.properties(&c, &object) {
		c.ObjectKeywords, changed = &object, true
	}
	if r.child(&c, &array.Items) {
		c.ArrayKeywords, changed = &array, true
	}
	if combined := r.combinators(n.Combine); combined != n.Combine {
		rare.Combine = combined
		c.RareKeywords, changed = &rare, true
	}
	if !changed {
		return n
	}
	c.summarizePlain()
	return &c
}

// child revises *n, a node below c, and reports whether that changes it.
func (r Revision) child(c *Node, n **Node) bool {
	revised := r.Node(*n)
	if revised == *n {
		return false
	}
	*n = revised
	c.Below |= revised.Below
	return true
}

func (r Revision) properties(c *Node, object *ObjectKeywords) (changed bool) {
	for i := range object.Props {
		revised := object.Props[i].Node
		if !r.child(c, &revised) {
			continue
		}
		if !changed {
			object.Props, changed = slices.Clone(object.Props), true
		}
		object.Props[i].Node = revised
	}
	return r.child(c, &object.Additional) || changed
}

func (r Revision) combinators(c *Combinators) *Combinators {
	if c == nil {
		return nil
	}
	branches := func(all []*Node) (revised []*Node, changed bool) {
		for i, n := range all {
			next := r.Node(n)
			if next != n && !changed {
				revised, changed = slices.Clone(all), true
			}
			if changed {
				revised[i] = next
			}
		}
		if !changed {
			return all, false
		}
		return revised, true
	}
	out := *c
	changed := [3]bool{}
	out.AllOf, changed[0] = branches(c.AllOf)
	out.AnyOf, changed[1] = branches(c.AnyOf)
	out.OneOf, changed[2] = branches(c.OneOf)
	out.Not = r.Node(c.Not)
	if changed == [3]bool{} && out.Not == c.Not {
		return c
	}
	return &out
}

// checks revises the checks of c itself, which is a copy, and reports whether that changes them.
func (r Revision) checks(c *Node) (changed bool) {
	if r.FormerIntegers {
		if c.Accept&NumberKinds == KindInt|KindWhole {
			c.Has, changed = c.Has|FormerIntegers, true
		}
		if c.Number != nil && c.Number.MultipleOf != nil {
			former := *c.Number
			former.Former = true
			c.Number, changed = &former, true
		}
	}
	if r.NoNumberFormats && c.Has&IntOrString == 0 && (c.Type == "integer" || c.Type == "number") {
		if c.Number != nil && c.Number.Ranged != RangeAny {
			c.Number, changed = c.Number.unranged(), true
		}
		changed = c.dropFormat() || changed
	}
	if c.String != nil && r.NoNameFormats && c.String.Format.OfNames() {
		c.String, changed = c.String.unformatted(), true
		c.dropFormat()
		switch {
		case c.Has&IntOrString != 0:
		case c.Type == "":
			c.Accept = AllKinds
		default:
			c.Accept &^= KindArray // see accepted in package schema
		}
	}
	return changed
}

// dropFormat makes the format of c an unknown one. It reports false if there is none.
func (c *Node) dropFormat() bool {
	if c.Format == "" {
		return false
	}
	rare := *c.RareKeywords
	rare.Format = ""
	c.RareKeywords = &rare
	c.Has |= UncheckedFormat
	c.Below |= UncheckedFormat
	return true
}

// unformatted returns c without its format, or nil if no checks are left.
func (c *StringChecks) unformatted() *StringChecks {
	s := *c
	s.Format = nil
	if s == (StringChecks{MinLength: math.MinInt64, MaxLength: math.MaxInt64}) {
		return nil
	}
	return &s
}

// unranged returns c for numbers of any range, or nil if no checks are left.
func (c *NumberChecks) unranged() *NumberChecks {
	if c.Minimum == nil && c.Maximum == nil && c.MultipleOf == nil {
		return nil
	}
	unranged := func(b *Bound) *Bound {
		if b == nil || !b.OutOfRange {
			return b
		}
		return NewBound(&b.Value, b.Exclusive, RangeAny)
	}
	return &NumberChecks{
		Minimum: unranged(c.Minimum), Maximum: unranged(c.Maximum), MultipleOf: unranged(c.MultipleOf), Former: c.Former,
	}
}
