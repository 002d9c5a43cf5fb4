package server

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/server/internal/catalog"
)

// This file applies strategic merge patches: merge patches in which some lists are merged, by a key of their objects or by the values
// themselves, and in which keys that begin with a dollar sign say what to do.

// The directives of patches.
const (
	directive    = "$patch"
	deleteValues = "$deleteFromPrimitiveList/"
	elementOrder = "$setElementOrder/"
	retainKeys   = "$retainKeys"
	patchDelete  = "delete"
	patchReplace = "replace"
	patchMerge   = "merge"
)

// A merger applies patches to objects of types.
type merger struct{ types catalog.Types }

// object returns old with a patch. The type is that of an object, or of a map of values ({} and their type). It modifies neither.
func (m merger) object(old, patch map[string]any, of string) (map[string]any, error) {
	switch d := patch[directive]; d {
	case nil, patchMerge:
	case patchReplace:
		return withoutDirectives(patch), nil
	case patchDelete:
		return map[string]any{}, nil
	default:
		return nil, fmt.Errorf("unknown patch type: %v", d)
	}
	out := make(map[string]any, len(old)+len(patch))
	maps.Copy(out, old)
	if keep, has := patch[retainKeys].([]any); has {
		maps.DeleteFunc(out, func(k string, _ any) bool { return !slices.Contains(keep, any(k)) })
	}
	for k, v := range patch {
		if strings.HasPrefix(k, "$") {
			continue
		}
		if v == nil {
			delete(out, k)
			continue
		}
		merged, err := m.field(out[k], v, patch, k, of)
		if err != nil {
			return nil, err
		}
		out[k] = merged
	}
	for k, v := range patch {
		if name, ok := strings.CutPrefix(k, deleteValues); ok {
			gone, _ := v.([]any)
			if list, ok := out[name].([]any); ok {
				out[name] = slices.DeleteFunc(slices.Clone(list), func(e any) bool {
					return slices.ContainsFunc(gone, func(g any) bool { return equalJSON(e, g) })
				})
			}
		}
		if name, ok := strings.CutPrefix(k, elementOrder); ok {
			if list, ok := out[name].([]any); ok {
				out[name] = m.ordered(list, v, of, name)
			}
		}
	}
	return out, nil
}

// field returns the value of a field with a patch.
func (m merger) field(old, v any, patch map[string]any, name, of string) (any, error) {
	inner, isMap := strings.CutPrefix(of, "{}")
	var f *catalog.Field
	if !isMap {
		if f = m.types.Field(of, name); f != nil {
			inner = f.Type
		}
	}
	switch x := v.(type) {
	case map[string]any:
		was, _ := old.(map[string]any)
		return m.object(was, x, inner)
	case []any:
		if f == nil || !f.Merge {
			return withoutDirectivesIn(x), nil
		}
		was, _ := old.([]any)
		return m.list(was, x, strings.TrimPrefix(inner, "[]"), f.Key)
	}
	return v, nil
}

// list returns a list with a patch, which adds, changes and removes elements. Without a key, the elements are plain values.
func (m merger) list(old, patch []any, of, key string) ([]any, error) {
	out := slices.Clone(old)
	for _, item := range patch {
		if d, ok := item.(map[string]any); ok && d[directive] == patchReplace {
			rest := slices.DeleteFunc(slices.Clone(patch), func(v any) bool {
				x, ok := v.(map[string]any)
				return ok && x[directive] != nil
			})
			return withoutDirectivesIn(rest), nil
		}
	}
	for _, item := range patch {
		if key == "" {
			if !slices.ContainsFunc(out, func(v any) bool { return equalJSON(v, item) }) {
				out = append(out, item)
			}
			continue
		}
		x, ok := item.(map[string]any)
		if !ok {
			return nil, errors.New("invalid JSON document: expected objects in a list")
		}
		if x[key] == nil {
			return nil, fmt.Errorf("map: %v does not contain declared merge key: %s", x, key)
		}
		i := slices.IndexFunc(out, func(v any) bool {
			y, _ := v.(map[string]any)
			return y != nil && equalJSON(y[key], x[key])
		})
		if x[directive] == patchDelete {
			if i >= 0 {
				out = slices.Delete(out, i, i+1)
			}
			continue
		}
		if i < 0 {
			i, out = len(out), append(out, map[string]any(nil))
		}
		merged, err := m.object(out[i].(map[string]any), x, of)
		if err != nil {
			return nil, err
		}
		out[i] = merged
	}
	return out, nil
}

// ordered returns a list in the order that a patch names. What it does not name comes after what stood before it.
func (m merger) ordered(list []any, order any, of, name string) []any {
	wanted, ok := order.([]any)
	f := m.types.Field(of, name)
	if !ok || f == nil {
		return list
	}
	id := func(v any) any {
		if x, ok := v.(map[string]any); ok && f.Key != "" {
			return x[f.Key]
		}
		return v
	}
	at := func(v any) int {
		return slices.IndexFunc(wanted, func(w any) bool { return equalJSON(id(w), id(v)) })
	}
	var out, rest []any
	for _, v := range list {
		if at(v) < 0 {
			rest = append(rest, v)
		} else {
			out = append(out, v)
		}
	}
	slices.SortStableFunc(out, func(a, b any) int { return at(a) - at(b) })
	return append(out, rest...)
}

// withoutDirectives returns a copy of a patch as a value, without its directives.
func withoutDirectives(patch map[string]any) map[string]any {
	out := make(map[string]any, len(patch))
	for k, v := range patch {
		if strings.HasPrefix(k, "$") || v == nil {
			continue
		}
		switch x := v.(type) {
		case map[string]any:
			v = withoutDirectives(x)
		case []any:
			v = withoutDirectivesIn(x)
		}
		out[k] = v
	}
	return out
}

func withoutDirectivesIn(list []any) []any {
	out := make([]any, len(list))
	for i, v := range list {
		if x, ok := v.(map[string]any); ok {
			v = withoutDirectives(x)
		}
		out[i] = v
	}
	return out
}
