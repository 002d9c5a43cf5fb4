package compat

import "github.com/crdkit/crdkit/field"

// Limits of the search for an object that answers a question.
const (
	maxObjectsPerQuestion = 60
	maxValuesPerBase      = 26
)

// findRequest looks for a request that answers q.
func (p *pair) findRequest(q *question) (request, bool) {
	var found request
	ok := p.candidates(q, func(obj map[string]any, at []field.Segment) bool {
		if q.tried++; q.tried > maxObjectsPerQuestion || p.c.effort <= 0 {
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
		if at != nil && q.accepting.handle(r.kind, r.object, r.stored).Err() != nil && q.tried < maxObjectsPerQuestion/2 {
			// Another value of the object conflicts with this one.
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

// candidates yields objects that may answer q, each with the location of the value that matters, until yield returns true. It reports whether
// yield did.
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
			if n++; n == maxValuesPerBase {
				break
			}
		}
	}
	return false
}
