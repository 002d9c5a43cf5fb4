package compat

import (
	"iter"
	"slices"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/internal/tool/sample"
)

// Witnesses are made by changing base objects: valid objects that have a value at the schema path in question.

// maxBases bounds how many bases are tried for a question.
const maxBases = 50

// bases yields objects that have a value at schemaPath: first some that are valid on the accepting side, then some that
// are valid on both sides, then those of [Options.Objects].
func (p *pair) bases(accepting, refusing *version, schemaPath constraint.Steps) iter.Seq[map[string]any] {
	return func(yield func(map[string]any) bool) {
		var out []any
		next := func(obj map[string]any) bool {
			if obj == nil || p.c.effort <= 0 || hasValue(out, obj) {
				return true
			}
			out = append(out, obj)
			return yield(obj)
		}
		obj, _ := accepting.objectAt(schemaPath)
		if !next(obj) {
			return
		}
		if obj != nil && !next(p.reconcile(accepting, refusing, obj, schemaPath)) {
			return
		}
		if other, _ := refusing.objectAt(schemaPath); other != nil {
			if _, _, ok := firstAt(accepting, other, schemaPath); !ok {
				other = accepting.samples().Extend(accepting.withAPIVersion(other), schemaPath)
			}
			if other != nil && !next(p.reconcile(accepting, refusing, accepting.withAPIVersion(other), schemaPath)) {
				return
			}
		}
		if schemaPath.Node(accepting.root) == nil && !next(p.invented(accepting, refusing, schemaPath)) {
			return
		}
		for _, o := range p.c.options.Objects {
			if _, _, ok := firstAt(accepting, o, schemaPath); ok && len(out) < maxBases && !next(accepting.withAPIVersion(o)) {
				return
			}
		}
	}
}

// invented returns an object with a value at a schema path where the accepting side describes nothing and preserves
// what it does not describe. It is made of an object of the refusing side that has a value on the way, or nil if there
// is none.
func (p *pair) invented(accepting, refusing *version, schemaPath constraint.Steps) map[string]any {
	for known := len(schemaPath) - 1; known >= 0; known-- {
		prefix := schemaPath[:known]
		if prefix.Node(refusing.root) == nil {
			continue
		}
		base, _ := refusing.objectAt(prefix)
		at, value, ok := firstAt(refusing, base, prefix)
		if base == nil || !ok {
			continue
		}
		var below any = "a"
		for i := len(schemaPath) - 1; i > known; i-- {
			below = around(schemaPath[i], nil, below)
		}
		obj, _ := sample.Replaced(base, at, around(schemaPath[known], value, below)).(map[string]any)
		return accepting.withAPIVersion(obj)
	}
	return nil
}

// around returns value with another one below it, one step away: an item, or a field. value need not fit the step.
func around(step constraint.Step, value, below any) any {
	if step.Item {
		return []any{below}
	}
	name := step.Name
	if step.Other {
		name = unknownField
	}
	m, _ := value.(map[string]any)
	if m == nil {
		m = map[string]any{}
	}
	return with(m, name, below)
}

// maxReplacements bounds how many values reconcile replaces before it leaves the object to [sample.Maker.Repair].
const maxReplacements = 8

// reconcile returns obj with as few changes as it finds that make both sides accept it, apart from the value at
// schemaPath. It returns an object that is not accepted if it finds none.
func (p *pair) reconcile(accepting, refusing *version, obj map[string]any, schemaPath constraint.Steps) map[string]any {
	wrong := p.faults(accepting, refusing, obj, schemaPath)
	for range maxReplacements {
		if len(wrong) == 0 || p.c.effort <= 0 {
			break
		}
		better, left := p.replaceOne(accepting, refusing, obj, schemaPath, wrong)
		if better == nil {
			break
		}
		obj, wrong = better, left
	}
	if len(wrong) == 0 {
		return obj
	}
	rest := p.c.limit(baseEffort)
	defer p.c.restore(rest)
	repaired, err := refusing.samples().Repair(p.c.ctx, refusing.withAPIVersion(obj), func(v any) bool {
		obj, _ := v.(map[string]any)
		if _, _, ok := firstAt(accepting, obj, schemaPath); !ok {
			return false
		}
		p.c.effort--
		return accepted(accepting.samples().Submit(p.c.ctx, accepting.withAPIVersion(obj), nil))
	})
	if err != nil {
		return obj
	}
	return accepting.withAPIVersion(repaired)
}

// faults returns the locations of what is wrong with obj on either side, apart from the value at schemaPath on the
// refusing side. A failure that has no location has an empty one.
func (p *pair) faults(accepting, refusing *version, obj map[string]any, schemaPath constraint.Steps) (found [][]field.Segment) {
	for _, v := range []*version{accepting, refusing} {
		p.c.effort--
		r := v.samples().Submit(p.c.ctx, v.withAPIVersion(obj), nil)
		for _, e := range r.Errors {
			if !e.RulesSkipped() && (v == accepting || !about(field.List{e}, schemaPath)) {
				found = append(found, e.Path.Segments())
			}
		}
		if r.Failure != nil && len(r.Errors) == 0 {
			found = append(found, nil)
		}
	}
	return found
}

// replaceOne returns obj with a value at one of the faulty locations that leaves fewer faults, and these. It returns
// nil if it finds none.
func (p *pair) replaceOne(accepting, refusing *version, obj map[string]any, schemaPath constraint.Steps, wrong [][]field.Segment) (map[string]any, [][]field.Segment) {
	for _, at := range wrong {
		if len(at) == 0 {
			continue
		}
		for _, v := range p.valuesFor(accepting, refusing, at) {
			changed, ok := tryReplaced(obj, at, v).(map[string]any)
			if !ok {
				break
			}
			if left := p.faults(accepting, refusing, changed, schemaPath); len(left) < len(wrong) {
				return changed, left
			}
		}
	}
	return nil, nil
}

// valuesFor returns values for a location that the schemas of both sides accept.
func (p *pair) valuesFor(accepting, refusing *version, at []field.Segment) (out []any) {
	a, b := constraint.NodeAt(accepting.root, at), constraint.NodeAt(refusing.root, at)
	nodes := slices.DeleteFunc([]*plan.Node{b, a}, func(n *plan.Node) bool { return n == nil })
	if len(nodes) == 0 {
		return nil
	}
	add := func(v any) {
		if len(out) < 8 && sample.Fits(nodes, v) && !hasValue(out, v) {
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
	both := factsOf(&location{node: nodes[0], branches: nodes[1:], proofs: &p.c.proofs})
	for _, v := range scalars(both, both) {
		add(v)
	}
	return out
}
