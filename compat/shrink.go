package compat

import (
	"maps"
	"slices"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/tool/sample"
)

// Limits of making a witness smaller: the number of values in all objects that are tried, how many objects are tried
// even if they are large, and how many paths are tried in one round.
const (
	maxShrinkValues = 40_000
	minShrinkTries  = 15
	maxShrinkPaths  = 500
)

// shrink returns r without fields and items that holds does not need.
func (p *pair) shrink(r request, holds func(request) bool) request {
	left := max(maxShrinkValues/countValues(r.object), minShrinkTries)
	remove := func(from *map[string]any) (smaller bool) {
		for _, path := range removablePaths(*from, nil, 0) {
			if _, has := valueAt(*from, path); !has {
				continue
			}
			if left--; left < 0 || p.c.effort <= 0 {
				return false
			}
			before := *from
			*from, _ = sample.Removed(before, path).(map[string]any)
			if holds(r) {
				smaller = true
			} else {
				*from = before
			}
		}
		return smaller
	}
	for remove(&r.object) {
	}
	if r.stored != nil {
		remove(&r.stored)
	}
	return r
}

// removablePaths returns paths of fields and items of v, which is at a path with depth segments: the outer ones first,
// and in a list the last items first. It leaves out apiVersion, kind and metadata of the whole object.
func removablePaths(v any, path []field.Segment, depth int) (found [][]field.Segment) {
	if depth > 100 {
		return nil
	}
	level := [][]field.Segment{}
	switch x := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(x)) {
			if depth == 0 && plan.ResourceField(k) {
				continue
			}
			level = append(level, append(path[:len(path):len(path)], field.Segment{Key: k}))
		}
	case []any:
		for i := len(x) - 1; i >= 0 && len(level) < maxShrinkPaths; i-- {
			if i+1 < len(x) && jsonval.Equal(x[i], x[i+1]) {
				continue // if one of two equal items cannot be removed, neither can the other
			}
			level = append(level, append(path[:len(path):len(path)], field.Segment{Index: i, IsIndex: true}))
		}
	}
	found = level
	for _, path := range level {
		w, _ := valueAt(v, path[depth:])
		found = append(found, removablePaths(w, path, depth+1)...)
		if len(found) > maxShrinkPaths {
			break
		}
	}
	return found
}
