package compat

import (
	"slices"

	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/internal/tool/sample"
)

// An update that changes nothing is often accepted although a create of the same object is refused: a server ignores
// errors in unchanged values.

// noopUpdate adds a finding if the new side also refuses an update that changes nothing. f is the finding about r, a
// request that only the old side accepts.
func (p *pair) noopUpdate(q *question, f Finding, r request) {
	update, ok := q.updateOf(r)
	if !ok {
		return
	}
	shown := q.refusesUpdate(update)
	if shown && !q.severally {
		shown, _ = q.contrast.shows(update, q.refuses)
	}
	if !shown {
		if len(p.refusedUpdates) < maxRefusedUpdates && !q.refusing.accepts(update) {
			p.refusedUpdates = append(p.refusedUpdates, update)
		}
		found, proved := p.unknownFieldsUpdate(q, r)
		if found == nil {
			if several := *q; !several.severally && !p.has(Breaks, requestUpdate) && len(p.refusedUpdates) < maxRefusedUpdates {
				several.severally = true
				if u, _ := p.unknownFieldsUpdate(&several, r); u != nil {
					p.refusedUpdates = append(p.refusedUpdates, *u)
				}
			}
			if !proved {
				u := *q
				u.requestKind = requestUpdate
				p.unknown(&u, "No object was found that shows whether updates are refused that change nothing.")
			}
			return
		}
		update = *found
	}
	f.Request, f.Detail, f.Witness = requestUpdate, "An update of a stored object is refused even if it changes nothing.", update.witness()
	p.c.add(f)
}

// refusesUpdate reports whether the accepting side accepts an update, and the refusing side refuses it because of q.
func (q *question) refusesUpdate(r request) bool {
	was := q.accepting.handle(r)
	return accepted(was) && q.refuses(was, q.refusing.handle(r))
}

// updateOf returns the update that changes nothing of what the accepting side stores for a create.
func (q *question) updateOf(create request) (request, bool) {
	stored := q.accepting.handle(create)
	return noopUpdateOf(stored.Object), accepted(stored)
}

// maxRefusedUpdates bounds how many updates are kept that are refused for another reason.
const maxRefusedUpdates = 20

// maxPreservingPaths bounds at how many schema paths unknownFieldsUpdate tries an unknown field.
const maxPreservingPaths = 5

// unknownFieldsUpdate looks for a refused update that changes nothing, of an object like that of r with a field that no
// schema describes: a server does not recognize values with such fields as unchanged. If it returns nil, proved reports
// whether it could make all objects that it wanted to try.
func (p *pair) unknownFieldsUpdate(q *question, r request) (update *request, proved bool) {
	if len(q.schemaPath) == 0 || r.kind != requestCreate {
		return nil, true
	}
	var c *contrast
	holds := func(create request) bool {
		update, ok := q.updateOf(create)
		if !ok || !q.refusesUpdate(update) {
			return false
		}
		if q.severally {
			return true
		}
		if c == nil {
			c = p.contrastFor(q, q.accepting, q.refusing, update, q.refuses)
			return c != nil
		}
		shown, _ := c.shows(update, q.refuses)
		return shown
	}
	tried := 0
	proved = true
	for _, schemaPath := range slices.Concat(q.accepting.preservingPaths(), q.refusing.preservingPaths()) {
		if schemaPath[0] != q.schemaPath[0] {
			continue
		}
		if tried++; tried > maxPreservingPaths || p.c.effort <= 0 {
			break
		}
		valid, _ := q.accepting.objectAt(schemaPath)
		stored := false
		for _, obj := range []map[string]any{q.accepting.samples().Extend(r.object, schemaPath), valid} {
			obj, ok := withUnknownField(q.accepting, obj, schemaPath)
			if !ok {
				continue
			}
			create := createOf(obj)
			if holds(create) {
				if u, ok := q.updateOf(p.shrink(create, holds)); ok {
					return &u, true
				}
				return nil, true
			}
			if _, ok = q.updateOf(create); ok {
				stored = true
			}
		}
		proved = proved && stored
	}
	return nil, proved
}

// withUnknownField returns obj with a field that is likely unknown in the object at schemaPath. It reports false if
// there is no object.
func withUnknownField(v *version, obj map[string]any, schemaPath constraint.Steps) (map[string]any, bool) {
	at, value, ok := firstAt(v, obj, schemaPath)
	m, isMap := value.(map[string]any)
	if !ok || !isMap {
		return nil, false
	}
	obj, _ = sample.Replaced(obj, at, with(m, unknownField, int64(1))).(map[string]any)
	return obj, true
}
