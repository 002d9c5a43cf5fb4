package compat

import (
	"maps"
	"slices"
)

// unchanged adds a finding if an update without any change is refused, too, of the object that a witness stores.
func (p *pair) noopUpdate(q *question, f Finding, r request) {
	stored := q.accepting.handle(r.kind, r.object, r.stored)
	if stored.Err() != nil {
		return
	}
	again := request{Update, stored.Object, stored.Object}
	refused := func(r request) bool {
		was := q.accepting.handle(Update, r.object, r.stored)
		return was.Err() == nil && q.refusing.handle(Update, r.object, r.stored).Err() != nil
	}
	if !refused(again) {
		var found, sure bool
		if again, found, sure = p.noopUpdateWithUnknownFields(q, r, refused); !found {
			if !sure {
				u := *q
				u.requestKind = Update
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
func (p *pair) noopUpdateWithUnknownFields(q *question, r request, refused func(request) bool) (u request, found, sure bool) {
	tried := 0
	sure = true
	for _, way := range slices.Concat(q.accepting.preservingWays(), q.refusing.preservingWays()) {
		if len(q.way) == 0 || len(way) == 0 || way[0] != q.way[0] || r.kind != Create {
			continue
		}
		if tried++; tried > 5 || p.c.effort <= 0 {
			break
		}
		again := func(r request) (request, bool) {
			stored := q.accepting.handle(Create, r.object, nil)
			return request{Update, stored.Object, stored.Object}, stored.Err() == nil
		}
		holds := func(r request) bool {
			u, ok := again(r)
			return ok && refused(u)
		}
		valid, _ := q.accepting.objectAt(way)
		stored := false
		for _, obj := range []map[string]any{q.accepting.samples().Extend(r.object, way), valid} {
			at, v, ok := firstAt(q.accepting, obj, way)
			m, isMap := v.(map[string]any)
			if !ok || !isMap {
				continue
			}
			m = maps.Clone(m)
			m["key0"] = int64(1)
			obj, _ = replaced(obj, at, m).(map[string]any)
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
