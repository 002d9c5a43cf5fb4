package compat

import (
	"slices"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/constraint"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
)

// A removed field loses data.
func (p *pair) removedField(a location, way constraint.Way) {
	q := question{way: way, restriction: restriction{keyword: "existingFieldRemoval"}, accepting: p.old, refusing: p.now}
	q.restriction.before, q.restriction.after = "described", "dropped"
	if a.provedEmpty(emptyDepth) {
		return
	}
	if p.differs = true; p.requestsFail {
		return
	}
	lost := func(r request) bool {
		before, after, ok := p.storedByBoth(r)
		return ok && lacks(after, before) && len(valuesAt(p.old.root, after, way)) < len(valuesAt(p.old.root, before, way))
	}
	if p.c.effort <= 0 {
		p.unknown(&q, "There was no effort left.")
		return
	}
	for base := range p.bases(p.old, p.now, way) {
		r, ok := p.requestFor(p.old, way, base)
		if ok && lost(r) {
			r = p.shrink(r, lost)
			p.c.add(Finding{Verdict: LosesData, Request: r.kind, Version: p.label, Path: way.String(), Check: "existingFieldRemoval",
				Detail: "The field is dropped now.", Before: q.restriction.before, After: q.restriction.after, Witness: r.witness()})
			return
		}
	}
	p.unknown(&q, "The field is gone, and no object was found that shows it.")
}

// kept says that keys of any name are kept now, which were dropped.
func (p *pair) keptFields(b location, way constraint.Way) {
	q := question{way: way, restriction: restriction{keyword: "additionalProperties", before: "dropped", after: "kept"}, accepting: p.now, refusing: p.old}
	if b.provedEmpty(emptyDepth) {
		return
	}
	if p.differs = true; p.requestsFail {
		return
	}
	differs := func(r request) bool {
		before, after, ok := p.storedByBoth(r)
		return ok && !jsonval.Equal(valuesAt(p.now.root, before, way), valuesAt(p.now.root, after, way))
	}
	for base := range p.bases(p.now, p.old, way) {
		if r, ok := p.requestFor(p.now, way, base); ok && p.c.effort > 0 && differs(r) {
			r = p.shrink(r, differs)
			p.c.add(Finding{Verdict: Changes, Request: r.kind, Version: p.label, Path: way.String(), Check: "additionalProperties",
				Detail: "Keys that are not declared were dropped and are kept now.", Before: "dropped", After: "kept", Witness: r.witness()})
			return
		}
	}
	p.unknown(&q, "Keys that are not declared are kept now, and no object was found that shows it.")
}

// nulls looks for what becomes of null at the end of a way where one side lets it pass. The other one drops it and goes on as if the field were
// not there.
func (p *pair) nullHandling(x, y *facts, way constraint.Way) {
	q := question{way: way, restriction: restriction{keyword: "nullable", before: x.typeText(), after: y.typeText()}, x: x, y: y, accepting: p.old, refusing: p.now}
	if p.differs = true; p.requestsFail {
		return
	}
	found := map[Verdict]bool{}
	last := len(way) - 1
	ask := func(accepting *version, base map[string]any) {
		at, _, ok := firstAt(accepting, base, way)
		if last := way[len(way)-1]; last.Other || !ok && !last.Item {
			name := last.Name
			if last.Other {
				name = "key0" // beside the one of base, which may be required
			}
			var parent any
			if at, parent, ok = firstAt(accepting, base, way[:len(way)-1]); ok {
				_, ok = parent.(map[string]any)
				at = append(at, field.Segment{Key: name})
			}
		}
		if !ok || len(found) > 1 {
			return
		}
		obj, _ := replaced(base, at, nil).(map[string]any)
		r, ok := p.requestFor(accepting, way, obj)
		if !ok {
			r = request{kind: Create, object: obj}
		}
		f := Finding{Version: p.label, Path: q.path(), Check: q.restriction.keyword, Before: short(q.restriction.before), After: short(q.restriction.after)}
		if f.Verdict, f.Detail = p.nullVerdict(way, r); f.Verdict == "" || found[f.Verdict] {
			return
		}
		found[f.Verdict] = true
		r = p.shrink(r, func(r request) bool { v, _ := p.nullVerdict(way, r); return v == f.Verdict })
		f.Request, f.Witness = r.kind, r.witness()
		p.c.add(f)
	}
	for _, sides := range [][2]*version{{p.old, p.now}, {p.now, p.old}} {
		for _, way := range []constraint.Way{way, way[:last]} {
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
func (p *pair) nullVerdict(way constraint.Way, r request) (Verdict, string) {
	if p.old.dropsFields(r.object) || p.now.dropsFields(r.object) || !slices.Contains(valuesAt(p.now.root, r.object, way), nil) {
		return "", ""
	}
	was, is := p.old.handle(r.kind, r.object, r.stored), p.now.handle(r.kind, r.object, r.stored)
	switch {
	case was.Err() != nil && is.Err() != nil:
	case was.Err() != nil:
		return Loosens, "Null is accepted or dropped now."
	case is.Err() != nil:
		return Breaks, "Null is refused, or what is missing where it is dropped."
	case equalExceptAPIVersion(was.Object, is.Object):
	case lacks(is.Object, was.Object):
		return LosesData, "Null is dropped now."
	default:
		return Changes, "Null is stored otherwise now."
	}
	return "", ""
}

// defaults looks for an object that another default changes.
func (p *pair) changedDefault(x, y *facts, way constraint.Way) {
	if len(way) == 0 {
		return
	}
	var was, is any
	if x.loc.node != nil {
		was = x.loc.node.Default
	}
	if y.loc.node != nil {
		is = y.loc.node.Default
	}
	q := question{way: way, restriction: restriction{keyword: "default", before: "none", after: "none"}, x: x, y: y, accepting: p.old, refusing: p.now}
	if was != nil {
		q.restriction.before = compact(was)
	}
	if is != nil {
		q.restriction.after = compact(is)
	}
	if was == nil && isRequired(p.old.root, way) || is == nil && isRequired(p.now.root, way) {
		return
	}
	last := way[len(way)-1]
	differs := func(r request) bool {
		before, after, ok := p.storedByBoth(r)
		return ok && !jsonval.Equal(valuesAt(p.old.root, before, way), valuesAt(p.old.root, after, way))
	}
	if p.differs = true; p.requestsFail || last.Item || last.Other {
		return // a default there is never used where something is missing
	}
	if p.c.effort <= 0 {
		p.unknown(&q, "There was no effort left.")
		return
	}
	parent := way[:len(way)-1]
	for base := range p.bases(p.old, p.now, parent) {
		at, v, ok := firstAt(p.old, base, parent)
		m, isMap := v.(map[string]any)
		if !ok || !isMap {
			continue
		}
		if _, there := m[last.Name]; there {
			base, _ = removed(base, append(slices.Clone(at), field.Segment{Key: last.Name})).(map[string]any)
		}
		for _, again := range []bool{false, true} {
			if again {
				kept, err := p.old.samples().Keep(p.c.ctx, base, at)
				if err != nil {
					break
				}
				base = kept
			}
			if r, ok := p.requestFor(p.old, way, base); ok && differs(r) {
				r = p.shrink(r, differs)
				p.c.add(Finding{Verdict: Changes, Request: r.kind, Version: p.label, Path: way.String(), Check: "default",
					Detail: "Objects without the field are stored with another value.", Before: short(q.restriction.before), After: short(q.restriction.after), Witness: r.witness()})
				return
			}
		}
	}
	p.unknown(&q, "The default differs, and no object was found that shows it.")
}

// alwaysThere reports whether a side requires the field at the end of a way. n is its root.
func isRequired(n *plan.Node, way constraint.Way) bool {
	last := len(way) - 1
	n = way[:last].Node(n)
	return n != nil && slices.Contains(n.Required, way[last].Name)
}
