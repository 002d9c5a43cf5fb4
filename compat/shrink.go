package compat

import (
	"maps"
	"slices"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
)

// What makes a witness small may judge objects of so many values in all, but so many objects in any case, and looks at so many parts in turn.
const (
	shrinkValues = 40_000
	shrinkLeast  = 15
	maxParts     = 500
)

// shrink drops what the witness does not need.
func (p *pair) shrink(r request, holds func(request) bool) request {
	left := max(shrinkValues/countValues(r.object), shrinkLeast)
	drop := func(of *map[string]any) (dropped bool) {
		for _, at := range removablePaths(*of, nil, 0) {
			if _, there := valueAt(*of, at); !there {
				continue
			}
			if left--; left < 0 || p.c.effort <= 0 {
				return false
			}
			all := *of
			*of, _ = removed(all, at).(map[string]any)
			if holds(r) {
				dropped = true
			} else {
				*of = all
			}
		}
		return dropped
	}
	for drop(&r.object) {
	}
	if r.stored != nil {
		drop(&r.stored)
	}
	return r
}

// parts returns the places in v that may be dropped, the outer ones first; of a list, the last items first.
func removablePaths(v any, at []field.Segment, depth int) (found [][]field.Segment) {
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
			level = append(level, append(at[:len(at):len(at)], field.Segment{Key: k}))
		}
	case []any:
		for i := len(x) - 1; i >= 0 && len(level) < maxParts; i-- {
			if i+1 < len(x) && jsonval.Equal(x[i], x[i+1]) {
				continue // what cannot go without the one cannot go without the other
			}
			level = append(level, append(at[:len(at):len(at)], field.Segment{Index: i, IsIndex: true}))
		}
	}
	found = level
	for _, at := range level {
		w, _ := valueAt(v, at[depth:])
		found = append(found, removablePaths(w, at, depth+1)...)
		if len(found) > maxParts {
			break
		}
	}
	return found
}
