package compat

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/constraint"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/sample"
	"github.com/crdkit/crdkit/prune"
	"github.com/crdkit/crdkit/schema"
)

// A question is whether there is an object that one side accepts and the other refuses, for a keyword at a position.
type question struct {
	way           []constraint.Step
	gap           gap
	x, y          *facts
	from, against *version // that accept, and refuse
	loosens       bool     // the accepting side is the new one
	kind          string   // of the request; empty for that by which such objects are sent
	seen          int      // objects that were judged for it
	otherwise     *request // that both sides accept, and store with other values
}

// A request is one that is judged by both sides.
type request struct {
	kind           string
	object, stored map[string]any
}

// perQuestion bounds how many objects are judged for one question.
const perQuestion = 60

// What makes a witness small may judge objects of so many values in all, but so many objects in any case, and looks at so many parts in turn.
const (
	shrinkValues = 40_000
	shrinkLeast  = 15
	maxParts     = 500
)

// gap looks for the witness of a gap, and adds what was found.
func (p *pair) gap(q question) {
	p.asked = true
	if p.blind {
		return
	}
	if p.c.effort <= 0 {
		p.unknown(&q, "There was no effort left.")
		return
	}
	r, ok := p.search(&q)
	switch {
	case ok:
		p.shown(&q, r)
	case !q.y.spot.absent():
		if q.otherwise != nil {
			p.changed(&q, *q.otherwise)
		}
		p.unknown(&q, "No object was found that shows a difference.")
	}
}

// changed adds a finding of an object that both sides accept, and store with other values at the end of the way: where a null is dropped, say.
func (p *pair) changed(q *question, r request) {
	r = p.shrink(r, func(r request) bool { return p.storedOtherwise(q, r) })
	before, after, _ := p.both(r)
	f := Finding{Verdict: Changes, Request: r.kind, Version: p.label, Path: q.path(), Check: q.gap.keyword, Before: short(q.before()), After: short(q.after()),
		Detail: "The value is stored otherwise.", Witness: r.witness()}
	if lacks(after, before) {
		f.Verdict, f.Detail = LosesData, "The value is dropped now."
	}
	p.c.add(f)
}

// storedOtherwise reports whether both sides accept a request, and what is stored at the end of the way differs.
func (p *pair) storedOtherwise(q *question, r request) bool {
	before, after, ok := p.both(r)
	return ok && !q.from.drops(r.object) && !jsonval.Equal(collect(q.from.root, before, q.way), collect(q.from.root, after, q.way))
}

// shown adds the findings of a question that has a witness.
func (p *pair) shown(q *question, r request) {
	holds := func(r request) bool { return p.differs(q, r) }
	r = p.shrink(r, holds)
	f := Finding{Verdict: Breaks, Request: r.kind, Version: p.label, Path: q.path(), Check: q.gap.keyword, Detail: q.detail(),
		Before: short(q.before()), After: short(q.after())}
	if q.loosens {
		f.Verdict = Loosens
	}
	f.Witness = r.witness()
	p.c.add(f)
	if !q.loosens && r.kind != Update {
		p.unchanged(q, f, r)
	}
}

func (r request) witness() *Witness { return &Witness{Stored: r.stored, Object: r.object} }

// unchanged adds a finding if an update without any change is refused, too, of the object that a witness stores.
func (p *pair) unchanged(q *question, f Finding, r request) {
	stored := q.from.judge(r.kind, r.object, r.stored)
	if stored.Err() != nil {
		return
	}
	again := request{Update, stored.Object, stored.Object}
	refused := func(r request) bool {
		was := q.from.judge(Update, r.object, r.stored)
		return was.Err() == nil && q.against.judge(Update, r.object, r.stored).Err() != nil
	}
	if !refused(again) {
		var found, sure bool
		if again, found, sure = p.enriched(q, r, refused); !found {
			if !sure {
				u := *q
				u.kind = Update
				p.unknown(&u, "No object was found that shows whether updates are refused that change nothing.")
			}
			return
		}
	}
	f.Request, f.Detail, f.Witness = Update, "An update of a stored object is refused even if it changes nothing.", again.witness()
	p.c.add(f)
}

// enriched looks for an update that is refused, of the object of r with fields that no schema describes: values with such are never taken for
// unchanged. It is sure that there is none if it could make such objects at all.
func (p *pair) enriched(q *question, r request, refused func(request) bool) (u request, found, sure bool) {
	tried := 0
	sure = true
	for _, way := range slices.Concat(q.from.preserving(), q.against.preserving()) {
		if len(q.way) == 0 || len(way) == 0 || way[0] != q.way[0] || r.kind != Create {
			continue
		}
		if tried++; tried > 5 || p.c.effort <= 0 {
			break
		}
		again := func(r request) (request, bool) {
			stored := q.from.judge(Create, r.object, nil)
			return request{Update, stored.Object, stored.Object}, stored.Err() == nil
		}
		holds := func(r request) bool {
			u, ok := again(r)
			return ok && refused(u)
		}
		valid, _ := q.from.at(way)
		stored := false
		for _, obj := range []map[string]any{q.from.samples().Extend(r.object, way), valid} {
			at, v, ok := place(q.from, obj, way)
			m, isMap := v.(map[string]any)
			if !ok || !isMap {
				continue
			}
			m = maps.Clone(m)
			m["key0"] = int64(1)
			obj, _ = with(obj, at, m).(map[string]any)
			made := request{kind: Create, object: obj}
			if holds(made) {
				u, found = again(p.shrink(made, holds))
				return u, found, true
			}
			_, ok = again(made)
			stored = stored || ok
		}
		sure = sure && stored
	}
	return request{}, false, sure
}

// preserving returns the ways to some objects in which all fields are kept, the shorter ones first.
func (v *version) preserving() [][]constraint.Step {
	if v.preserved != nil || v.root == nil {
		return v.preserved
	}
	v.preserved = [][]constraint.Step{}
	type at struct {
		n   *schema.Node
		way []constraint.Step
	}
	todo := []at{{v.root, nil}}
	for i := 0; i < len(todo) && i < 20_000 && len(v.preserved) < 30; i++ {
		n, way := todo[i].n, todo[i].way
		next := func(n *schema.Node, step constraint.Step) {
			if n != nil && len(way) < 30 {
				todo = append(todo, at{n, append(way[:len(way):len(way)], step)})
			}
		}
		if n.Has&schema.PreserveFields != 0 && n.Accept&schema.KindObject != 0 && len(way) > 0 {
			v.preserved = append(v.preserved, way)
		}
		for i := range n.Props {
			next(n.Props[i].Node, constraint.Step{Name: n.Props[i].Name})
		}
		next(n.Items, constraint.Step{Item: true})
		next(n.Additional, constraint.Step{Other: true})
	}
	return v.preserved
}

// differs reports whether a request is accepted by the one side as it is, and refused by the other for what is at the end of the way.
func (p *pair) differs(q *question, r request) bool {
	if q.x != nil {
		p.c.effort -= q.x.trial() + q.y.trial()
	}
	accepted := q.from.judge(r.kind, r.object, r.stored)
	if accepted.Err() != nil || q.from.drops(r.object) {
		return false
	}
	refused := q.against.judge(r.kind, r.object, r.stored)
	return refused.Err() != nil && (about(refused.Errors, q.way) || refused.Failure != nil && len(refused.Errors) == 0)
}

// drops reports whether v has no schema for something in obj, and so drops it.
func (v *version) drops(obj map[string]any) bool {
	return v.prunes && v.ask.Schema() != nil && len(prune.Unknown(v.ask.Schema(), obj)) > 0
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

// search looks for a request that answers q.
func (p *pair) search(q *question) (request, bool) {
	var found request
	ok := p.candidates(q, func(obj map[string]any, at []field.Segment) bool {
		if q.seen++; q.seen > perQuestion || p.c.effort <= 0 {
			return true
		}
		r, ok := p.sent(q.from, q.way, obj)
		if !ok {
			return false
		}
		if p.differs(q, r) {
			found = r
			return true
		}
		if q.otherwise == nil && p.storedOtherwise(q, r) {
			q.otherwise = &r
		}
		if at != nil && q.from.judge(r.kind, r.object, r.stored).Err() != nil && q.seen < perQuestion/2 {
			// What is beside it does not go with the value.
			kept, err := q.from.samples().Keep(p.c.ctx, obj, at)
			if err != nil {
				return false
			}
			if r, ok := p.sent(q.from, q.way, kept); ok && p.differs(q, r) {
				found = r
				return true
			}
		}
		return false
	})
	return found, ok && found.object != nil
}

// sent makes the request by which an object is sent that has a value at the end of a way.
func (p *pair) sent(v *version, way []constraint.Step, obj map[string]any) (request, bool) {
	kind := p.request(way)
	if kind == Create {
		return request{kind: Create, object: obj}, true
	}
	spec := maps.Clone(obj)
	if v.status {
		delete(spec, "status")
	}
	r := v.judge(Create, spec, nil)
	if r.Err() != nil {
		return request{}, false
	}
	if kind == StatusUpdate {
		return request{kind: StatusUpdate, object: obj, stored: r.Object}, true
	}
	// Only one of the sides has a status subresource: the other one sees the status in what is stored.
	if v.status {
		if r = v.judge(StatusUpdate, obj, r.Object); r.Err() != nil {
			return request{}, false
		}
	}
	return request{kind: Update, object: r.Object, stored: r.Object}, true
}

// candidates yields objects with values that may answer q, with their places, until yield returns true.
func (p *pair) candidates(q *question, yield func(obj map[string]any, at []field.Segment) bool) bool {
	for base := range p.bases(q.from, q.against, q.way) {
		at, v, ok := place(q.from, base, q.way)
		if !ok {
			continue
		}
		n := 0
		for _, w := range p.values(q, v) {
			if p.c.effort -= q.x.trial(); p.c.effort <= 0 {
				return false
			}
			if !q.x.fits(q.x.filled(w)) || q.gap.broken != nil && !q.gap.broken(w) {
				continue
			}
			obj, _ := with(base, at, w).(map[string]any)
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
func (p *pair) bases(from, against *version, way []constraint.Step) iter.Seq[map[string]any] {
	return func(yield func(map[string]any) bool) {
		var out []map[string]any
		next := func(obj map[string]any) bool {
			if obj == nil || p.c.effort <= 0 || slices.ContainsFunc(out, func(o map[string]any) bool { return jsonval.Equal(o, obj) }) {
				return true
			}
			out = append(out, obj)
			return yield(obj)
		}
		obj, _ := from.at(way)
		if !next(obj) {
			return
		}
		if obj != nil && !next(p.reconcile(from, against, obj, way)) {
			return
		}
		if other, _ := against.at(way); other != nil {
			if _, _, ok := place(from, other, way); !ok {
				other = from.samples().Extend(from.own(other), way)
			}
			if other != nil && !next(p.reconcile(from, against, from.own(other), way)) {
				return
			}
		}
		for _, o := range p.c.o.Objects {
			if _, _, ok := place(from, o, way); ok && len(out) < 50 && !next(from.own(o)) {
				return
			}
		}
	}
}

// reconcile changes obj until neither side has anything against it, but for what is at the end of the way; it adds what is required, and
// replaces what is wrong.
func (p *pair) reconcile(from, against *version, obj map[string]any, way []constraint.Step) map[string]any {
	type fault struct {
		at      []field.Segment
		missing bool
	}
	faults := func(obj map[string]any) (found []fault) {
		for _, v := range []*version{from, against} {
			p.c.effort--
			r := v.samples().Judge(p.c.ctx, v.own(obj), nil)
			for _, e := range r.Errors {
				if !e.RulesSkipped() && (v == from || !about(field.List{e}, way)) {
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
			for _, v := range p.fitting(from, against, w.at) {
				changed, ok := put(obj, w.at, v).(map[string]any)
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
	repaired, err := against.samples().Repair(p.c.ctx, against.own(obj), func(v any) bool {
		obj, _ := v.(map[string]any)
		if _, _, ok := place(from, obj, way); !ok {
			return false
		}
		p.c.effort--
		return from.samples().Judge(p.c.ctx, from.own(obj), nil).Err() == nil
	})
	if err != nil {
		return obj
	}
	return from.own(repaired)
}

// fitting returns values that both sides accept at a place.
func (p *pair) fitting(from, against *version, at []field.Segment) (out []any) {
	a, b := nodeAt(from.root, at), nodeAt(against.root, at)
	var nodes []*schema.Node
	for _, n := range []*schema.Node{b, a} {
		if n != nil {
			nodes = append(nodes, n)
		}
	}
	if len(nodes) == 0 {
		return nil
	}
	add := func(v any) {
		if len(out) < 8 && fits(nodes, v) && !slices.ContainsFunc(out, func(w any) bool { return jsonval.Equal(v, w) }) {
			out = append(out, v)
		}
	}
	m := against.samples()
	if b == nil {
		m = from.samples()
	}
	for trial := range 3 {
		add(m.Value(nodes, trial, false))
	}
	add(m.Value(nodes, 0, true))
	first := factsOf(spot{node: nodes[0], more: nodes[1:], proofs: &p.c.proofs})
	for _, v := range scalars(first, first) {
		add(v)
	}
	return out
}

func nodeAt(n *schema.Node, at []field.Segment) *schema.Node {
	for _, s := range at {
		switch {
		case n == nil:
			return nil
		case s.IsIndex:
			n = n.Items
		default:
			n, _ = n.Child(s.Key)
		}
	}
	return n
}

// put is with for a place that may be missing in its object.
func put(v any, at []field.Segment, value any) any {
	if _, ok := get(v, at[:len(at)-1]); !ok {
		return nil
	}
	if last := at[len(at)-1]; last.IsIndex {
		if _, ok := get(v, at); !ok {
			return nil
		}
	} else if m, _ := get(v, at[:len(at)-1]); !isMap(m) {
		return nil
	}
	return with(v, at, value)
}

func isMap(v any) bool { _, ok := v.(map[string]any); return ok }

// place returns the first place at the end of a way in obj, and the value there.
func place(v *version, obj map[string]any, way []constraint.Step) (at []field.Segment, value any, ok bool) {
	n := v.root
	value = obj
	for _, step := range way {
		switch x := value.(type) {
		case []any:
			if !step.Item || len(x) == 0 {
				return nil, nil, false
			}
			at, value = append(at, field.Segment{IsIndex: true}), x[0]
			if n != nil {
				n = n.Items
			}
		case map[string]any:
			key := step.Name
			if step.Other {
				key = ""
				for _, k := range slices.Sorted(maps.Keys(x)) {
					if n == nil || n.Prop(k) == nil {
						key = k
						break
					}
				}
			}
			w, has := x[key]
			if !has || step.Item {
				return nil, nil, false
			}
			at, value = append(at, field.Segment{Key: key}), w
			if n != nil {
				n, _ = n.Child(key)
			}
		default:
			return nil, nil, false
		}
	}
	return at, value, true
}

// with returns v with another value at a place; everything else is shared. without drops what is there instead.
func with(v any, at []field.Segment, value any) any {
	if len(at) == 0 {
		return value
	}
	switch x := v.(type) {
	case []any:
		out := slices.Clone(x)
		out[at[0].Index] = with(x[at[0].Index], at[1:], value)
		return out
	case map[string]any:
		out := maps.Clone(x)
		out[at[0].Key] = with(x[at[0].Key], at[1:], value)
		return out
	}
	return v
}

func without(v any, at []field.Segment) any {
	switch x := v.(type) {
	case []any:
		i := at[0].Index
		if len(at) == 1 {
			return slices.Concat(x[:i], x[i+1:])
		}
		out := slices.Clone(x)
		out[i] = without(x[i], at[1:])
		return out
	case map[string]any:
		out := maps.Clone(x)
		if len(at) == 1 {
			delete(out, at[0].Key)
		} else {
			out[at[0].Key] = without(x[at[0].Key], at[1:])
		}
		return out
	}
	return v
}

// shrink drops what the witness does not need.
func (p *pair) shrink(r request, holds func(request) bool) request {
	left := max(shrinkValues/size(r.object), shrinkLeast)
	drop := func(of *map[string]any) (dropped bool) {
		for _, at := range parts(*of, nil, 0) {
			if _, there := get(*of, at); !there {
				continue
			}
			if left--; left < 0 || p.c.effort <= 0 {
				return false
			}
			all := *of
			*of, _ = without(all, at).(map[string]any)
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

// size returns how many values v consists of.
func size(v any) int {
	n := 1
	switch x := v.(type) {
	case map[string]any:
		for _, w := range x {
			n += size(w)
		}
	case []any:
		for _, w := range x {
			n += size(w)
		}
	}
	return n
}

func get(v any, at []field.Segment) (any, bool) {
	for _, s := range at {
		switch x := v.(type) {
		case []any:
			if !s.IsIndex || s.Index >= len(x) {
				return nil, false
			}
			v = x[s.Index]
		case map[string]any:
			w, ok := x[s.Key]
			if !ok {
				return nil, false
			}
			v = w
		default:
			return nil, false
		}
	}
	return v, true
}

// parts returns the places in v that may be dropped, the outer ones first; of a list, the last items first.
func parts(v any, at []field.Segment, depth int) (found [][]field.Segment) {
	if depth > 100 {
		return nil
	}
	level := [][]field.Segment{}
	switch x := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(x)) {
			if depth == 0 && schema.ResourceField(k) {
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
		w, _ := get(v, at[depth:])
		found = append(found, parts(w, at, depth+1)...)
		if len(found) > maxParts {
			break
		}
	}
	return found
}

// A removed field loses data.
func (p *pair) removed(a spot, way []constraint.Step) {
	q := question{way: way, gap: gap{keyword: "existingFieldRemoval"}, from: p.old, against: p.now}
	q.gap.before, q.gap.after = "described", "dropped"
	if a.provedEmpty(emptyDepth) {
		return
	}
	if p.asked = true; p.blind {
		return
	}
	lost := func(r request) bool {
		before, after, ok := p.both(r)
		return ok && lacks(after, before) && len(collect(p.old.root, after, way)) < len(collect(p.old.root, before, way))
	}
	if p.c.effort <= 0 {
		p.unknown(&q, "There was no effort left.")
		return
	}
	for base := range p.bases(p.old, p.now, way) {
		r, ok := p.sent(p.old, way, base)
		if ok && lost(r) {
			r = p.shrink(r, lost)
			p.c.add(Finding{Verdict: LosesData, Request: r.kind, Version: p.label, Path: pathText(way), Check: "existingFieldRemoval",
				Detail: "The field is dropped now.", Before: q.gap.before, After: q.gap.after, Witness: r.witness()})
			return
		}
	}
	p.unknown(&q, "The field is gone, and no object was found that shows it.")
}

// both returns what both sides store of a request, if both accept it.
func (p *pair) both(r request) (before, after map[string]any, ok bool) {
	was := p.old.judge(r.kind, r.object, r.stored)
	if was.Err() != nil {
		return nil, nil, false
	}
	is := p.now.judge(r.kind, r.object, r.stored)
	if is.Err() != nil {
		return nil, nil, false
	}
	return was.Object, is.Object, true
}

// collect returns the values at the end of a way.
func collect(n *schema.Node, v any, way []constraint.Step) []any {
	if len(way) == 0 {
		return []any{v}
	}
	var out []any
	switch x := v.(type) {
	case []any:
		if way[0].Item {
			for _, item := range x {
				var below *schema.Node
				if n != nil {
					below = n.Items
				}
				out = append(out, collect(below, item, way[1:])...)
			}
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(x)) {
			var below *schema.Node
			declared := false
			if n != nil {
				below, declared = n.Child(k)
			}
			if k == way[0].Name && !way[0].Item && !way[0].Other || way[0].Other && !declared {
				out = append(out, collect(below, x[k], way[1:])...)
			}
		}
	}
	return out
}

// kept says that keys of any name are kept now, which were dropped.
func (p *pair) kept(b spot, way []constraint.Step) {
	q := question{way: way, gap: gap{keyword: "additionalProperties", before: "dropped", after: "kept"}, from: p.now, against: p.old}
	if b.provedEmpty(emptyDepth) {
		return
	}
	if p.asked = true; p.blind {
		return
	}
	differs := func(r request) bool {
		before, after, ok := p.both(r)
		return ok && !jsonval.Equal(collect(p.now.root, before, way), collect(p.now.root, after, way))
	}
	for base := range p.bases(p.now, p.old, way) {
		if r, ok := p.sent(p.now, way, base); ok && p.c.effort > 0 && differs(r) {
			r = p.shrink(r, differs)
			p.c.add(Finding{Verdict: Changes, Request: r.kind, Version: p.label, Path: pathText(way), Check: "additionalProperties",
				Detail: "Keys that are not declared were dropped and are kept now.", Before: "dropped", After: "kept", Witness: r.witness()})
			return
		}
	}
	p.unknown(&q, "Keys that are not declared are kept now, and no object was found that shows it.")
}

// nulls looks for what becomes of null at the end of a way where one side lets it pass. The other one drops it and goes on as if the field were
// not there.
func (p *pair) nulls(x, y *facts, way []constraint.Step) {
	q := question{way: way, gap: gap{keyword: "nullable", before: x.typeText(), after: y.typeText()}, x: x, y: y, from: p.old, against: p.now}
	if p.asked = true; p.blind {
		return
	}
	found := map[Verdict]bool{}
	last := len(way) - 1
	ask := func(from *version, base map[string]any) {
		at, _, ok := place(from, base, way)
		if !ok && !inList(way) && !way[last].Other {
			var parent any
			if at, parent, ok = place(from, base, way[:last]); ok {
				_, ok = parent.(map[string]any)
				at = append(at, field.Segment{Key: way[last].Name})
			}
		}
		if !ok || len(found) > 1 {
			return
		}
		obj, _ := with(base, at, nil).(map[string]any)
		r, ok := p.sent(from, way, obj)
		if !ok {
			r = request{kind: Create, object: obj}
		}
		f := Finding{Version: p.label, Path: q.path(), Check: q.gap.keyword, Before: short(q.gap.before), After: short(q.gap.after)}
		if f.Verdict, f.Detail = p.outcome(way, r); f.Verdict == "" || found[f.Verdict] {
			return
		}
		found[f.Verdict] = true
		r = p.shrink(r, func(r request) bool { v, _ := p.outcome(way, r); return v == f.Verdict })
		f.Request, f.Witness = r.kind, r.witness()
		p.c.add(f)
	}
	for _, sides := range [][2]*version{{p.old, p.now}, {p.now, p.old}} {
		for _, way := range [][]constraint.Step{way, way[:last]} {
			for base := range p.bases(sides[0], sides[1], way) {
				ask(sides[0], base)
			}
		}
		if full, err := sides[0].samples().Full(p.c.ctx); err == nil {
			ask(sides[0], full)
		}
	}
	if len(found) == 0 {
		p.unknown(&q, "No object was found that shows what becomes of null.")
	}
}

// outcome says what becomes of a request with null at the end of the way, if it is not the same on both sides.
func (p *pair) outcome(way []constraint.Step, r request) (Verdict, string) {
	if p.old.drops(r.object) || p.now.drops(r.object) || !slices.Contains(collect(p.now.root, r.object, way), nil) {
		return "", ""
	}
	was, is := p.old.judge(r.kind, r.object, r.stored), p.now.judge(r.kind, r.object, r.stored)
	switch {
	case was.Err() != nil && is.Err() != nil:
	case was.Err() != nil:
		return Loosens, "Null is accepted or dropped now."
	case is.Err() != nil:
		return Breaks, "Null is refused, or what is missing where it is dropped."
	case equalObjects(was.Object, is.Object):
	case lacks(is.Object, was.Object):
		return LosesData, "Null is dropped now."
	default:
		return Changes, "Null is stored otherwise now."
	}
	return "", ""
}

// defaults looks for an object that another default changes.
func (p *pair) defaults(x, y *facts, way []constraint.Step) {
	if len(way) == 0 {
		return
	}
	var was, is any
	if x.spot.node != nil {
		was = x.spot.node.Default
	}
	if y.spot.node != nil {
		is = y.spot.node.Default
	}
	q := question{way: way, gap: gap{keyword: "default", before: "none", after: "none"}, x: x, y: y, from: p.old, against: p.now}
	if was != nil {
		q.gap.before = compact(was)
	}
	if is != nil {
		q.gap.after = compact(is)
	}
	if was == nil && p.alwaysThere(way) {
		return
	}
	last := way[len(way)-1]
	differs := func(r request) bool {
		before, after, ok := p.both(r)
		return ok && !jsonval.Equal(collect(p.old.root, before, way), collect(p.old.root, after, way))
	}
	if p.asked = true; p.blind || last.Item || last.Other {
		return // a default there is never used where something is missing
	}
	if p.c.effort <= 0 {
		p.unknown(&q, "There was no effort left.")
		return
	}
	parent := way[:len(way)-1]
	for base := range p.bases(p.old, p.now, parent) {
		at, v, ok := place(p.old, base, parent)
		m, isMap := v.(map[string]any)
		if !ok || !isMap {
			continue
		}
		if _, there := m[last.Name]; there {
			base, _ = without(base, append(slices.Clone(at), field.Segment{Key: last.Name})).(map[string]any)
		}
		for _, again := range []bool{false, true} {
			if again {
				kept, err := p.old.samples().Keep(p.c.ctx, base, at)
				if err != nil {
					break
				}
				base = kept
			}
			if r, ok := p.sent(p.old, way, base); ok && differs(r) {
				r = p.shrink(r, differs)
				p.c.add(Finding{Verdict: Changes, Request: r.kind, Version: p.label, Path: pathText(way), Check: "default",
					Detail: "Objects without the field are stored with another value.", Before: short(q.gap.before), After: short(q.gap.after), Witness: r.witness()})
				return
			}
		}
	}
	p.unknown(&q, "The default differs, and no object was found that shows it.")
}

// alwaysThere reports whether the old side requires the field at the end of a way.
func (p *pair) alwaysThere(way []constraint.Step) bool {
	n := p.old.root
	for _, step := range way[:len(way)-1] {
		switch {
		case n == nil:
			return false
		case step.Item:
			n = n.Items
		case step.Other:
			n = n.Additional
		default:
			n, _ = n.Child(step.Name)
		}
	}
	return n != nil && slices.Contains(n.Required, way[len(way)-1].Name)
}

// rule looks for an object that a rule refuses and the other side accepts. i is its index, and others are the other side's rules there.
func (p *pair) rule(way []constraint.Step, r *schema.ValidationRule, i int, others []schema.ValidationRule, loosens bool) {
	q := question{way: way, gap: gap{keyword: "rule", before: ruleTexts(others, r), after: r.Rule}, from: p.old, against: p.now, loosens: loosens}
	if loosens {
		q.from, q.against = p.now, p.old
	}
	if p.asked = true; p.blind {
		return
	}
	if p.c.effort <= 0 {
		p.unknown(&q, "There was no effort left.")
		return
	}
	m := q.against.samples()
	path := pathText(way)
	for _, own := range q.against.rules {
		if own.Path != path || own.Index != i {
			continue
		}
		m.Also = func(_ context.Context, obj, old map[string]any) int {
			kind := Create
			if old != nil {
				kind = Update
			}
			req := request{kind, obj, old}
			if p.request(way) == StatusUpdate {
				var ok bool
				if req, ok = p.sent(q.from, way, obj); !ok {
					return 100
				}
				if old != nil {
					req.stored = old
				}
			}
			accepted := q.from.judge(req.kind, req.object, req.stored)
			n := len(accepted.Errors)
			if accepted.Err() != nil {
				n++
			}
			if n == 0 && q.from.drops(req.object) {
				n++
			}
			return 10 * n
		}
		shown := false
		for base := range p.bases(q.against, q.from, way) {
			rest := p.c.limit(ruleEffort)
			b, err := m.BreakRuleIn(p.c.ctx, own, base)
			p.c.restore(rest)
			if err != nil {
				continue
			}
			if shown = p.ruleShown(&q, b); shown {
				break
			}
		}
		m.Also = nil
		if shown {
			return
		}
		break
	}
	for _, o := range p.c.o.Objects {
		req := request{kind: Create, object: q.from.own(o)}
		if p.c.effort > 0 && p.differs(&q, req) {
			p.shown(&q, req)
			return
		}
	}
	p.unknown(&q, "No object was found that shows a difference.")
}

// ruleShown adds a finding if what breaks a rule shows the difference.
func (p *pair) ruleShown(q *question, b sample.Broken) bool {
	req := request{kind: Create, object: q.from.own(b.Object)}
	if b.Old != nil {
		req.kind, req.stored = Update, b.Old
	}
	if p.request(q.way) == StatusUpdate {
		var ok bool
		if req, ok = p.sent(q.from, q.way, b.Object); !ok {
			return false
		}
		if b.Old != nil {
			req.stored = b.Old
		}
	}
	if !p.differs(q, req) {
		return false
	}
	p.shown(q, req)
	return true
}

// ruleTexts returns the rule among others that is most like r, or none.
func ruleTexts(others []schema.ValidationRule, r *schema.ValidationRule) string {
	for i := range others {
		if others[i].Message == r.Message && r.Message != "" {
			return others[i].Rule
		}
	}
	return "none"
}

// objects asks both sides about the objects that people have.
func (p *pair) objects() {
	for _, o := range p.c.o.Objects {
		if o != nil && o["kind"] == p.old.d.Spec.Names.Kind && o["apiVersion"] == p.old.apiVersion() {
			p.object(o)
		}
	}
}

// maxSwept bounds how many of the objects that were made for questions are asked about in general.
const maxSwept = 100

// sweep asks both sides about the objects that were made for questions, and about full ones: they may show what no question was about.
func (p *pair) sweep() {
	if !p.asked {
		return
	}
	swept := 0
	for _, v := range []*version{p.old, p.now} {
		full, err := v.samples().Full(p.c.ctx)
		if err == nil {
			p.object(full)
		}
		for _, key := range slices.Sorted(maps.Keys(v.bases)) {
			if b := v.bases[key]; b.err == nil && swept < maxSwept {
				swept++
				p.object(b.object)
			}
		}
	}
}

// object adds findings for what an object shows, if there is no finding of that kind.
func (p *pair) object(o map[string]any) {
	if p.c.effort <= 0 || p.c.ctx.Err() != nil {
		return
	}
	has := func(v Verdict, request string) bool {
		return slices.ContainsFunc(p.c.report.Findings, func(f Finding) bool {
			return f.Verdict == v && (request == "" || f.Request == request) && f.Version == p.label
		})
	}
	add := func(v Verdict, kind, path, detail string, w *Witness) {
		p.c.add(Finding{Verdict: v, Request: kind, Version: p.label, Path: path, Check: "object", Detail: detail, Witness: w})
	}
	o = p.old.own(o)
	before, after := p.old.judge(Create, o, nil), p.now.judge(Create, o, nil)
	switch {
	case before.Err() != nil && after.Err() != nil:
		return
	case before.Err() != nil:
		loosened := func(r request) bool {
			return p.old.judge(Create, r.object, nil).Err() != nil && p.now.judge(Create, r.object, nil).Err() == nil && !p.now.drops(r.object)
		}
		if r := (request{kind: Create, object: o}); !has(Loosens, "") && loosened(r) {
			r = p.shrink(r, loosened)
			add(Loosens, Create, errorPath(p.old.judge(Create, r.object, nil).Errors), "An object is accepted that was refused.", r.witness())
		}
		return
	case after.Err() != nil:
		refused := func(r request) bool {
			return p.old.judge(Create, r.object, nil).Err() == nil && p.now.judge(Create, r.object, nil).Err() != nil && !p.old.drops(r.object)
		}
		if r := (request{kind: Create, object: o}); !has(Breaks, Create) && refused(r) {
			r = p.shrink(r, refused)
			add(Breaks, Create, errorPath(p.now.judge(Create, r.object, nil).Errors), "An object is refused that was accepted.", r.witness())
		}
	case !has(LosesData, "") && !has(Changes, "") && !p.old.drops(o):
		changed := func(r request) bool {
			before, after, ok := p.both(r)
			return ok && !equalObjects(before, after) && !p.old.drops(r.object)
		}
		if r := (request{kind: Create, object: o}); changed(r) {
			r = p.shrink(r, changed)
			before, after, _ := p.both(r)
			verdict := Changes
			if lacks(after, before) {
				verdict = LosesData
			}
			add(verdict, Create, "", "An object is stored otherwise.", r.witness())
		}
	}
	stored := before.Object
	if !has(Breaks, Update) && p.old.judge(Update, stored, stored).Err() == nil {
		if again := p.now.judge(Update, stored, stored); again.Err() != nil {
			add(Breaks, Update, errorPath(again.Errors), "An update of a stored object is refused even if it changes nothing.", &Witness{stored, stored})
		}
	}
}

// equalObjects reports whether two objects are equal but for their apiVersions.
func equalObjects(a, b map[string]any) bool {
	if a["apiVersion"] != b["apiVersion"] {
		b = maps.Clone(b)
		b["apiVersion"] = a["apiVersion"]
	}
	return jsonval.Equal(a, b)
}

// errorPath returns the path of the schema that the first error is about.
func errorPath(errs field.List) string {
	if len(errs) == 0 {
		return ""
	}
	path := ""
	for _, s := range errs[0].Path.Segments() {
		if s.IsIndex {
			path += "[*]"
		} else {
			path = constraint.Join(path, s.Key)
		}
	}
	return path
}
