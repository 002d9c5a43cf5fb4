package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/unstructured"
)

// This file has as much of strategic merge patches as kubectl sends for namespaces: a merge patch in which the finalizers and the owners of
// an object are merged with those that are there, and in which keys that begin with a dollar sign are about other keys.

// strategicMerge returns the merge patch that does to a namespace what a strategic one does.
func strategicMerge(patch []byte, stored map[string]any) ([]byte, error) {
	obj, err := unstructured.DecodeJSON(patch)
	if err != nil {
		return nil, fmt.Errorf("error decoding patch: %w", err)
	}
	if meta := metadata(obj); meta != nil {
		old := metadata(stored)
		mergeList(meta, old, "finalizers", func(v any) string {
			s, _ := v.(string)
			return s
		})
		mergeList(meta, old, "ownerReferences", func(v any) string {
			m, _ := v.(map[string]any)
			return text(m, "uid")
		})
	}
	if !withoutDirectives(obj) {
		return nil, errors.New("the patch has a directive that is not supported for namespaces")
	}
	return json.Marshal(obj)
}

// mergeList makes of what a patch says about a list what the list is to be.
func mergeList(meta, old map[string]any, key string, id func(any) string) {
	const remove, order, directive = "$deleteFromPrimitiveList/", "$setElementOrder/", "$patch"
	gone, _ := meta[remove+key].([]any)
	delete(meta, remove+key)
	delete(meta, order+key)
	sent, patched := meta[key].([]any)
	if !patched && gone == nil {
		return // or the patch says null: nothing is to be left
	}
	was, _ := old[key].([]any)
	list := slices.DeleteFunc(slices.Clone(was), func(v any) bool {
		return slices.ContainsFunc(gone, func(g any) bool { return id(g) == id(v) })
	})
	for _, item := range sent {
		same := func(v any) bool { return id(v) == id(item) }
		m, _ := item.(map[string]any)
		i := slices.IndexFunc(list, same)
		switch {
		case m[directive] == "delete":
			list = slices.DeleteFunc(list, same)
		case i < 0:
			list = append(list, item)
		default:
			list[i] = item
		}
	}
	meta[key] = list
}

// withoutDirectives takes the order of lists out of a patch, and reports whether no other directive is in it.
func withoutDirectives(v any) bool {
	switch x := v.(type) {
	case map[string]any:
		for k, e := range x {
			switch {
			case strings.HasPrefix(k, "$setElementOrder/"), strings.HasPrefix(k, "$retainKeys"):
				delete(x, k)
			case strings.HasPrefix(k, "$"), !withoutDirectives(e):
				return false
			}
		}
	case []any:
		return !slices.ContainsFunc(x, func(e any) bool { return !withoutDirectives(e) })
	}
	return true
}
