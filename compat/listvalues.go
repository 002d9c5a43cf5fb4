package compat

import (
	"fmt"
	"maps"
	"slices"

	"github.com/crdkit/crdkit/internal/plan"
)

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
		items := x.below(items)
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
		obj, _ := q.accepting.objectAt(q.way.To(items))
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
