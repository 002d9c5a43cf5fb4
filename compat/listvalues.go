package compat

import (
	"fmt"
	"maps"
	"slices"

	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/internal/tool/sample"
)

// listValues returns lists that may answer q, made from base, which is valid.
func (q *question) listValues(base []any) (out []any) {
	x, y := q.x, q.y
	if x.loc.node == nil {
		return nil
	}
	switch q.restriction.keyword {
	case "maxItems", "minItems":
		out = sized(q.accepting.samples(), x.loc.node, plan.KindArray, 2*maxMadeSize, y.maxItems+1, y.minItems-1, max(x.minItems, 0))
		for i := range min(len(base), 10) {
			out = append(out, slices.Clone(base[:i]))
		}
		out = append(out, q.overlongLists(base)...)
	case "listType", "uniqueItems":
		out = q.duplicateLists(base)
	}
	return out
}

// sized returns lists or objects of the given sizes, as far as these are below a limit.
func sized(m *sample.Maker, n *plan.Node, kind plan.Kinds, limit int64, sizes ...int64) (out []any) {
	for _, size := range sizes {
		if size >= 0 && size < limit {
			if v := m.Sized(n, kind, size); v != nil {
				out = append(out, v)
			}
		}
	}
	return out
}

// duplicateLists returns lists of two items that are equal, or that have equal values of the keys by which the refusing
// side tells items apart.
func (q *question) duplicateLists(base []any) (out []any) {
	m := q.accepting.samples()
	l := q.x.below(items)
	if l.node == nil {
		return []any{[]any{"a", "a"}, []any{map[string]any{}, map[string]any{}}}
	}
	nodes := factsOf(l).nodes
	for _, full := range []bool{false, true} {
		first := m.Value(nodes, 0, full)
		if !full && len(base) > 0 {
			first = base[0]
		}
		out = append(out, []any{first, first})
		if obj, ok := first.(map[string]any); ok {
			out = append(out, q.equalKeyLists(obj, nodes)...)
		}
	}
	return out
}

// equalKeyLists returns lists of item and another one that has the same values of the keys of the refusing side. nodes
// are those of the items.
func (q *question) equalKeyLists(item map[string]any, nodes []*plan.Node) (out []any) {
	m := q.accepting.samples()
	key := func(name string, trial int) (v any, ok bool) {
		n := constraint.Steps{items, property(name)}.Node(q.x.loc.node)
		if n == nil {
			return nil, false
		}
		return m.Value([]*plan.Node{n}, trial, false), true
	}
	item = maps.Clone(item)
	for _, k := range q.y.keys {
		if item[k] == nil {
			if v, ok := key(k, 0); ok {
				item[k] = v
			}
		}
	}
	out = append(out, []any{item, item})
	for trial := range 6 {
		other, ok := m.Value(nodes, trial, trial%2 == 1).(map[string]any)
		if !ok {
			continue
		}
		other = maps.Clone(other)
		for _, k := range q.y.keys {
			if v, has := item[k]; has {
				other[k] = v
			} else {
				delete(other, k)
			}
		}
		out = append(out, []any{item, other})
	}
	for _, k := range q.x.keys {
		if slices.Contains(q.y.keys, k) {
			continue
		}
		for trial := range 4 {
			if v, ok := key(k, trial); ok {
				out = append(out, []any{item, with(item, k, v)})
			}
		}
	}
	return out
}

// distinctItems reports whether no two items of such a list are equal.
func distinctItems(l plan.ListType) bool { return l == plan.ListMap || l == plan.ListSet }

// overlongLists returns lists with one item more than the refusing side allows. The items are like the first one of
// base, or of another valid list if base is empty.
func (q *question) overlongLists(base []any) []any {
	x, y := q.x, q.y
	if y.maxItems >= maxMadeSize || y.maxItems < 0 {
		return nil
	}
	if len(base) == 0 {
		obj, _ := q.accepting.objectAt(q.schemaPath.To(items))
		_, v, _ := firstAt(q.accepting, obj, q.schemaPath)
		if base, _ = v.([]any); len(base) == 0 {
			return nil
		}
	}
	n := int(y.maxItems) + 1
	keys := x.keys
	if len(keys) == 0 {
		keys = y.keys
	}
	var out []any
	if !distinctItems(x.list) {
		if out = append(out, slices.Repeat(base[:1], n)); !distinctItems(y.list) {
			return out
		}
	}
	for _, distinct := range []func(i int) any{
		func(i int) any { return fmt.Sprintf("a%d", i) }, func(i int) any { return int64(i + 1) },
		func(i int) any { return fmt.Sprintf("example.com/a%d", i) }, func(i int) any { return fmt.Sprintf("A%d", i) },
	} {
		list := make([]any, n)
		for i := range list {
			list[i] = distinct(i)
			if first, ok := base[0].(map[string]any); ok && len(keys) > 0 {
				list[i] = with(first, keys[0], distinct(i))
			}
		}
		out = append(out, list)
	}
	return out
}
