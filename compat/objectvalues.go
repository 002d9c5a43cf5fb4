package compat

import (
	"fmt"
	"maps"
	"slices"

	"github.com/crdkit/crdkit/internal/plan"
)

// with returns a copy of obj in which a field has a value.
func with(obj map[string]any, name string, v any) map[string]any {
	c := maps.Clone(obj)
	c[name] = v
	return c
}

// without returns a copy of obj that lacks a field.
func without(obj map[string]any, name string) map[string]any {
	c := maps.Clone(obj)
	delete(c, name)
	return c
}

// unknownField is a name that schemas rarely declare.
const unknownField = "key0"

// field returns the location of a field of the accepted objects.
func (q *question) field(name string) *location {
	return q.accepting.effective(q.x.below(property(name)))
}

// objectValues returns objects that may answer q, made from base, which is valid.
func (q *question) objectValues(base map[string]any) (out []any) {
	m, x, y := q.accepting.samples(), q.x, q.y
	switch q.restriction.keyword {
	case "required":
		out = append([]any{without(base, q.restriction.name)}, q.presenceObjects()...)
		if full, ok := m.Value(x.nodes, 0, true).(map[string]any); ok {
			out = append(out, without(full, q.restriction.name))
		}
	case "maxProperties", "minProperties":
		out = q.presenceObjects()
		if x.loc.node != nil {
			out = append(out, sized(m, x.loc.node, plan.KindObject, maxMadeSize, y.maxProps+1, y.minProps-1, max(x.minProps, 0))...)
		}
		if y.loc.node != nil {
			out = append(out, sized(m, y.loc.node, plan.KindObject, maxMadeSize, y.maxProps+1, y.minProps-1, int64(len(y.required)))...)
		}
		out = append(out, q.grown(base)...)
	case "embeddedResource":
		for _, v := range []any{true, int64(1), map[string]any{}, ""} {
			for _, name := range []string{"apiVersion", "kind", "metadata"} {
				out = append(out, with(base, name, v), map[string]any{name: v})
			}
		}
	case "anyOf", "oneOf", "not":
		out = append(q.presenceObjects(), q.combinatorObjects(base)...)
	case "additionalProperties", "enum":
		out = q.combinatorObjects(base)
	}
	return out
}

// grown returns base with as many more fields as one side allows more than the other one.
func (q *question) grown(base map[string]any) []any {
	if q.y.maxProps >= maxMadeSize {
		return nil
	}
	out := maps.Clone(base)
	for _, name := range q.x.declaredNames() {
		if l := q.field(name); int64(len(out)) <= q.y.maxProps && !l.pruned() && out[name] == nil {
			out[name] = q.accepting.samples().Value(factsOf(l).nodes, 0, false)
		}
	}
	if l := q.accepting.effective(q.x.below(undeclared)); !l.pruned() {
		for i := 0; int64(len(out)) <= q.y.maxProps; i++ {
			out[fmt.Sprintf("key%d", i)] = q.accepting.samples().Value(factsOf(l).nodes, 0, false)
		}
	}
	return []any{out}
}

// maxPresenceFields bounds for how many fields presenceObjects makes objects.
const maxPresenceFields = 10

// presenceObjects returns small objects with and without each of the fields that only one side drops or defaults.
func (q *question) presenceObjects() (out []any) {
	m := q.accepting.samples()
	names, others := differingPresence(q.x, q.y)
	if others {
		names = append(names, unknownField)
		if q.restriction.name != "" {
			names = append(names, q.restriction.name)
		}
	}
	minimal := map[string]any{}
	for _, name := range q.x.required {
		if l := q.field(name); !l.pruned() {
			minimal[name] = m.Value(factsOf(l).nodes, 0, false)
		}
	}
	for _, name := range names[:min(len(names), maxPresenceFields)] {
		l := q.field(name)
		if l.pruned() {
			continue
		}
		out = append(out, with(minimal, name, m.Value(factsOf(l).nodes, 0, false)), without(minimal, name))
		if l.keepsNull() {
			out = append(out, with(minimal, name, nil))
		}
	}
	return append(out, q.maximalObject(minimal, names))
}

// maximalObject returns minimal with as many other fields as the refusing side allows, without the excluded ones.
func (q *question) maximalObject(minimal map[string]any, excluded []string) map[string]any {
	out := maps.Clone(minimal)
	excludes := setOf(excluded)
	maps.DeleteFunc(out, func(name string, _ any) bool { return excludes[name] })
	for _, name := range q.x.declaredNames() {
		if int64(len(out)) >= q.y.maxProps {
			break
		}
		if l := q.field(name); !l.pruned() && !excludes[name] {
			out[name] = q.accepting.samples().Value(factsOf(l).nodes, 0, false)
		}
	}
	return out
}

// Limits of combinatorObjects.
const (
	maxCombinatorObjects = 300
	maxCombinatorFields  = 30
	maxFieldValues       = 8
)

// combinatorObjects returns objects that differ from base in the presence and the values of fields that combinators
// mention.
func (q *question) combinatorObjects(base map[string]any) (out []any) {
	branches := combinatorNodes(q.x, q.y)
	values := map[string][]any{}
	var names []string
	for _, name := range mentionedFields(branches) {
		if l := q.field(name); !l.pruned() && len(names) < maxCombinatorFields {
			names = append(names, name)
			values[name] = q.fieldValues(factsOf(l), name, branches)
		}
	}
	none := maps.Clone(base)
	for _, name := range names {
		delete(none, name)
	}
	out = append(out, none)
	all := none
	for i, name := range names {
		out = append(out, without(base, name))
		for _, v := range values[name] {
			out = append(out, with(none, name, v), with(base, name, v))
		}
		for _, other := range names[i+1:] {
			for _, v := range values[name] {
				for _, w := range values[other] {
					if len(out) < maxCombinatorObjects {
						out = append(out, with(with(none, name, v), other, w))
					}
				}
			}
		}
		if len(values[name]) > 0 {
			all = with(all, name, values[name][0])
		}
	}
	return append(out, all, with(base, unknownField, "a"))
}

// combinatorNodes returns the branches of the combinators of both sides, and those of the combinators in them, up to a
// limit.
func combinatorNodes(x, y *facts) []*plan.Node {
	var nodes []*plan.Node
	for _, c := range slices.Concat(x.combinators, y.combinators) {
		nodes = append(nodes, c.branches...)
	}
	nodes, _ = expand(nodes)
	for i := 0; i < len(nodes) && i < maxNodes; i++ {
		if c := nodes[i].Combine; c != nil {
			nodes = slices.Concat(nodes, c.AnyOf, c.OneOf)
			if c.Not != nil {
				nodes = append(nodes, c.Not)
			}
		}
	}
	return nodes
}

// mentionedFields returns the names of the fields that the first nodes declare or require, sorted.
func mentionedFields(nodes []*plan.Node) []string {
	nodes = nodes[:min(len(nodes), maxNodes)]
	var required []string
	for _, n := range nodes {
		required = append(required, n.Required...)
	}
	return propertyNames(nodes, required...)
}

// fieldValues returns a few values of a field: some that the accepting side, to which f belongs, makes up, and some at
// the bounds that branches set.
func (q *question) fieldValues(f *facts, name string, branches []*plan.Node) (values []any) {
	add := func(some ...any) {
		for _, v := range some {
			if len(values) < maxFieldValues && f.fits(v) {
				values = append(values, v)
			}
		}
	}
	m := q.accepting.samples()
	add(m.Value(f.nodes, 0, false))
	for _, b := range branches {
		if c := b.Prop(name); c != nil {
			add(boundaryValues(c.Node)...)
		}
	}
	add(m.Value(f.nodes, 1, false), m.Value(f.nodes, 0, true))
	add(scalars(f, factsOf(&location{preserved: true, proofs: q.x.loc.proofs}))...)
	return values
}
