package compat

import (
	"maps"
	"slices"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/resource"
)

// A request can be sent to both sides.
type request struct {
	kind   string // requestCreate, requestUpdate or requestStatus
	object map[string]any
	stored map[string]any // nil for a create
}

// createOf returns a create of an object.
func createOf(obj map[string]any) request { return request{kind: requestCreate, object: obj} }

// noopUpdateOf returns an update of a stored object that changes nothing.
func noopUpdateOf(stored map[string]any) request { return request{requestUpdate, stored, stored} }

func (r request) witness() *Witness { return &Witness{Stored: r.stored, Object: r.object} }

// requestKind returns the kind of request that can set a value at schemaPath.
func (p *pair) requestKind(schemaPath constraint.Steps) string {
	switch {
	case len(schemaPath) == 0 || schemaPath[0].Name != "status":
	case p.old.hasStatus && p.now.hasStatus:
		return requestStatus
	case p.old.hasStatus || p.now.hasStatus:
		return requestUpdate
	}
	return requestCreate
}

// requestFor returns the request that sets the value of obj at schemaPath. It reports false if v refuses what must be
// stored before.
func (p *pair) requestFor(v *version, schemaPath constraint.Steps, obj map[string]any) (request, bool) {
	kind := p.requestKind(schemaPath)
	if kind == requestCreate {
		return createOf(obj), true
	}
	spec := maps.Clone(obj)
	if v.hasStatus {
		delete(spec, "status")
	}
	r := v.handle(createOf(spec))
	if !accepted(r) {
		return request{}, false
	}
	if kind == requestStatus {
		return request{kind: requestStatus, object: obj, stored: r.Object}, true
	}
	// Only one side has a status subresource. The other one sees the status in what is stored.
	if v.hasStatus {
		if r = v.handle(request{requestStatus, obj, r.Object}); !accepted(r) {
			return request{}, false
		}
	}
	return noopUpdateOf(r.Object), true
}

// byBoth returns the results of both sides.
func (p *pair) byBoth(r request) (was, is resource.Result) {
	if was = p.old.handle(r); !accepted(was) {
		return was, was
	}
	return was, p.now.handle(r)
}

// storedByBoth returns what the sides store for a request, if both accept it.
func (p *pair) storedByBoth(r request) (before, after map[string]any, ok bool) {
	was := p.old.handle(r)
	if !accepted(was) {
		return nil, nil, false
	}
	is := p.now.handle(r)
	return was.Object, is.Object, accepted(is)
}

// about reports whether one of errs is about a value at schemaPath, or about something in it.
func about(errs field.List, schemaPath constraint.Steps) bool {
	return slices.ContainsFunc(errs, func(e *field.Error) bool {
		at := e.Path.Segments()
		if len(at) < len(schemaPath) {
			return false
		}
		for i, step := range schemaPath {
			if step.Item != at[i].IsIndex || !step.Item && !step.Other && at[i].Key != step.Name {
				return false
			}
		}
		return true
	})
}

// lacks reports whether b has a field or an item that a does not have.
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

// equalExceptAPIVersion reports whether two objects are equal, apart from their apiVersions.
func equalExceptAPIVersion(a, b map[string]any) bool {
	if a["apiVersion"] != b["apiVersion"] {
		b = with(b, "apiVersion", a["apiVersion"])
	}
	return jsonval.Equal(a, b)
}
