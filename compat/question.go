package compat

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/origin"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/resource"
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
	rule                ruleKey  // of the keyword rule
	ruleOnly            bool     // what q is about makes a rule refuse a request, at any path
	fields              []string // that rules may read in another way
	differences         []difference
	contrast            *contrast // for the request that answers q
	severally           bool      // several differences answer q, so that there is no contrast
	contrasts           int       // how many requests were tried with one
	combined            *request  // one that has an answer, but not because of one difference
	mayDrop             bool      // the accepting side may drop fields of the request
	dropped             bool      // a request was not used because the accepting side drops fields
}

// refuses is the effect that one side accepts a request that the other side refuses because of q.
func (q *question) refuses(was, is resource.Result) bool {
	return accepted(was) && !accepted(is) && q.isCause(is.Errors)
}

// isCause reports whether one of errs is about a value at the schema path of q, or about something in it, and comes
// from the keyword that q is about.
func (q *question) isCause(errs field.List) bool {
	keywords := causes[q.restriction.keyword]
	if q.ruleOnly {
		return slices.ContainsFunc(errs, func(e *field.Error) bool { return e.Cause().Keyword == origin.Validations })
	}
	return slices.ContainsFunc(errs, func(e *field.Error) bool {
		return (len(keywords) == 0 || slices.Contains(keywords, e.Cause().Keyword)) && about(field.List{e}, q.schemaPath)
	})
}

// causes has the keywords of errors for restrictions. Those that are not in it may cause any errors.
var causes = map[string][]string{
	"type":             {origin.Type, origin.IntOrString, origin.Nullable},
	"nullable":         {origin.Type, origin.IntOrString, origin.Nullable, origin.Enum},
	"format":           {origin.Format, origin.Type, origin.IntOrString},
	"maximum":          {origin.Maximum},
	"minimum":          {origin.Minimum},
	"multipleOf":       {origin.MultipleOf},
	"maxLength":        {origin.MaxLength},
	"minLength":        {origin.MinLength},
	"pattern":          {origin.Pattern},
	"maxItems":         {origin.MaxItems},
	"minItems":         {origin.MinItems},
	"uniqueItems":      {origin.UniqueItems},
	"listType":         {origin.ListType},
	"maxProperties":    {origin.MaxProperties},
	"minProperties":    {origin.MinProperties},
	"required":         {origin.Required},
	"anyOf":            {origin.AnyOf},
	"oneOf":            {origin.OneOf},
	"not":              {origin.Not},
	"embeddedResource": {origin.EmbeddedResource},
	"rule":             {origin.Validations},
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
	q.mayDrop = p.isMasked(&q)
	r, ok := p.findRequest(&q)
	if !ok && q.dropped && !q.mayDrop {
		q.mayDrop, q.tried = true, 0
		r, ok = p.findRequest(&q)
	}
	switch {
	case ok:
		p.addShown(&q, r)
	case !q.y.loc.pruned():
		if q.storedDifferently != nil {
			p.addChanged(&q, *q.storedDifferently)
		}
		if q.combined == nil || !p.addCombined(&q, *q.combined) {
			p.unknown(&q, "No object was found that shows a difference.")
		}
	}
}

// isOther reports whether e, which is about values at the schema path of q, comes from another keyword.
func (q *question) isOther(e *field.Error) bool {
	at, keywords := e.Path.Segments(), causes[q.restriction.keyword]
	switch q.restriction.keyword {
	case "anyOf", "oneOf", "not":
		return false // a branch may have any keyword
	case "required":
		return len(at) == len(q.schemaPath)+1 && at[len(at)-1].Key != q.restriction.name
	}
	return len(at) == len(q.schemaPath) && len(keywords) > 0 && !slices.Contains(keywords, e.Cause().Keyword)
}

// isAbove reports whether e says of a value on the way to schemaPath that it does not match a combinator.
func isAbove(e *field.Error, schemaPath constraint.Steps) bool {
	switch e.Cause().Keyword {
	case origin.AllOf, origin.AnyOf, origin.OneOf:
		at := len(e.Path.Segments())
		return at < len(schemaPath) && about(field.List{e}, schemaPath[:at])
	}
	return false
}

// addCombined adds a finding about a request that has another result because of several differences together. It
// reports false if that is not so.
func (p *pair) addCombined(q *question, r request) bool {
	verdict, detail := Breaks, "Several differences refuse what was accepted."
	if q.loosens {
		verdict, detail = Loosens, "Several differences let more pass."
	}
	path := q.path()
	if slices.ContainsFunc(p.c.report.Findings[p.before:], func(f Finding) bool {
		return f.Check == combinedCheck && f.Path == path && f.Verdict == verdict && f.Request == r.kind
	}) {
		return true
	}
	r = p.shrink(r, func(r request) bool { return p.isDifference(q, r) })
	f := Finding{Verdict: verdict, Request: r.kind, Version: p.label, Path: path, Check: combinedCheck, Detail: detail, Witness: r.witness()}
	p.c.add(f)
	if !q.loosens && r.kind != requestUpdate {
		q.severally = true
		p.noopUpdate(q, f, r)
	}
	return true
}

// combinedCheck is the check of findings about objects, and not about one keyword.
const combinedCheck = "object"

// addShown adds the findings that a request shows, which answers q.
func (p *pair) addShown(q *question, r request) {
	violates := q.violatedBy(r) // one of Options.Objects may show the difference with other values
	holds := func(r request) bool {
		return p.isDifference(q, r) && (!violates || q.violatedBy(r)) && confirmed(q.contrast, r, q.refuses)
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
	differs := differsAt(q.accepting, q.schemaPath)
	c := p.contrastFor(q, p.old, p.now, r, differs)
	if c == nil {
		return
	}
	r = p.shrink(r, func(r request) bool { return p.storesDifferently(q, r) && confirmed(c, r, differs) })
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
	if !q.loosens && isBelow(q.schemaPath, p.refused) {
		return // the new side refuses all such objects, and a finding says so
	}
	if p.inStorage {
		if p.notStored++; p.notStored == 1 {
			p.firstNotStored = q.path()
		}
		return
	}
	f := p.finding(q, Unknown, cmp.Or(q.requestKind, p.requestKind(q.schemaPath)), detail)
	if !p.c.unanswered[f] { // the question in the other direction may have the same text
		p.c.unanswered[f] = len(p.c.unanswered) < maxFindings
		p.c.add(f)
	}
}

// isMasked reports whether the new side refuses all objects that could answer q if they lack a required field that one
// of the sides drops.
func (p *pair) isMasked(q *question) bool { return isBelow(q.schemaPath, p.masked) }

// isBelow reports whether a schema path begins with one of others.
func isBelow(schemaPath constraint.Steps, others []constraint.Steps) bool {
	return slices.ContainsFunc(others, func(o constraint.Steps) bool {
		return len(o) <= len(schemaPath) && slices.Equal(o, schemaPath[:len(o)])
	})
}

// isDifference reports whether one side accepts a request without dropping anything, and the other side refuses it
// because of q.
func (p *pair) isDifference(q *question, r request) bool {
	if q.x != nil {
		p.c.effort -= q.x.tryCost() + q.y.tryCost()
	}
	was := q.accepting.handle(r)
	if !accepted(was) {
		return false
	}
	if !q.refuses(was, q.refusing.handle(r)) {
		return false
	}
	if !q.mayDrop && q.accepting.dropsFields(r.object) {
		q.dropped = true
		return false
	}
	return true
}

// maxContrasts bounds how many requests are tried with a contrast for a question.
const maxContrasts = 6

// answers reports whether r answers q, and no other difference of the sides is needed for that. It keeps a request that
// only several differences explain.
func (p *pair) answers(q *question, r request) bool {
	if !p.isDifference(q, r) || q.contrasts >= maxContrasts {
		return false
	}
	for _, e := range q.refusing.handle(r).Errors {
		switch {
		case e.RulesSkipped() || isAbove(e, q.schemaPath):
		case !about(field.List{e}, q.schemaPath):
			return false // there is another reason
		case q.isOther(e):
			if q.combined == nil {
				q.combined = &r
			}
			return false
		}
	}
	q.contrasts++
	q.contrast = p.contrastFor(q, q.accepting, q.refusing, r, q.refuses)
	if q.contrast == nil && q.combined == nil && p.c.effort > 0 {
		q.combined = &r
	}
	return q.contrast != nil
}

// storesDifferently reports whether both sides accept a request, and store different values at the schema path of q.
func (p *pair) storesDifferently(q *question, r request) bool {
	was, is := p.byBoth(r)
	return differsAt(q.accepting, q.schemaPath)(was, is) && !q.accepting.dropsFields(r.object)
}
