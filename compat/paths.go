package compat

import (
	"maps"
	"slices"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/internal/tool/sample"
)

// This file finds values in objects. A path leads to one value, a schema path to any number of them.

// valueAt returns the value at a path, and whether there is one.
func valueAt(v any, path []field.Segment) (any, bool) {
	for _, s := range path {
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

// tryReplaced is [sample.Replaced] for a path that may lead nowhere. Then it returns nil.
func tryReplaced(v any, path []field.Segment, value any) any {
	last := len(path) - 1
	if path[last].IsIndex {
		if _, ok := valueAt(v, path); !ok {
			return nil
		}
	} else if parent, _ := valueAt(v, path[:last]); !isMap(parent) {
		return nil
	}
	return sample.Replaced(v, path, value)
}

func isMap(v any) bool { _, ok := v.(map[string]any); return ok }

// firstAt returns the first value at schemaPath in obj, with its path, and whether there is one.
func firstAt(v *version, obj map[string]any, schemaPath constraint.Steps) (path []field.Segment, value any, ok bool) {
	n := v.root
	value = obj
	for _, step := range schemaPath {
		switch x := value.(type) {
		case []any:
			if !step.Item || len(x) == 0 {
				return nil, nil, false
			}
			path, value = append(path, field.Segment{IsIndex: true}), x[0]
		case map[string]any:
			key := step.Name
			if step.Other {
				key = sample.Undeclared(n, x)
			}
			w, has := x[key]
			if !has || step.Item {
				return nil, nil, false
			}
			path, value = append(path, field.Segment{Key: key}), w
		default:
			return nil, nil, false
		}
		n = constraint.NodeAt(n, path[len(path)-1:])
	}
	return path, value, true
}

// valuesAt returns the values at schemaPath in v. n is the node for v; it may be nil.
func valuesAt(n *plan.Node, v any, schemaPath constraint.Steps) (values []any) {
	if len(schemaPath) == 0 {
		return []any{v}
	}
	step := schemaPath[0]
	below := constraint.Steps{step}.Node(n)
	switch x := v.(type) {
	case []any:
		if step.Item {
			for _, item := range x {
				values = append(values, valuesAt(below, item, schemaPath[1:])...)
			}
		}
	case map[string]any:
		switch w, has := x[step.Name]; {
		case step.Other:
			for _, k := range slices.Sorted(maps.Keys(x)) {
				if n == nil || n.Prop(k) == nil {
					values = append(values, valuesAt(below, x[k], schemaPath[1:])...)
				}
			}
		case has && !step.Item:
			return valuesAt(below, w, schemaPath[1:])
		}
	}
	return values
}

// countValues returns how many values v consists of, itself included.
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
