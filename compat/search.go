package compat

import (
	"iter"
	"maps"
	"slices"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/constraint"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/sample"
	"github.com/crdkit/crdkit/prune"
)

// A question is whether there is an object that one side accepts and the other refuses, for a keyword at a position.
type question struct {
	way                 constraint.Way
	restriction         restriction
	x, y                *facts
	accepting, refusing *version // that accept, and refuse
	loosens             bool     // the accepting side is the new one
	requestKind         string   // of the request; empty for that by which such objects are sent
	seen                int      // objects that were judged for it
	storedDifferently   *request // that both sides accept, and store with other values
}

// A request is one that is judged by both sides.
type request struct {
	kind           string
	object, stored map[string]any
}

// perQuestion bounds how many objects are judged for one question.
const maxRequests = 60

// gap looks for the witness of a gap, and adds what was found.
func (p *pair) answer(q question) {
	p.differs = true
	if p.requestsFail {
		return
	}
	if p.c.effort <= 0 {
		p.unknown(&q, "There was no effort left.")
		return
	}
	r, ok := p.findRequest(&q)
	switch {
	case ok:
		p.addShown(&q, r)
	case !q.y.loc.pruned():
		if q.storedDifferently != nil {
			p.addChanged(&q, *q.storedDifferently)
		}
		p.unknown(&q, "No object was found that shows a difference.")
	}
}

// changed adds a finding of an object that both sides accept, and store with other values at the end of the way: where a null is dropped, say.
func (p *pair) addChanged(q *question, r request) {
	r = p.shrink(r, func(r request) bool { return p.storesDifferently(q, r) })
	before, after, _ := p.storedByBoth(r)
	f := Finding{Verdict: Changes, Request: r.kind, Version: p.label, Path: q.path(), Check: q.restriction.keyword, Before: short(q.before()), After: short(q.after()),
		Detail: "The value is stored otherwise.", Witness: r.witness()}
	if lacks(after, before) {
		f.Verdict, f.Detail = LosesData, "The value is dropped now."
	}
	p.c.add(f)
}

// storedOtherwise reports whether both sides accept a request, and what is stored at the end of the way differs.
func (p *pair) storesDifferently(q *question, r request) bool {
	before, after, ok := p.storedByBoth(r)
	return ok && !q.accepting.dropsFields(r.object) && !jsonval.Equal(valuesAt(q.accepting.root, before, q.way), valuesAt(q.accepting.root, after, q.way))
}

// shown adds the findings of a question that has a witness.
func (p *pair) addShown(q *question, r request) {
	holds := func(r request) bool { return p.isDifference(q, r) && q.violatedBy(r) }
	if !q.violatedBy(r) { // an object that people have may show it in another way
		holds = func(r request) bool { return p.isDifference(q, r) }
	}
	r = p.shrink(r, holds)
	f := Finding{Verdict: Breaks, Request: r.kind, Version: p.label, Path: q.path(), Check: q.restriction.keyword, Detail: q.detail(),
		Before: short(q.before()), After: short(q.after())}
	if q.loosens {
		f.Verdict = Loosens
	}
	f.Witness = r.witness()
	p.c.add(f)
	if !q.loosens && r.kind != Update {
		p.noopUpdate(q, f, r)
	}
}

func (r request) witness() *Witness { return &Witness{Stored: r.stored, Object: r.object} }

// broken reports whether what is at the end of the way in a request, or some of it, is what the gap is about.
func (q *question) violatedBy(r request) bool {
	return q.restriction.violated == nil || slices.ContainsFunc(valuesAt(q.accepting.root, r.object, q.way), q.restriction.violated)
}

// differs reports whether a request is accepted by the one side as it is, and refused by the other for what is at the end of the way.
func (p *pair) isDifference(q *question, r request) bool {
	if q.x != nil {
		p.c.effort -= q.x.tryCost() + q.y.tryCost()
	}
	accepted := q.accepting.handle(r.kind, r.object, r.stored)
	if accepted.Err() != nil || q.accepting.dropsFields(r.object) {
		return false
	}
	refused := q.refusing.handle(r.kind, r.object, r.stored)
	return refused.Err() != nil && (about(refused.Errors, q.way) || refused.Failure != nil && len(refused.Errors) == 0)
}

// drops reports whether v has no schema for something in obj, and so drops it.
func (v *version) dropsFields(obj map[string]any) bool {
	return v.prunes && v.resource.Schema() != nil && len(prune.Unknown(v.resource.Schema(), obj)) > 0
}

// search looks for a request that answers q.
func (p *pair) findRequest(q *question) (request, bool) {
	var found request
	ok := p.candidates(q, func(obj map[string]any, at []field.Segment) bool {
		if q.seen++; q.seen > maxRequests || p.c.effort <= 0 {
			return true
		}
		r, ok := p.requestFor(q.accepting, q.way, obj)
		if !ok {
			return false
		}
		if p.isDifference(q, r) {
			found = r
			return true
		}
		if q.storedDifferently == nil && p.storesDifferently(q, r) {
			q.storedDifferently = &r
		}
		if at != nil && q.accepting.handle(r.kind, r.object, r.stored).Err() != nil && q.seen < maxRequests/2 {
			// What is beside it does not go with the value.
			kept, err := q.accepting.samples().Keep(p.c.ctx, obj, at)
			if err != nil {
				return false
			}
			if r, ok := p.requestFor(q.accepting, q.way, kept); ok && p.isDifference(q, r) {
				found = r
				return true
			}
		}
		return false
	})
	return found, ok && found.object != nil
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

// candidates yields objects with values that may answer q, with their places, until yield returns true.
func (p *pair) candidates(q *question, yield func(obj map[string]any, at []field.Segment) bool) bool {
	for base := range p.bases(q.accepting, q.refusing, q.way) {
		at, v, ok := firstAt(q.accepting, base, q.way)
		if !ok {
			continue
		}
		n := 0
		for _, w := range p.values(q, v) {
			if p.c.effort -= q.x.tryCost(); p.c.effort <= 0 {
				return false
			}
			if !q.x.fits(q.x.withDefaults(w)) || q.restriction.violated != nil && !q.restriction.violated(w) {
				continue
			}
			obj, _ := replaced(base, at, w).(map[string]any)
			if yield(obj, at) {
				return true
			}
			if n++; n > 25 {
				break
			}
		}
	}
	return false
}

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
