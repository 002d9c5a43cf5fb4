package compat

import (
	"maps"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// What makes a witness small may judge objects of so many values in all, but so many objects in any case, and looks at so many parts in turn.
const (
	shrinkValues = 40_000
	shrinkLeast  = 15
	maxParts     = 500
)

// lacks reports whether b has a member or an item that a has not.
func lacks(a, b any) bool {
	switch y := b.(type) {
	case map[string]any:
		x, _ := a.(map[string]any)
		for k, v := range y {
			w, has := x[k]
			if !has || lacks(w, v) {
				return true
			}
		}
	case []any:
		x, _ := a.([]any)
		if len(x) < len(y) {
			return true
		}
		for i := range y {
			if lacks(x[i], y[i]) {
				return true
			}
		}
	}
	return false
}

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

// equalObjects reports whether two objects are equal but for their apiVersions.
func equalExceptAPIVersion(a, b map[string]any) bool {
	if a["apiVersion"] != b["apiVersion"] {
		b = maps.Clone(b)
		b["apiVersion"] = a["apiVersion"]
	}
	return jsonval.Equal(a, b)
}
