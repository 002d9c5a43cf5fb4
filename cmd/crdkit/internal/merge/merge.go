package merge

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/unstructured"
)

// A Manager is an entry of managedFields.
type Manager struct {
	Name, Operation, APIVersion, Subresource string
	fields                                   *set
}

// Text describes the manager as a server does in a conflict.
func (m *Manager) Text() string {
	text := fmt.Sprintf("%q", m.Name)
	if m.Subresource != "" {
		text += fmt.Sprintf(" with subresource %q", m.Subresource)
	}
	if m.Operation == "Update" {
		text += " using " + m.APIVersion
	}
	return text
}

// Managers returns the managers of an object.
func Managers(live map[string]any) (all []*Manager) {
	meta, _ := live["metadata"].(map[string]any)
	entries, _ := meta["managedFields"].([]any)
	for _, v := range entries {
		entry, _ := v.(map[string]any)
		fields, _ := entry["fieldsV1"].(map[string]any)
		text := func(key string) string {
			s, _ := entry[key].(string)
			return s
		}
		all = append(all, &Manager{text("manager"), text("operation"), text("apiVersion"), text("subresource"), setOf(fields)})
	}
	return all
}

// A Conflict is a field that an apply changes and that another manager owns.
type Conflict struct {
	Manager *Manager
	Path    []string // steps of a fieldsV1: f:name, k:{"key":"value"}, v:"value"
	Text    string   // the path as in a server's conflict: .spec.list[name="a"].field
}

// pathText returns a path as in a server's conflict.
func pathText(path []string) string {
	var b strings.Builder
	for _, step := range path {
		switch kind, text, _ := strings.Cut(step, ":"); kind {
		case "f":
			b.WriteString("." + text)
		case "k":
			keys, _ := unstructured.DecodeJSON([]byte(text))
			var parts []string
			for _, name := range slices.Sorted(maps.Keys(keys)) {
				parts = append(parts, name+"="+jsonText(keys[name]))
			}
			b.WriteString("[" + strings.Join(parts, ",") + "]")
		case "v":
			b.WriteString("[=" + text + "]")
		}
	}
	return b.String()
}

// In returns the path in an applied object, as far as it is there.
func (c *Conflict) In(obj map[string]any) (path []field.Segment) {
	v := any(obj)
	for _, step := range c.Path {
		kind, text, _ := strings.Cut(step, ":")
		list, _ := v.([]any)
		switch kind {
		case "f":
			m, _ := v.(map[string]any)
			if _, ok := m[text]; !ok {
				return path
			}
			v, path = m[text], append(path, field.Segment{Key: text})
			continue
		case "k":
			keys, _ := unstructured.DecodeJSON([]byte(text))
			path = append(path, field.Segment{IsIndex: true, Index: slices.IndexFunc(list, func(item any) bool {
				m, ok := item.(map[string]any)
				for name, key := range keys {
					v, has := m[name]
					ok = ok && (!has || jsonval.Equal(v, key))
				}
				return ok
			})})
		default:
			path = append(path, field.Segment{IsIndex: true, Index: slices.IndexFunc(list, func(item any) bool { return jsonText(item) == text })})
		}
		i := path[len(path)-1].Index
		if i < 0 {
			return path[:len(path)-1]
		}
		v = list[i]
	}
	return path
}

// Apply merges an applied object into a live one, both of the version with the schema root, which may be nil: objects
// without a schema are merged field by field, and lists are values. What the manager of that name has applied before, and
// applies no longer, is removed if nobody else owns it. hasStatus says that status is a subresource, so that nobody owns
// it here.
//
// The conflicts are those for which a server refuses the apply, unless it is forced. The merged object is the one of a
// forced apply. It has the managedFields of live.
func Apply(root *plan.Node, live, applied map[string]any, manager string, hasStatus bool) (merged map[string]any, conflicts []*Conflict) {
	without := ""
	if hasStatus {
		without = fieldStep("status")
	}
	managers := Managers(live)
	var last *set
	owned := &set{}
	fieldsOf(root, applied, owned)
	if without != "" {
		delete(owned.below, without)
	}
	for _, m := range managers {
		if m.Name == manager && m.Operation == "Apply" && m.Subresource == "" {
			last = m.fields
		} else {
			owned.add(m.fields, "")
		}
	}
	both, _ := merge(root, live, applied).(map[string]any)
	merged, _ = remove(root, both, last, owned).(map[string]any)
	changed := &set{}
	compare(root, live, merged, changed)
	for _, step := range []string{without, fieldStep("apiVersion"), fieldStep("kind")} {
		delete(changed.below, step)
	}
	for _, m := range managers {
		if m.fields == last && last != nil {
			continue
		}
		conflicts = append(conflicts, intersection(m, m.fields, changed, nil)...)
	}
	slices.SortStableFunc(conflicts, func(a, b *Conflict) int {
		return cmp.Or(cmp.Compare(a.Manager.Name, b.Manager.Name), cmp.Compare(a.Text, b.Text))
	})
	return merged, conflicts
}

// intersection returns a conflict for each path that is in both sets.
func intersection(m *Manager, owned, changed *set, path []string) (all []*Conflict) {
	if owned.member && changed.member {
		all = append(all, &Conflict{m, slices.Clone(path), pathText(path)})
	}
	for step, next := range changed.below {
		if below := owned.below[step]; below != nil {
			all = append(all, intersection(m, below, next, append(path, step))...)
		}
	}
	return all
}

// metadataNode describes metadata: its lists, and that its fields are those of a struct.
var metadataNode = func() *plan.Node {
	list := func(kind plan.ListType, items *plan.Node, keys ...string) *plan.Node {
		n := plan.WithFlags(0)
		n.Type, n.List, n.ArrayKeywords = "array", kind, &plan.ArrayKeywords{Items: items, ListMapKeys: keys}
		return n
	}
	owner := plan.WithFlags(0)
	owner.Type, owner.RareKeywords = "object", &plan.RareKeywords{MapType: "atomic"}
	var props []plan.Prop
	for _, m := range objectmeta.Metadata.ByName {
		n := plan.WithFlags(0)
		switch m.Name {
		case "finalizers":
			n = list(plan.ListSet, plan.WithFlags(0))
		case "ownerReferences":
			n = list(plan.ListMap, owner, "uid")
		}
		props = append(props, plan.Prop{Name: m.Name, Node: n})
	}
	n := plan.WithFlags(0)
	n.Type, n.ObjectKeywords = "object", &plan.ObjectKeywords{Props: props}
	return n
}()

// child returns the schema of a field, nil for none, and whether the field is one of a struct.
//
//go:noinline
func child(n *plan.Node, name string) (below *plan.Node, isField bool) {
	switch {
	case n == nil:
		return nil, false
	case n.IsResource() && name == "metadata":
		return metadataNode, true
	case n.IsResource() && (name == "apiVersion" || name == "kind"):
		return nil, true
	}
	return n.Child(name)
}

// fields returns a value as an object whose fields are merged one by one.
//
//go:noinline
func fields(n *plan.Node, v any) (map[string]any, bool) {
	m, ok := v.(map[string]any)
	return m, ok && (n == nil || n.MapType != "atomic")
}

// items returns a value as a list whose items are merged one by one, with the steps to them.
//
//go:noinline
func items(n *plan.Node, v any) (list []any, steps []string, ok bool) {
	list, ok = v.([]any)
	if !ok || n == nil || n.List != plan.ListSet && n.List != plan.ListMap {
		return nil, nil, false
	}
	for _, item := range list {
		steps = append(steps, itemStep(n, item))
	}
	return list, steps, true
}

func itemsOf(n *plan.Node) *plan.Node {
	if n == nil {
		return nil
	}
	return n.Items
}

// fieldsOf adds the paths of a value to a set: those of scalars, of atomic and of empty values, of keys of maps, and of
// items.
func fieldsOf(n *plan.Node, v any, s *set) {
	if m, ok := fields(n, v); ok {
		for name, v := range m {
			below, isField := child(n, name)
			next := s.child(fieldStep(name))
			fieldsOf(below, v, next)
			empty, isMap := v.(map[string]any)
			next.member = next.member || v == nil || isMap && len(empty) == 0 || !isField
		}
		return
	}
	if list, steps, ok := items(n, v); ok {
		for i, item := range list {
			next := s.child(steps[i])
			fieldsOf(itemsOf(n), item, next)
			next.member = true
		}
		return
	}
	s.member = true
}

// allOf adds the paths of a value to a set, also those that lead to other paths.
func allOf(n *plan.Node, v any, s *set) {
	fieldsOf(n, v, s)
	s.all()
}

// merge returns what an apply makes of a live value.
func merge(n *plan.Node, live, applied any) any {
	if to, ok := fields(n, applied); ok {
		from, _ := live.(map[string]any)
		if len(from) == 0 {
			return applied
		}
		merged := maps.Clone(from)
		for name, v := range to {
			if was, has := from[name]; has {
				below, _ := child(n, name)
				v = merge(below, was, v)
			}
			merged[name] = v
		}
		return merged
	}
	if to, steps, ok := items(n, applied); ok {
		from, before, _ := items(n, live)
		if len(from) == 0 {
			return applied
		}
		return mergeLists(n, from, before, to, steps)
	}
	if applied == nil && n != nil && granular(n, live) {
		return live
	}
	return applied
}

// granular reports whether the parts of a value are merged one by one.
//
//go:noinline
func granular(n *plan.Node, v any) bool {
	_, isMap := fields(n, v)
	_, _, isList := items(n, v)
	return isMap || isList
}

// mergeLists merges the items of an applied list into those of a live one. Applied items have their order. The others
// keep their places between their neighbours.
func mergeLists(n *plan.Node, live []any, before []string, applied []any, steps []string) any {
	was, index := map[string]any{}, map[string]int{}
	for i, step := range before {
		if _, twice := was[step]; twice {
			was[step] = nil // cannot be merged
			continue
		}
		was[step] = live[i]
	}
	for i, step := range steps {
		index[step] = i
	}
	var shared []int // indices in applied of the items that are in both
	for i, step := range steps {
		if _, ok := was[step]; ok {
			shared = append(shared, i)
		}
	}
	merged, done := []any{}, map[string]bool{}
	take := func(i int) {
		item := applied[i]
		if live := was[steps[i]]; live != nil {
			item = merge(n.Items, live, item)
		}
		merged = append(merged, item)
		done[steps[i]] = true
		if len(shared) > 0 && shared[0] == i {
			shared = shared[1:]
		}
	}
	for l, r := 0, 0; l < len(live) || r < len(applied); {
		if l < len(live) {
			i, isApplied := index[before[l]]
			switch {
			case !isApplied:
				merged = append(merged, live[l])
				l++
				continue
			case r < len(applied) && i == r:
				take(r)
				l, r = l+1, r+1
				continue
			case r < len(applied) && len(shared) > 0 && shared[0] != i:
				l++ // comes later, or came earlier
				continue
			case done[before[l]]:
				l++
			}
		}
		if r < len(applied) {
			take(r)
			r++
		}
	}
	return merged
}

// remove returns a value without what is in last and not owned.
func remove(n *plan.Node, v any, last, owned *set) any {
	if last == nil {
		return v
	}
	if m, ok := fields(n, v); ok {
		rest := map[string]any{}
		for name, v := range m {
			below, isField := child(n, name)
			step := fieldStep(name)
			if last.has(step, isField) && !owned.has(step, isField) {
				continue
			}
			rest[name] = remove(below, v, last.at(step), owned.at(step))
		}
		if len(rest) == 0 && len(m) > 0 {
			return nil
		}
		return rest
	}
	if list, steps, ok := items(n, v); ok {
		var rest []any
		for i, item := range list {
			if last.has(steps[i], false) && !owned.has(steps[i], false) {
				continue
			}
			rest = append(rest, remove(itemsOf(n), item, last.at(steps[i]), owned.at(steps[i])))
		}
		if len(rest) == 0 && len(list) > 0 {
			return nil
		}
		return rest
	}
	return v
}

// compare adds the paths to a set at which a new value differs from an old one: what was added or changed.
func compare(n *plan.Node, old, v any, s *set) {
	if m, ok := fields(n, v); ok {
		was, isMap := old.(map[string]any)
		if !isMap {
			allOf(n, v, s)
			return
		}
		for name, v := range m {
			below, _ := child(n, name)
			next := &set{}
			if before, had := was[name]; had {
				compare(below, before, v, next)
			} else {
				allOf(below, v, next)
			}
			if next.member || len(next.below) > 0 {
				s.child(fieldStep(name)).add(next, "")
			}
		}
		return
	}
	if list, steps, ok := items(n, v); ok {
		was, before, _ := items(n, old)
		found := map[string]any{}
		for i, step := range before {
			found[step] = was[i]
		}
		for i, item := range list {
			next := &set{}
			if before, had := found[steps[i]]; had {
				compare(itemsOf(n), before, item, next)
			} else {
				allOf(itemsOf(n), item, next)
			}
			if next.member || len(next.below) > 0 {
				s.child(steps[i]).add(next, "")
			}
		}
		return
	}
	if v == nil && granular(n, old) {
		return // what was in it is removed
	}
	s.member = s.member || !jsonval.Equal(old, v)
}
