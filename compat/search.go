package compat

import (
	"github.com/crdkit/crdkit/field"
)

// perQuestion bounds how many objects are judged for one question.
const maxRequests = 60

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
