package compat

import (
	"iter"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/tool/sample"
)

// Limits of the search for an object that answers a question.
const (
	maxObjectsPerQuestion = 60
	maxValuesPerBase      = 26
)

// findRequest looks for a request that answers q. It also sets q.storedDifferently if it comes across such a request.
func (p *pair) findRequest(q *question) (request, bool) {
	for obj, path := range p.candidates(q) {
		if q.tried++; q.tried > maxObjectsPerQuestion || p.c.effort <= 0 {
			break
		}
		r, ok := p.requestFor(q.accepting, q.schemaPath, obj)
		if !ok {
			continue
		}
		if p.answers(q, r) {
			return r, true
		}
		if q.storedDifferently == nil && p.storesDifferently(q, r) {
			q.storedDifferently = &r
		}
		if len(path) > 0 && !q.accepting.accepts(r) && q.tried < maxObjectsPerQuestion/2 {
			// Another value of the object conflicts with this one.
			repaired, err := q.accepting.samples().Keep(p.c.ctx, obj, path)
			if err != nil {
				continue
			}
			if r, ok := p.requestFor(q.accepting, q.schemaPath, repaired); ok && p.answers(q, r) {
				return r, true
			}
		}
	}
	return request{}, false
}

// candidates yields objects that may answer q, each with the path of the value that may be refused.
func (p *pair) candidates(q *question) iter.Seq2[map[string]any, []field.Segment] {
	return func(yield func(map[string]any, []field.Segment) bool) {
		for base := range p.bases(q.accepting, q.refusing, q.schemaPath) {
			path, v, ok := firstAt(q.accepting, base, q.schemaPath)
			if !ok {
				continue
			}
			n := 0
			for _, w := range p.values(q, v) {
				if p.c.effort -= q.x.tryCost(); p.c.effort <= 0 {
					return
				}
				defaulted := q.x.withDefaults(w)
				if p.c.effort -= countValues(defaulted) / valuesPerRequest; !q.x.fits(defaulted) || q.restriction.violated != nil && !q.restriction.violated(w) {
					continue
				}
				obj, _ := sample.Replaced(base, path, w).(map[string]any)
				if !yield(obj, path) {
					return
				}
				if n++; n == maxValuesPerBase {
					break
				}
			}
		}
	}
}
