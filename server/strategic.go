package server

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/server/internal/catalog"
)

// This file applies strategic merge patches. They merge some lists, by a key of the objects in the list or by the
// values themselves, and have directives: keys that begin with a dollar sign.

// The directives and their values.
const (
	directive    = "$patch"
	deleteValues = "$deleteFromPrimitiveList"
	elementOrder = "$setElementOrder"
	retainKeys   = "$retainKeys"
	patchDelete  = "delete"
	patchReplace = "replace"
	patchMerge   = "merge"
)

// maxCopied limits how many members and elements of the old object are copied. Each is copied once, unless the patch
// changes the same element several times. A request could do that very often.
const maxCopied = 2 << 20

// A merger applies a patch to an object.
type merger struct {
	types  catalog.Types
	copied int
}

// copies counts n copied members or elements. It fails above the limit.
func (m *merger) copies(n int) error {
	if m.copied += n; m.copied > maxCopied {
		return fmt.Errorf("the patch changes the same elements too often: more than %d copies", maxCopied)
	}
	return nil
}

// object applies a patch to an object or map of the type of; that of a map is {} and the type of its values. It
// modifies neither old nor patch.
func (m *merger) object(old, patch map[string]any, of string) (map[string]any, error) {
	switch d := patch[directive]; d {
	case nil, patchMerge:
	case patchReplace:
		return withoutDirectives(patch), nil
	case patchDelete:
		return map[string]any{}, nil
	default:
		return nil, fmt.Errorf("unknown patch type: %v", d)
	}
	if err := m.copies(len(old)); err != nil {
		return nil, err
	}
	out := make(map[string]any, len(old)+len(patch))
	maps.Copy(out, old)
	if keep, has := patch[retainKeys].([]any); has {
		kept := indexes(keep, identity)
		maps.DeleteFunc(out, func(k string, _ any) bool {
			_, retained := kept[identity(k)]
			return !retained
		})
	}
	for k, v := range patch {
		if strings.HasPrefix(k, "$") {
			continue
		}
		if v == nil {
			delete(out, k)
			continue
		}
		if _, has := out[k]; !has {
			out[k] = withoutDirectivesOf(v)
			continue
		}
		merged, err := m.field(out[k], v, patch, k, of)
		if err != nil {
			return nil, err
		}
		out[k] = merged
	}
	for _, action := range [...]string{elementOrder, deleteValues} {
		for k, v := range patch {
			name, is := strings.CutPrefix(k, action+"/")
			list, ok := out[name].([]any)
			if !is || !ok {
				continue
			}
			if err := m.copies(len(list)); err != nil {
				return nil, err
			}
			if action == elementOrder {
				out[name] = m.ordered(list, listAt(old, name), v, of, name)
				continue
			}
			values, _ := v.([]any)
			gone := indexes(values, identity)
			out[name] = slices.DeleteFunc(slices.Clone(list), func(e any) bool {
				_, deleted := gone[identity(e)]
				return deleted
			})
		}
	}
	return out, nil
}

// field applies v, the value in a patch, to a field.
func (m *merger) field(old, v any, patch map[string]any, name, of string) (any, error) {
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

// list applies a patch to a list: it adds, changes and removes elements. Without a key, the elements are scalars. The
// order is that of inOrder.
func (m *merger) list(old, patch []any, of, key string) ([]any, error) {
	for _, item := range patch {
		if d, ok := item.(map[string]any); ok && d[directive] == patchReplace {
			rest := slices.DeleteFunc(slices.Clone(patch), func(v any) bool {
				x, ok := v.(map[string]any)
				return ok && x[directive] != nil
			})
			return withoutDirectivesIn(rest), nil
		}
	}
	if err := m.copies(len(old)); err != nil {
		return nil, err
	}
	id := identityBy(key)
	deleted, changed := map[string]bool{}, make([]any, 0, len(patch))
	for _, item := range patch {
		x, ok := item.(map[string]any)
		switch {
		case key == "":
			changed = append(changed, item)
		case !ok:
			return nil, errors.New("invalid JSON document: expected objects in a list")
		case x[key] == nil:
			return nil, fmt.Errorf("map: %v does not contain declared merge key: %s", x, key)
		case x[directive] == patchDelete:
			deleted[id(x)] = true
		case x[directive] == patchMerge:
			return nil, errors.New("merging not yet supported")
		case x[directive] != nil:
			return nil, fmt.Errorf("unknown patch type: %v", x[directive])
		default:
			changed = append(changed, item)
		}
	}
	kept := slices.DeleteFunc(slices.Clone(old), func(v any) bool { return len(deleted) > 0 && deleted[id(v)] })
	out, at := slices.Clone(kept), indexes(kept, id)
	for _, item := range changed {
		name := id(item)
		i, found := at[name]
		x, ok := item.(map[string]any)
		switch {
		case !found:
			at[name], out = len(out), append(out, withoutDirectivesOf(item))
		case key != "" && ok:
			merged, err := m.object(out[i].(map[string]any), x, of)
			if err != nil {
				return nil, err
			}
			out[i] = merged
		}
	}
	return inOrder(out, kept, changed, id), nil
}

// ordered returns the list in the order given by a patch. old is the list before the patch.
func (m *merger) ordered(list, old []any, order any, of, name string) []any {
	wanted, ok := order.([]any)
	f := m.types.Field(of, name)
	if !ok || f == nil {
		return list
	}
	return inOrder(list, old, wanted, func(v any) string {
		if x, ok := v.(map[string]any); ok && f.Key != "" {
			v = x[f.Key]
		}
		return identity(v)
	})
}

// inOrder returns a list in which the wanted elements are in the order of wanted, and the others in that of the old
// list. An element of the others comes before a wanted one only if it did in the old list. Elements of the same
// identity are together, at the place of the first.
func inOrder(list, old, wanted []any, id func(any) string) []any {
	type element struct {
		value     any
		rank, was int // the first index in wanted and in old, or none
	}
	const none = math.MaxInt
	first := func(at map[string]int, id string) int {
		if i, found := at[id]; found {
			return i
		}
		return none
	}
	before, at := indexes(old, id), indexes(wanted, id)
	var mine, others []element
	for _, v := range list {
		name := id(v)
		if e := (element{v, first(at, name), first(before, name)}); e.rank != none {
			mine = append(mine, e)
		} else {
			others = append(others, e)
		}
	}
	slices.SortStableFunc(mine, func(a, b element) int { return cmp.Compare(a.rank, b.rank) })
	slices.SortStableFunc(others, func(a, b element) int { return cmp.Compare(a.was, b.was) })
	out := make([]any, 0, len(list))
	for _, e := range mine {
		for e.was != none && len(others) > 0 && others[0].was < e.was {
			out, others = append(out, others[0].value), others[1:]
		}
		out = append(out, e.value)
	}
	for _, e := range others {
		out = append(out, e.value)
	}
	return out
}

// indexes returns the first index of the elements of a list by their identity, without those whose identity is empty.
// It avoids comparing each element with all others, since lists may be as long as a request.
func indexes(list []any, id func(any) string) map[string]int {
	at := make(map[string]int, len(list))
	for i, v := range list {
		k := id(v)
		if _, known := at[k]; !known && k != "" {
			at[k] = i
		}
	}
	return at
}

// identity returns the JSON of a value, or a string after a letter with which no JSON of other values begins. Equal
// values have the same identity.
func identity(v any) string {
	if s, is := v.(string); is {
		return "s" + s
	}
	text, _ := json.Marshal(v) // a decoded value can be encoded
	return string(text)
}

// identityBy returns a function for the identity of objects by a key. For other values it returns "". For an empty key
// it is identity.
func identityBy(key string) func(v any) string {
	if key == "" {
		return identity
	}
	return func(v any) string {
		if x, ok := v.(map[string]any); ok {
			return identity(x[key])
		}
		return ""
	}
}

// withoutDirectivesOf returns a copy of a value of a patch that there was not before.
func withoutDirectivesOf(v any) any {
	switch x := v.(type) {
	case map[string]any:
		return withoutDirectives(x)
	case []any:
		return withoutDirectivesIn(slices.DeleteFunc(slices.Clone(x), func(v any) bool {
			m, is := v.(map[string]any)
			return is && m[directive] != nil
		}))
	}
	return v
}

// withoutDirectives returns a copy of a patch without directives and nulls: the value that the patch creates.
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
