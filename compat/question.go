package compat

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/crdkit/crdkit/internal/constraint"
)

// A question is whether one side accepts an object that the other side refuses because of a keyword at schemaPath.
type question struct {
	schemaPath          constraint.Steps
	restriction         restriction
	x, y                *facts   // of the accepting and the refusing side; nil for a rule
	accepting, refusing *version // the roles that the sides have in this question
	loosens             bool     // the new side is the accepting one
	requestKind         string   // empty for the one that pair.requestKind returns
	tried               int      // how many objects were tried
	storedDifferently   *request // a request that both sides accept, and store with different values
}

// path returns the path of findings about q.
func (q *question) path() string {
	path := q.schemaPath.String()
	if q.restriction.name != "" {
		path = constraint.Join(path, q.restriction.name)
	}
	return path
}

// texts returns the texts of the old side and of the new side for the keyword.
func (q *question) texts() (before, after string) {
	if q.loosens {
		return q.restriction.after, q.restriction.before
	}
	return q.restriction.before, q.restriction.after
}

// detail returns the sentence of a finding that answers q with an object.
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

// violatedBy reports whether a value at the schema path of q in a request violates its restriction.
func (q *question) violatedBy(r request) bool {
	return q.restriction.violated == nil || slices.ContainsFunc(valuesAt(q.accepting.root, r.object, q.schemaPath), q.restriction.violated)
}

// ask records that there is a question that a request can answer. It reports whether requests can be tried, and adds a
// finding if only the effort for them is missing.
func (p *pair) ask(q *question) bool {
	p.questions = true
	p.c.effort -= (q.x.size()+q.y.size())/sizePerRequest + len(q.schemaPath)*len(q.schemaPath)/depthPerRequest
	if p.c.effort <= 0 {
		p.unknown(q, "There was no effort left.")
	}
	return p.c.effort > 0
}

// answer looks for an object that answers q, and adds the finding.
func (p *pair) answer(q question) {
	if !p.ask(&q) {
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

// addShown adds the findings that a request shows, which answers q.
func (p *pair) addShown(q *question, r request) {
	holds := func(r request) bool { return p.isDifference(q, r) && q.violatedBy(r) }
	if !q.violatedBy(r) { // one of Options.Objects may show the difference with other values
		holds = func(r request) bool { return p.isDifference(q, r) }
	}
	r = p.shrink(r, holds)
	verdict := Breaks
	if q.loosens {
		verdict = Loosens
	}
	f := p.addWitness(q, verdict, q.detail(), r)
	if !q.loosens && r.kind != requestUpdate {
		p.noopUpdate(q, f, r)
	}
}

// addChanged adds a finding about a request that both sides accept, and for which they store different values at the
// schema path of q.
func (p *pair) addChanged(q *question, r request) {
	r = p.shrink(r, func(r request) bool { return p.storesDifferently(q, r) })
	before, after, _ := p.storedByBoth(r)
	if lacks(after, before) {
		p.addWitness(q, LosesData, "The value is dropped now.", r)
	} else {
		p.addWitness(q, Changes, "The value is stored otherwise.", r)
	}
}

// addWitness adds a finding about q that a request shows, and returns it.
func (p *pair) addWitness(q *question, verdict Verdict, detail string, r request) Finding {
	f := p.finding(q, verdict, r.kind, detail)
	f.Witness = r.witness()
	p.c.add(f)
	return f
}

// finding returns a finding about q without a witness.
func (p *pair) finding(q *question, verdict Verdict, kind, detail string) Finding {
	before, after := q.texts()
	return Finding{Verdict: verdict, Request: kind, Version: p.label, Path: q.path(), Check: q.restriction.keyword, Detail: detail,
		Before: short(before), After: short(after)}
}

// unknown adds a finding for a question that was neither answered by a proof nor by an object.
func (p *pair) unknown(q *question, detail string) {
	if p.hideUnknown > 0 || !q.loosens && p.isMasked(q) {
		return
	}
	f := p.finding(q, Unknown, cmp.Or(q.requestKind, p.requestKind(q.schemaPath)), detail)
	if !p.c.unanswered[f] { // the question in the other direction may have the same text
		p.c.unanswered[f] = len(p.c.unanswered) < maxFindings
		p.c.add(f)
	}
}

// isMasked reports whether the new side refuses all objects that could answer q because they lack a required field that
// one of the sides drops. Then no rule is evaluated, and nothing is stored.
func (p *pair) isMasked(q *question) bool {
	switch q.restriction.keyword {
	case "rule", "existingFieldRemoval", "default", "additionalProperties":
	default:
		return false
	}
	return slices.ContainsFunc(p.masked, func(m constraint.Steps) bool {
		return len(m) <= len(q.schemaPath) && slices.Equal(m, q.schemaPath[:len(m)])
	})
}

// isDifference reports whether one side accepts a request without dropping anything, and the other side refuses it
// because of a value at the schema path of q.
func (p *pair) isDifference(q *question, r request) bool {
	if q.x != nil {
		p.c.effort -= q.x.tryCost() + q.y.tryCost()
	}
	if !q.accepting.accepts(r) || q.accepting.dropsFields(r.object) {
		return false
	}
	refused := q.refusing.handle(r)
	return !accepted(refused) && (about(refused.Errors, q.schemaPath) || refused.Failure != nil && len(refused.Errors) == 0)
}

// storesDifferently reports whether both sides accept a request, and store different values at the schema path of q.
func (p *pair) storesDifferently(q *question, r request) bool {
	return p.differsAt(q.accepting, q.schemaPath)(r) && !q.accepting.dropsFields(r.object)
}
