package compat

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/constraint"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/sample"
)

// values returns values that may answer q, the likeliest first. base is a valid one.
func (p *pair) values(q *question, base any) []any {
	out := slices.Clone(q.restriction.values)
	m := q.accepting.samples()
	x, y := q.x, q.y
	switch base := base.(type) {
	case map[string]any:
		out = append(out, p.objectValues(q, base)...)
	case []any:
		out = append(out, p.listValues(q, base)...)
	}
	if x.accept&(plan.KindString|numbers|plan.KindBool|plan.KindNull) != 0 {
		out = append(out, scalars(x, y)...)
	}
	p.c.effort -= valueTrials * x.tryCost()
	if x.loc.node != nil && p.c.effort > 0 {
		for trial := range 3 {
			out = append(out, m.Value(x.nodes, trial, false))
		}
		out = append(out, m.Value(x.nodes, 0, true))
	}
	out = append(out, p.branchValues(q)...)
	if x.accept&plan.KindObject != 0 {
		out = append(out, map[string]any{}, map[string]any{"key": "a"})
	}
	if x.accept&plan.KindArray != 0 {
		out = append(out, []any{}, []any{"a"}, []any{int64(1), int64(1)})
	}
	return out
}

// branched returns values for the branches of the choices of both sides.
func (p *pair) branchValues(q *question) (out []any) {
	for _, c := range slices.Concat(q.x.combinators, q.y.combinators) {
		for _, b := range c.branches[:min(len(c.branches), maxBranches)] {
			if p.c.effort -= valueTrials * q.x.tryCost(); p.c.effort <= 0 {
				return out
			}
			f := q.x.assuming(b)
			if q.x.accept&(plan.KindString|numbers) != 0 {
				out = append(out, scalars(f, branchFacts(b, f.loc.proofs))...)
			}
			if q.x.loc.node != nil {
				out = append(out, q.accepting.samples().Value(f.nodes, 0, false))
			}
			if b.Items != nil {
				for _, v := range boundaryValues(b.Items) {
					out = append(out, []any{v})
				}
			}
		}
	}
	return out
}

// edges returns the values that n names, and those around its bounds.
func boundaryValues(n *plan.Node) (out []any) {
	if n.Enum != nil {
		out = append(out, n.Enum.Values[:min(len(n.Enum.Values), 10)]...)
	}
	if c := n.Number; c != nil {
		for _, b := range []*plan.Bound{c.Maximum, c.Minimum, c.MultipleOf} {
			if b != nil && b.Value == float64(b.Int) {
				out = append(out, b.Int, b.Int+1, b.Int-1)
			}
		}
	}
	if c := n.String; c != nil {
		for _, length := range []int64{c.MaxLength, c.MaxLength + 1, c.MinLength, c.MinLength - 1} {
			if length >= 0 && length < maxMadeSize {
				out = append(out, strings.Repeat("a", int(length)))
			}
		}
	}
	return out
}

// madeTrials is how many values are tried to make those of a question, about.
const valueTrials = 20

// scalars returns scalars around what both sides say.
func scalars(x, y *facts) []any {
	var out []any
	for _, f := range []*facts{x, y} {
		for _, e := range f.enums {
			out = append(out, e.Values[:min(len(e.Values), 200)]...)
		}
	}
	if x.accept&plan.KindNull != 0 {
		out = append(out, nil)
	}
	if x.accept&plan.KindBool != 0 {
		out = append(out, true, false)
	}
	if x.accept&numbers != 0 {
		out = append(out, boundaryNumbers(x, y)...)
	}
	if x.accept&plan.KindString != 0 {
		for _, s := range sample.Texts {
			out = append(out, s)
		}
		for _, f := range []*facts{y, x} {
			for _, length := range []int64{f.maxLen + 1, f.maxLen, f.minLen - 1, f.minLen} {
				if length > 0 && length <= maxMadeSize {
					out = append(out, strings.Repeat("a", int(length)))
				}
			}
		}
		n := len(out)
		x.matchingTexts(nil, x.minLen, x.maxLen, func(s string) bool {
			out = append(out, s)
			return len(out) < n+10
		})
	}
	return out
}

func boundaryNumbers(x, y *facts) []any {
	some := []float64{0, 1, -1, 2, 0.5, 1.5, math.MaxInt32 + 1, math.MinInt32 - 1, 2 * math.MaxFloat32}
	for _, f := range []*facts{y, x} {
		for _, b := range slices.Concat(f.lower, f.upper, f.factors) {
			for _, off := range []float64{0, 1, -1, 0.5} {
				some = append(some, b.Value+off)
			}
		}
	}
	for _, lo := range x.lower {
		for _, hi := range x.upper {
			some = append(some, (lo.Value+hi.Value)/2)
		}
	}
	var out []any
	for _, f := range some {
		if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			out = append(out, int64(f))
		} else if x.accept&plan.KindFloat != 0 {
			out = append(out, f)
		}
	}
	return out
}

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
		if s := q.accepting.effective(q.x.child(name, true)); !s.pruned() {
			least[name] = m.Value(factsOf(s).nodes, 0, false)
		}
	}
	for _, name := range names[:min(len(names), 10)] {
		s := q.accepting.effective(q.x.child(name, true))
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
		if s := q.accepting.effective(q.x.child(name, true)); !s.pruned() && !slices.Contains(without, name) {
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
	for i := 0; i < len(branches) && i < maxConjuncts; i++ {
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
		s := q.accepting.effective(q.x.child(name, true))
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

// lists returns lists that differ from base in what the gap is about.
func (p *pair) listValues(q *question, base []any) (out []any) {
	m, x, y := q.accepting.samples(), q.x, q.y
	n := x.loc.node
	if n == nil {
		return nil
	}
	switch q.restriction.keyword {
	case "maxItems", "minItems":
		for _, size := range []int64{y.maxItems + 1, y.minItems - 1, max(x.minItems, 0)} {
			if size >= 0 && size < 2*maxMadeSize {
				if v := m.Sized(n, plan.KindArray, size); v != nil {
					out = append(out, v)
				}
			}
		}
		for i := range min(len(base), 10) {
			out = append(out, slices.Clone(base[:i]))
		}
		out = append(out, p.overlongLists(q, base)...)
	case "listType", "uniqueItems":
		items := x.item()
		if items.node == nil {
			return []any{[]any{"a", "a"}, []any{map[string]any{}, map[string]any{}}}
		}
		nodes := factsOf(items).nodes
		for _, full := range []bool{false, true} {
			first := m.Value(nodes, 0, full)
			if full {
				first = m.Value(nodes, 0, true)
			} else if len(base) > 0 {
				first = base[0]
			}
			out = append(out, []any{first, first})
			same, ok := first.(map[string]any)
			if !ok {
				continue
			}
			with := maps.Clone(same)
			for _, k := range y.keys {
				if with[k] == nil {
					if c := n.Items; c != nil {
						if child, _ := c.Child(k); child != nil {
							with[k] = m.Value([]*plan.Node{child}, 0, false)
						}
					}
				}
			}
			out = append(out, []any{with, with})
			for trial := range 6 {
				other, ok := m.Value(nodes, trial, trial%2 == 1).(map[string]any)
				if !ok {
					continue
				}
				other = maps.Clone(other)
				for _, k := range y.keys {
					if v, has := with[k]; has {
						other[k] = v
					} else {
						delete(other, k)
					}
				}
				out = append(out, []any{with, other})
			}
			for _, k := range x.keys {
				if slices.Contains(y.keys, k) || n.Items == nil {
					continue
				}
				child, _ := n.Items.Child(k)
				if child == nil {
					continue
				}
				for trial := range 4 {
					other := maps.Clone(with)
					other[k] = m.Value([]*plan.Node{child}, trial, false)
					out = append(out, []any{with, other})
				}
			}
		}
	}
	return out
}

// repeated returns lists of one item more than a bound, made of one that is valid where it is.
func (p *pair) overlongLists(q *question, base []any) []any {
	x, y := q.x, q.y
	if y.maxItems >= maxMadeSize || y.maxItems < 0 {
		return nil
	}
	if len(base) == 0 {
		obj, _ := q.accepting.objectAt(q.way.To(constraint.Step{Item: true}))
		_, v, _ := firstAt(q.accepting, obj, q.way)
		if base, _ = v.([]any); len(base) == 0 {
			return nil
		}
	}
	n := int(y.maxItems) + 1
	if x.list != plan.ListMap && x.list != plan.ListSet {
		return []any{slices.Repeat(base[:1], n)}
	}
	var out []any
	for _, form := range []func(i int) any{
		func(i int) any { return fmt.Sprintf("a%d", i) }, func(i int) any { return int64(i + 1) },
		func(i int) any { return fmt.Sprintf("example.com/a%d", i) }, func(i int) any { return fmt.Sprintf("A%d", i) },
	} {
		list := make([]any, n)
		for i := range list {
			list[i] = form(i)
			if first, ok := base[0].(map[string]any); ok && len(x.keys) > 0 {
				item := maps.Clone(first)
				item[x.keys[0]] = form(i)
				list[i] = item
			}
		}
		out = append(out, list)
	}
	return out
}
