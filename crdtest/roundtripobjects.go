package crdtest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/tool/sample"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/unstructured"
)

// objects returns the objects of a version that are converted.
func (tt *trips) objects(ctx context.Context, version string) (all []map[string]any, err error) {
	m := tt.makers[version]
	minimal, err := m.Minimal(ctx)
	if err != nil {
		return nil, fmt.Errorf("no valid object of %s in %s was found: %w", tt.d.Name(), version, err)
	}
	if minimal, err = tt.read(version, minimal); err != nil {
		return nil, err
	}
	all = append(all, minimal)
	full, err := m.Full(ctx)
	if err != nil { // it is invalid
		full = minimal
	}
	all = append(all, tt.variants(ctx, version, withIdentity(full))...)
	for i, given := range tt.given {
		obj, err := object(given)
		if err != nil {
			return nil, inField("Given", fmt.Errorf("object %d: %w", i+1, err))
		}
		_, own, _ := typeOf(obj)
		storage, _ := tt.d.StorageVersion()
		if own = cmp.Or(own, tt.d.versionOf(given), storage); own != version {
			continue
		}
		name, namespace := identity(obj)
		obj = filled(obj, tt.d, version, name, namespace)
		if r := m.Submit(ctx, obj, nil); r.Err() != nil {
			return nil, inField("Given", fmt.Errorf("object %d: %w", i+1, r.Err()))
		}
		if obj, err = tt.read(version, obj); err != nil {
			return nil, err
		}
		all = append(all, obj)
	}
	return all, nil
}

// read returns an object of a version as a server reads it from its store, with defaults.
func (tt *trips) read(version string, obj map[string]any) (map[string]any, error) {
	r := tt.of.Version(version).Read(obj)
	return r.Object, r.Err()
}

// withIdentity returns obj with metadata that conversions must keep.
func withIdentity(obj map[string]any) map[string]any {
	out := unstructured.Clone(obj)
	meta, _ := out["metadata"].(map[string]any)
	meta["uid"] = "8b5cf2c2-8a06-4b4a-9d2c-1f3d6b0f0a11"
	meta["labels"] = map[string]any{"crdtest.example.com/label": "a"}
	meta["annotations"] = map[string]any{"crdtest.example.com/annotation": "b"}
	return out
}

// maxVariants is how many variants of a full object are converted.
const maxVariants = 24

// variants returns the full object and others that differ from it in many fields at once: in them each scalar takes one
// of its values after the other, lists have several items in either order, and fields that may be absent are.
func (tt *trips) variants(ctx context.Context, version string, full map[string]any) (all []map[string]any) {
	structural := tt.of.Version(version).Schema()
	if structural == nil {
		return []map[string]any{full}
	}
	g := &varier{m: tt.makers[version], alternatives: map[*plan.Node][]any{}, rounds: 1}
	for round := 0; round < min(g.rounds, maxVariants-4); round++ {
		all = tt.addVariant(ctx, all, version, full, g.object(structural, full, variation{round: round, grow: true}))
	}
	for _, v := range []variation{{grow: true, reverse: true}, {empty: true}, {omit: 1}, {omit: 2}} {
		all = tt.addVariant(ctx, all, version, full, g.object(structural, full, v))
	}
	return append(all, full)
}

// addVariant adds an object, after putting back the values of full for which it is not valid.
func (tt *trips) addVariant(ctx context.Context, all []map[string]any, version string, full, obj map[string]any) []map[string]any {
	for range 6 {
		r := tt.makers[version].Submit(ctx, obj, nil)
		if r.Err() == nil {
			if read, err := tt.read(version, obj); err == nil {
				all = append(all, read)
			}
			return all
		}
		if r.Failure != nil {
			return all
		}
		for _, e := range r.Errors {
			at := e.Path.Segments()
			for len(at) > 1 && valueAt(full, at) == nil {
				at = at[:len(at)-1]
			}
			if len(at) == 0 {
				continue
			}
			if restored, ok := sample.Replaced(obj, at, jsonval.Clone(valueAt(full, at))).(map[string]any); ok {
				obj = restored
			}
		}
	}
	return all
}

// valueAt returns the value at a path, or nil.
func valueAt(v any, at []field.Segment) any {
	for _, s := range at {
		if s.IsIndex {
			list, _ := v.([]any)
			if s.Index >= len(list) {
				return nil
			}
			v = list[s.Index]
			continue
		}
		m, _ := v.(map[string]any)
		v = m[s.Key]
	}
	return v
}

// A variation says how an object differs from a full one.
type variation struct {
	round   int  // which of its values a scalar takes
	grow    bool // lists have three items
	reverse bool // in reverse order
	empty   bool // lists and maps are empty
	omit    int  // 1, 2: every second field that is not required is absent
}

// A varier makes variants of objects.
type varier struct {
	m            *sample.Maker
	alternatives map[*plan.Node][]any // the values of scalars
	rounds       int                  // the maximum number of values
	ordinal      int                  // of the next scalar or field
}

func (g *varier) object(s *schema.Structural, obj map[string]any, v variation) map[string]any {
	g.ordinal = 0
	out := maps.Clone(obj)
	root := plan.Root(s)
	for _, key := range slices.Sorted(maps.Keys(obj)) {
		if child, _ := root.Child(key); child != nil && key != "apiVersion" && key != "kind" && key != "metadata" {
			out[key] = g.value(child, obj[key], v)
		}
	}
	return out
}

func (g *varier) value(n *plan.Node, was any, v variation) any {
	switch x := was.(type) {
	case map[string]any:
		out := make(map[string]any, len(x))
		for _, key := range slices.Sorted(maps.Keys(x)) {
			child, declared := n.Child(key)
			if v.empty && !declared && n.Additional != nil {
				continue
			}
			if g.ordinal++; v.omit > 0 && declared && g.ordinal%2 == v.omit-1 && !slices.Contains(n.Required, key) {
				continue
			}
			if out[key] = x[key]; child != nil {
				out[key] = g.value(child, x[key], v)
			}
		}
		if n.Has&plan.PreserveFields != 0 && !v.empty {
			out["crdtestUnknown"] = map[string]any{"kept": true}
		}
		return out
	case []any:
		return g.list(n, x, v)
	}
	g.ordinal++
	all := g.scalars(n, was)
	if len(all) == 0 || v.omit > 0 || v.empty {
		return was
	}
	return all[(v.round+g.ordinal)%len(all)]
}

// list returns a list with more items.
func (g *varier) list(n *plan.Node, x []any, v variation) any {
	if v.empty {
		return []any{}
	}
	items := slices.Clone(x)
	if n.Items == nil || len(items) == 0 {
		return items
	}
	if v.grow && n.List != plan.ListMap && n.List != plan.ListSet {
		for len(items) < 3 && int64(len(items)) < n.MaxItems {
			items = append(items, items[0])
		}
	} else if grown, ok := g.m.Sized(n, plan.KindArray, 3).([]any); ok && v.grow && int64(len(items)) < n.MaxItems {
		items = grown
	}
	for i := range items {
		if n.List != plan.ListSet { // other items would have to differ
			items[i] = g.value(n.Items, items[i], v)
		}
	}
	if n.List == plan.ListMap { // keys have to differ
		if grown, ok := g.m.Sized(n, plan.KindArray, int64(len(items))).([]any); ok {
			for i := range min(len(items), len(grown)) {
				item, _ := items[i].(map[string]any)
				from, _ := grown[i].(map[string]any)
				for _, key := range n.ListMapKeys {
					if item != nil && from[key] != nil {
						item[key] = from[key]
					}
				}
			}
		}
	}
	if v.reverse {
		slices.Reverse(items)
	}
	return items
}

// scalars returns the values that a scalar takes, beginning with the one that it has.
func (g *varier) scalars(n *plan.Node, was any) []any {
	if all, ok := g.alternatives[n]; ok {
		return all
	}
	all := []any{was}
	add := func(v any) {
		same := func(w any) bool { return jsonval.Equal(v, w) }
		if len(all) < maxVariants-4 && !slices.ContainsFunc(all, same) && sample.Fits([]*plan.Node{n}, v) {
			all = append(all, v)
		}
	}
	if n.Enum != nil {
		for _, v := range n.Enum.Values {
			add(v)
		}
	}
	switch was.(type) {
	case bool:
		add(true)
		add(false)
	case int64, float64:
		for _, v := range []int64{1<<53 + 1, 0, 1<<31 - 1, -1<<53 - 1, -1} { // the first is no float64
			add(v)
		}
		if n.Accept&plan.KindInt == 0 || n.Type == "number" {
			add(0.1)
		}
	case string:
		for trial := range 3 {
			add(g.m.Value([]*plan.Node{n}, trial, true))
		}
		add("")
		add("crdtest \"é\"")
	}
	g.alternatives[n], g.rounds = all, max(g.rounds, len(all))
	return all
}
