package compat

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/crdkit/crdkit/internal/constraint"
	"github.com/crdkit/crdkit/internal/jsonval"
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

func (q *question) path() string {
	path := q.way.String()
	if q.restriction.name != "" {
		path = constraint.Join(path, q.restriction.name)
	}
	return path
}

// before and after are what the old side says, and the new one.
func (q *question) before() string {
	if q.loosens {
		return q.restriction.after
	}
	return q.restriction.before
}

func (q *question) after() string {
	if q.loosens {
		return q.restriction.before
	}
	return q.restriction.after
}

func (q *question) detail() string {
	switch k := q.restriction.keyword; {
	case k == "rule" && q.loosens:
		return "A rule refuses less."
	case k == "rule":
		return "A rule refuses what was accepted."
	case q.loosens:
		return fmt.Sprintf("%s lets more pass.", k)
	default:
		return fmt.Sprintf("%s refuses what was accepted.", k)
	}
}

// broken reports whether what is at the end of the way in a request, or some of it, is what the gap is about.
func (q *question) violatedBy(r request) bool {
	return q.restriction.violated == nil || slices.ContainsFunc(valuesAt(q.accepting.root, r.object, q.way), q.restriction.violated)
}

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

// unknown adds a finding of what was neither proved nor shown.
func (p *pair) unknown(q *question, detail string) {
	if p.hideUnknown > 0 || !q.loosens && p.isMasked(q) {
		return
	}
	f := Finding{Verdict: Unknown, Request: cmp.Or(q.requestKind, p.requestKind(q.way)), Version: p.label, Path: q.path(), Check: q.restriction.keyword, Detail: detail,
		Before: short(q.before()), After: short(q.after())}
	if !slices.Contains(p.c.report.Findings, f) { // as the question of what is loosened may be in the same words
		p.c.add(f)
	}
}

// isMasked reports whether the new side refuses all objects that q could be about, for a field that none of them has. So rules are never
// evaluated, and nothing is stored.
func (p *pair) isMasked(q *question) bool {
	switch q.restriction.keyword {
	case "rule", "existingFieldRemoval", "default", "additionalProperties":
	default:
		return false
	}
	return slices.ContainsFunc(p.masked, func(m constraint.Way) bool { return len(m) <= len(q.way) && slices.Equal(m, q.way[:len(m)]) })
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

// storedOtherwise reports whether both sides accept a request, and what is stored at the end of the way differs.
func (p *pair) storesDifferently(q *question, r request) bool {
	before, after, ok := p.storedByBoth(r)
	return ok && !q.accepting.dropsFields(r.object) && !jsonval.Equal(valuesAt(q.accepting.root, before, q.way), valuesAt(q.accepting.root, after, q.way))
}
