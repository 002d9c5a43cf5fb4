package compat

import (
	"maps"
	"slices"

	"github.com/crdkit/crdkit/internal/plan"
)

// edited returns objects that differ from base in what the gap is about.
func (p *pair) objectValues(q *question, base map[string]any) (out []any) {
	m, x, y := q.accepting.samples(), q.x, q.y
	less := func(from map[string]any, names ...string) map[string]any {
		c := maps.Clone(from)
		for _, name := range names {
			delete(c, name)
		}
		return c
	}
	switch q.restriction.keyword {
	case "required", "maxProperties", "minProperties", "anyOf", "oneOf", "not":
		out = append(out, p.presenceObjects(q)...)
	}
	switch q.restriction.keyword {
	case "required":
		out = append(out, less(base, q.restriction.name))
		if full, ok := m.Value(x.nodes, 0, true).(map[string]any); ok {
			out = append(out, less(full, q.restriction.name))
		}
	case "maxProperties", "minProperties":
		if n := x.loc.node; n != nil {
			for _, size := range []int64{y.maxProps + 1, y.minProps - 1, max(x.minProps, 0)} {
				if size >= 0 && size < maxMadeSize {
					if v := m.Sized(n, plan.KindObject, size); v != nil {
						out = append(out, v)
					}
				}
			}
		}
	case "embeddedResource":
		for _, v := range []any{true, int64(1), map[string]any{}, ""} {
			for _, key := range []string{"apiVersion", "kind", "metadata"} {
				c := maps.Clone(base)
				c[key] = v
				out = append(out, c, map[string]any{key: v})
			}
		}
		out = append(out, map[string]any{})
	case "anyOf", "oneOf", "not", "additionalProperties", "enum":
		out = append(out, p.combinatorObjects(q, base)...)
	}
	return out
}

// moved returns objects with little more than one of the fields that only one side drops or fills in, and without.
func (p *pair) presenceObjects(q *question) (out []any) {
	m := q.accepting.samples()
	names, others := differingPresence(q.x, q.y)
	if others {
		names = append(names, "key0")
		if q.restriction.name != "" {
			names = append(names, q.restriction.name)
		}
	}
	least := map[string]any{}
	for _, name := range q.x.required {
		if s := q.accepting.effective(q.x.below(property(name))); !s.pruned() {
			least[name] = m.Value(factsOf(s).nodes, 0, false)
		}
	}
	for _, name := range names[:min(len(names), 10)] {
		s := q.accepting.effective(q.x.below(property(name)))
		if s.pruned() {
			continue
		}
		with, without := maps.Clone(least), maps.Clone(least)
		with[name] = m.Value(factsOf(s).nodes, 0, false)
		delete(without, name)
		out = append(out, with, without)
		if s.keepsNull() {
			null := maps.Clone(least)
			null[name] = nil
			out = append(out, null)
		}
	}
	return append(out, p.maximalObject(q, least, names))
}

// filled returns an object that has as many fields as the bound lets pass, but none of those names.
func (p *pair) maximalObject(q *question, least map[string]any, without []string) map[string]any {
	out := maps.Clone(least)
	maps.DeleteFunc(out, func(name string, _ any) bool { return slices.Contains(without, name) })
	for _, name := range q.x.declaredNames() {
		if int64(len(out)) >= q.y.maxProps {
			break
		}
		if s := q.accepting.effective(q.x.below(property(name))); !s.pruned() && !slices.Contains(without, name) {
			out[name] = q.accepting.samples().Value(factsOf(s).nodes, 0, false)
		}
	}
	return out
}

// maxToggled bounds how many objects are made for one gap of combinators.
const maxCombinatorObjects = 300

// toggled returns objects that differ from base in whether fields that combinators mention are there, and in what they are.
func (p *pair) combinatorObjects(q *question, base map[string]any) (out []any) {
	names := map[string]bool{}
	var branches []*plan.Node
	for _, f := range []*facts{q.x, q.y} {
		for _, c := range f.combinators {
			branches = append(branches, c.branches...)
		}
	}
	branches, _ = expand(branches)
	for i := 0; i < len(branches) && i < maxNodes; i++ {
		n := branches[i]
		for _, name := range n.Required {
			names[name] = true
		}
		for k := range n.Props {
			names[n.Props[k].Name] = true
		}
		if c := n.Combine; c != nil {
			branches = append(branches, c.AnyOf...)
			branches = append(branches, c.OneOf...)
			if c.Not != nil {
				branches = append(branches, c.Not)
			}
		}
	}
	m := q.accepting.samples()
	choices := map[string][]any{}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		s := q.accepting.effective(q.x.below(property(name)))
		if s.pruned() {
			continue
		}
		all = append(all, name)
		f := factsOf(s)
		add := func(v any) {
			if len(choices[name]) < 8 && f.fits(v) {
				choices[name] = append(choices[name], v)
			}
		}
		add(m.Value(f.nodes, 0, false))
		for _, b := range branches {
			if c := b.Prop(name); c != nil {
				for _, v := range boundaryValues(c.Node) {
					add(v)
				}
			}
		}
		add(m.Value(f.nodes, 1, false))
		add(m.Value(f.nodes, 0, true))
		for _, v := range scalars(f, factsOf(location{preserved: true, proofs: q.x.loc.proofs})) {
			add(v)
		}
	}
	if len(all) > 30 {
		all = all[:30]
	}
	bare := maps.Clone(base)
	for _, name := range all {
		delete(bare, name)
	}
	out = append(out, bare)
	set := func(from map[string]any, name string, v any) map[string]any {
		c := maps.Clone(from)
		c[name] = v
		return c
	}
	everything := bare
	for i, name := range all {
		without := maps.Clone(base)
		delete(without, name)
		out = append(out, without)
		for _, v := range choices[name] {
			out = append(out, set(bare, name, v), set(base, name, v))
		}
		for _, other := range all[i+1:] {
			for _, v := range choices[name] {
				for _, w := range choices[other] {
					if len(out) < maxCombinatorObjects {
						out = append(out, set(set(bare, name, v), other, w))
					}
				}
			}
		}
		if len(choices[name]) > 0 {
			everything = set(everything, name, choices[name][0])
		}
	}
	return append(out, everything, withField(base, "key0"))
}

func withField(base map[string]any, key string) map[string]any {
	c := maps.Clone(base)
	c[key] = "a"
	return c
}
