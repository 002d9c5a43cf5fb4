package compat

import (
	"iter"
	"slices"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/constraint"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/sample"
)

// bases yields objects with a value at the end of a way: valid on one side, then on both, as far as there are any.
func (p *pair) bases(accepting, refusing *version, way constraint.Way) iter.Seq[map[string]any] {
	return func(yield func(map[string]any) bool) {
		var out []map[string]any
		next := func(obj map[string]any) bool {
			if obj == nil || p.c.effort <= 0 || slices.ContainsFunc(out, func(o map[string]any) bool { return jsonval.Equal(o, obj) }) {
				return true
			}
			out = append(out, obj)
			return yield(obj)
		}
		obj, _ := accepting.objectAt(way)
		if !next(obj) {
			return
		}
		if obj != nil && !next(p.reconcile(accepting, refusing, obj, way)) {
			return
		}
		if other, _ := refusing.objectAt(way); other != nil {
			if _, _, ok := firstAt(accepting, other, way); !ok {
				other = accepting.samples().Extend(accepting.withAPIVersion(other), way)
			}
			if other != nil && !next(p.reconcile(accepting, refusing, accepting.withAPIVersion(other), way)) {
				return
			}
		}
		for _, o := range p.c.options.Objects {
			if _, _, ok := firstAt(accepting, o, way); ok && len(out) < 50 && !next(accepting.withAPIVersion(o)) {
				return
			}
		}
	}
}

// reconcile changes obj until neither side has anything against it, but for what is at the end of the way; it adds what is required, and
// replaces what is wrong.
func (p *pair) reconcile(accepting, refusing *version, obj map[string]any, way constraint.Way) map[string]any {
	type fault struct {
		at      []field.Segment
		missing bool
	}
	faults := func(obj map[string]any) (found []fault) {
		for _, v := range []*version{accepting, refusing} {
			p.c.effort--
			r := v.samples().Judge(p.c.ctx, v.withAPIVersion(obj), nil)
			for _, e := range r.Errors {
				if !e.RulesSkipped() && (v == accepting || !about(field.List{e}, way)) {
					found = append(found, fault{e.Path.Segments(), e.Type == field.ErrorTypeRequired})
				}
			}
			if r.Failure != nil && len(r.Errors) == 0 {
				found = append(found, fault{})
			}
		}
		return found
	}
	wrong := faults(obj)
	for range 8 {
		if len(wrong) == 0 || p.c.effort <= 0 {
			break
		}
		better := false
		for _, w := range wrong {
			if len(w.at) == 0 {
				continue
			}
			for _, v := range p.valuesFor(accepting, refusing, w.at) {
				changed, ok := tryReplaced(obj, w.at, v).(map[string]any)
				if !ok {
					break
				}
				if left := faults(changed); len(left) < len(wrong) {
					obj, wrong, better = changed, left, true
					break
				}
			}
			if better {
				break
			}
		}
		if !better {
			break
		}
	}
	if len(wrong) == 0 {
		return obj
	}
	rest := p.c.limit(baseEffort)
	defer p.c.restore(rest)
	repaired, err := refusing.samples().Repair(p.c.ctx, refusing.withAPIVersion(obj), func(v any) bool {
		obj, _ := v.(map[string]any)
		if _, _, ok := firstAt(accepting, obj, way); !ok {
			return false
		}
		p.c.effort--
		return accepting.samples().Judge(p.c.ctx, accepting.withAPIVersion(obj), nil).Err() == nil
	})
	if err != nil {
		return obj
	}
	return accepting.withAPIVersion(repaired)
}

// fitting returns values that both sides accept at a place.
func (p *pair) valuesFor(accepting, refusing *version, at []field.Segment) (out []any) {
	a, b := nodeAt(accepting.root, at), nodeAt(refusing.root, at)
	var nodes []*plan.Node
	for _, n := range []*plan.Node{b, a} {
		if n != nil {
			nodes = append(nodes, n)
		}
	}
	if len(nodes) == 0 {
		return nil
	}
	add := func(v any) {
		if len(out) < 8 && sample.Fits(nodes, v) && !slices.ContainsFunc(out, func(w any) bool { return jsonval.Equal(v, w) }) {
			out = append(out, v)
		}
	}
	m := refusing.samples()
	if b == nil {
		m = accepting.samples()
	}
	for trial := range 3 {
		add(m.Value(nodes, trial, false))
	}
	add(m.Value(nodes, 0, true))
	first := factsOf(location{node: nodes[0], branches: nodes[1:], proofs: &p.c.proofs})
	for _, v := range scalars(first, first) {
		add(v)
	}
	return out
}
