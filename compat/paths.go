package compat

import (
	"maps"
	"slices"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/constraint"
	"github.com/crdkit/crdkit/internal/plan"
)

func valueAt(v any, at []field.Segment) (any, bool) {
	for _, s := range at {
		switch x := v.(type) {
		case []any:
			if !s.IsIndex || s.Index >= len(x) {
				return nil, false
			}
			v = x[s.Index]
		case map[string]any:
			w, ok := x[s.Key]
			if !ok {
				return nil, false
			}
			v = w
		default:
			return nil, false
		}
	}
	return v, true
}

// with returns v with another value at a place; everything else is shared. without drops what is there instead.
func replaced(v any, at []field.Segment, value any) any {
	if len(at) == 0 {
		return value
	}
	switch x := v.(type) {
	case []any:
		out := slices.Clone(x)
		out[at[0].Index] = replaced(x[at[0].Index], at[1:], value)
		return out
	case map[string]any:
		out := maps.Clone(x)
		out[at[0].Key] = replaced(x[at[0].Key], at[1:], value)
		return out
	}
	return v
}

func removed(v any, at []field.Segment) any {
	switch x := v.(type) {
	case []any:
		i := at[0].Index
		if len(at) == 1 {
			return slices.Concat(x[:i], x[i+1:])
		}
		out := slices.Clone(x)
		out[i] = removed(x[i], at[1:])
		return out
	case map[string]any:
		out := maps.Clone(x)
		if len(at) == 1 {
			delete(out, at[0].Key)
		} else {
			out[at[0].Key] = removed(x[at[0].Key], at[1:])
		}
		return out
	}
	return v
}

// put is with for a place that may be missing in its object.
func tryReplaced(v any, at []field.Segment, value any) any {
	if _, ok := valueAt(v, at[:len(at)-1]); !ok {
		return nil
	}
	if last := at[len(at)-1]; last.IsIndex {
		if _, ok := valueAt(v, at); !ok {
			return nil
		}
	} else if m, _ := valueAt(v, at[:len(at)-1]); !isMap(m) {
		return nil
	}
	return replaced(v, at, value)
}

func isMap(v any) bool { _, ok := v.(map[string]any); return ok }

// place returns the first place at the end of a way in obj, and the value there.
func firstAt(v *version, obj map[string]any, way constraint.Way) (at []field.Segment, value any, ok bool) {
	n := v.root
	value = obj
	for _, step := range way {
		switch x := value.(type) {
		case []any:
			if !step.Item || len(x) == 0 {
				return nil, nil, false
			}
			at, value = append(at, field.Segment{IsIndex: true}), x[0]
			if n != nil {
				n = n.Items
			}
		case map[string]any:
			key := step.Name
			if step.Other {
				key = ""
				for _, k := range slices.Sorted(maps.Keys(x)) {
					if n == nil || n.Prop(k) == nil {
						key = k
						break
					}
				}
			}
			w, has := x[key]
			if !has || step.Item {
				return nil, nil, false
			}
			at, value = append(at, field.Segment{Key: key}), w
			if n != nil {
				n, _ = n.Child(key)
			}
		default:
			return nil, nil, false
		}
	}
	return at, value, true
}

// collect returns the values at the end of a way.
func valuesAt(n *plan.Node, v any, way constraint.Way) []any {
	if len(way) == 0 {
		return []any{v}
	}
	var out []any
	switch x := v.(type) {
	case []any:
		if way[0].Item {
			for _, item := range x {
				var below *plan.Node
				if n != nil {
					below = n.Items
				}
				out = append(out, valuesAt(below, item, way[1:])...)
			}
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(x)) {
			var below *plan.Node
			declared := false
			if n != nil {
				below, declared = n.Child(k)
			}
			if k == way[0].Name && !way[0].Item && !way[0].Other || way[0].Other && !declared {
				out = append(out, valuesAt(below, x[k], way[1:])...)
			}
		}
	}
	return out
}

// size returns how many values v consists of.
func countValues(v any) int {
	n := 1
	switch x := v.(type) {
	case map[string]any:
		for _, w := range x {
			n += countValues(w)
		}
	case []any:
		for _, w := range x {
			n += countValues(w)
		}
	}
	return n
}
