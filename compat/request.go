package compat

import (
	"maps"
	"slices"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/constraint"
	"github.com/crdkit/crdkit/internal/jsonval"
)

// A request is one that is judged by both sides.
type request struct {
	kind           string
	object, stored map[string]any
}

func (r request) witness() *Witness { return &Witness{Stored: r.stored, Object: r.object} }

// request is by what objects with a value at the end of a way are sent.
func (p *pair) requestKind(way constraint.Way) string {
	switch {
	case len(way) == 0 || way[0].Name != "status":
	case p.old.hasStatus && p.now.hasStatus:
		return StatusUpdate
	case p.old.hasStatus || p.now.hasStatus:
		return Update
	}
	return Create
}

// sent makes the request by which an object is sent that has a value at the end of a way.
func (p *pair) requestFor(v *version, way constraint.Way, obj map[string]any) (request, bool) {
	kind := p.requestKind(way)
	if kind == Create {
		return request{kind: Create, object: obj}, true
	}
	spec := maps.Clone(obj)
	if v.hasStatus {
		delete(spec, "status")
	}
	r := v.handle(Create, spec, nil)
	if r.Err() != nil {
		return request{}, false
	}
	if kind == StatusUpdate {
		return request{kind: StatusUpdate, object: obj, stored: r.Object}, true
	}
	// Only one of the sides has a status subresource: the other one sees the status in what is stored.
	if v.hasStatus {
		if r = v.handle(StatusUpdate, obj, r.Object); r.Err() != nil {
			return request{}, false
		}
	}
	return request{kind: Update, object: r.Object, stored: r.Object}, true
}

// both returns what both sides store of a request, if both accept it.
func (p *pair) storedByBoth(r request) (before, after map[string]any, ok bool) {
	was := p.old.handle(r.kind, r.object, r.stored)
	if was.Err() != nil {
		return nil, nil, false
	}
	is := p.now.handle(r.kind, r.object, r.stored)
	if is.Err() != nil {
		return nil, nil, false
	}
	return was.Object, is.Object, true
}

// about reports whether one of errs is about what is at the end of a way, or beneath it.
func about(errs field.List, way constraint.Way) bool {
	return slices.ContainsFunc(errs, func(e *field.Error) bool {
		at := e.Path.Segments()
		if len(at) < len(way) {
			return false
		}
		for i, step := range way {
			if step.Item != at[i].IsIndex || !step.Item && !step.Other && at[i].Key != step.Name {
				return false
			}
		}
		return true
	})
}

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

// equalObjects reports whether two objects are equal but for their apiVersions.
func equalExceptAPIVersion(a, b map[string]any) bool {
	if a["apiVersion"] != b["apiVersion"] {
		b = maps.Clone(b)
		b["apiVersion"] = a["apiVersion"]
	}
	return jsonval.Equal(a, b)
}
