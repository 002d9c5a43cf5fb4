package compat

import (
	"slices"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/internal/tool/sample"
	"github.com/crdkit/crdkit/resource"
)

// This file compares how both sides store fields that they accept: fields are pruned, preserved, defaulted, or dropped
// because they are null.

// removedField looks for an object that loses the value at schemaPath, which only the old side describes. a is the
// location on the old side.
func (p *pair) removedField(a *location, schemaPath constraint.Steps) {
	q := question{schemaPath: schemaPath, restriction: restriction{keyword: "existingFieldRemoval", before: "described", after: "dropped"}, accepting: p.old, refusing: p.now}
	if a.provedEmpty(emptyDepth) || !p.ask(&q) {
		return
	}
	lost := func(was, is resource.Result) bool {
		return accepted(was) && accepted(is) && lacks(is.Object, was.Object) &&
			len(valuesAt(p.old.root, is.Object, schemaPath)) < len(valuesAt(p.old.root, was.Object, schemaPath))
	}
	detail := "The field is dropped now."
	if p.inStorage && p.storageMoved() {
		q.restriction.before, q.restriction.after = "stored in "+p.old.storage.name, "stored in "+p.now.storage.name
		detail = "Objects are stored in " + p.now.storage.name + " now, which does not have the field: it is not stored any longer."
	}
	if !p.showStored(&q, LosesData, detail, lost) {
		p.unknown(&q, "The field is gone, and no object was found that shows it.")
	}
}

// showStored looks for a request that sets the value at the schema path of q and for which holds is true, and adds a
// finding. It reports whether it found one.
func (p *pair) showStored(q *question, verdict Verdict, detail string, e effect) bool {
	for base := range p.bases(q.accepting, q.refusing, q.schemaPath) {
		if r, ok := p.requestFor(q.accepting, q.schemaPath, base); ok && p.showEffect(q, verdict, detail, r, e) {
			return true
		}
	}
	return false
}

// showEffect adds a finding if a request has an effect that the difference of q alone explains. It reports whether it
// does.
func (p *pair) showEffect(q *question, verdict Verdict, detail string, r request, e effect) bool {
	if was, is := p.byBoth(r); !e(was, is) {
		return false
	}
	c := p.contrastFor(q, p.old, p.now, r, e)
	if c == nil {
		return false
	}
	p.addWitness(q, verdict, detail, p.shrink(r, func(r request) bool {
		was, is := p.byBoth(r)
		return e(was, is) && confirmed(c, r, e)
	}))
	return true
}

// keptFields looks for an object that keeps undeclared fields at schemaPath, which only the new side preserves. b is
// the location on the new side.
func (p *pair) keptFields(b *location, schemaPath constraint.Steps) {
	q := question{schemaPath: schemaPath, restriction: restriction{keyword: keptKeyword, before: "dropped", after: "kept"}, accepting: p.now, refusing: p.old}
	if b.provedEmpty(emptyDepth) || !p.ask(&q) {
		return
	}
	detail := "Keys that are not declared were dropped and are kept now."
	if p.inStorage && p.storageMoved() {
		q.restriction.before, q.restriction.after = "stored in "+p.old.storage.name, "stored in "+p.now.storage.name
		detail = "Objects are stored in " + p.now.storage.name + " now, which has the field: it is stored now."
	}
	if !p.showStored(&q, Changes, detail, differsAt(p.now, schemaPath)) {
		p.unknown(&q, "Keys that are not declared are kept now, and no object was found that shows it.")
	}
}

// keptKeyword is the check of findings about undeclared fields.
const keptKeyword = "additionalProperties"

// differsAt is the effect that both sides accept a request, and store different values at schemaPath. v is the side to
// which schemaPath belongs.
func differsAt(v *version, schemaPath constraint.Steps) effect {
	return func(was, is resource.Result) bool {
		return accepted(was) && accepted(is) && !jsonval.Equal(valuesAt(v.root, was.Object, schemaPath), valuesAt(v.root, is.Object, schemaPath))
	}
}

// nullHandling looks for objects that show how the sides differ in handling null at schemaPath: one keeps it, and the
// other drops or refuses it.
func (p *pair) nullHandling(x, y *facts, schemaPath constraint.Steps) {
	q := question{schemaPath: schemaPath, restriction: restriction{keyword: "nullable", before: x.typeText(), after: y.typeText()}, x: x, y: y, accepting: p.old, refusing: p.now}
	if !p.ask(&q) {
		return
	}
	found := map[Verdict]bool{}
	try := func(accepting *version, base map[string]any) {
		obj, ok := withNull(accepting, base, schemaPath)
		if !ok || len(found) > 1 {
			return
		}
		r, ok := p.requestFor(accepting, schemaPath, obj)
		if !ok {
			r = createOf(obj)
		}
		verdict, detail := p.nullVerdict(schemaPath, r)
		if verdict == "" || found[verdict] {
			return
		}
		// The role of the accepting side differs with the verdict.
		was, is := p.old, p.now
		if verdict == Loosens {
			was, is = is, was
		}
		same := func(a, b resource.Result) bool {
			if verdict == Loosens {
				a, b = b, a
			}
			v, _ := p.nullOutcome(schemaPath, a, b)
			return v == verdict
		}
		c := p.contrastFor(&q, was, is, r, same)
		if c == nil {
			return
		}
		found[verdict] = true
		p.addWitness(&q, verdict, detail, p.shrink(r, func(r request) bool {
			v, _ := p.nullVerdict(schemaPath, r)
			return v == verdict && confirmed(c, r, same)
		}))
	}
	parent := schemaPath[:len(schemaPath)-1]
	for _, sides := range [][2]*version{{p.old, p.now}, {p.now, p.old}} {
		for _, schemaPath := range []constraint.Steps{schemaPath, parent} {
			for base := range p.bases(sides[0], sides[1], schemaPath) {
				try(sides[0], base)
			}
		}
		if full, err := sides[0].samples().Full(p.c.ctx); err == nil {
			try(sides[0], full)
		}
	}
	if len(found) == 0 {
		p.unknown(&q, "No object was found that shows what becomes of null.")
	}
}

// withNull returns base with null at schemaPath. It reports false if base has no object or item to put it into.
func withNull(v *version, base map[string]any, schemaPath constraint.Steps) (map[string]any, bool) {
	at, _, ok := firstAt(v, base, schemaPath)
	if last := schemaPath[len(schemaPath)-1]; last.Other || !ok && !last.Item {
		name := last.Name
		if last.Other {
			name = unknownField // not the one of base, which may be required
		}
		var parent any
		if at, parent, ok = firstAt(v, base, schemaPath[:len(schemaPath)-1]); !ok || !isMap(parent) {
			return nil, false
		}
		at = append(at, field.Segment{Key: name})
	}
	if !ok {
		return nil, false
	}
	obj, _ := sample.Replaced(base, at, nil).(map[string]any)
	return obj, true
}

// nullVerdict returns the verdict about a request with null at schemaPath, and its detail. It returns empty strings if
// both sides handle it alike.
func (p *pair) nullVerdict(schemaPath constraint.Steps, r request) (Verdict, string) {
	if !isBelow(schemaPath, p.masked) && (p.old.dropsFields(r.object) || p.now.dropsFields(r.object)) || !slices.Contains(valuesAt(p.now.root, r.object, schemaPath), nil) {
		return "", ""
	}
	return p.nullOutcome(schemaPath, p.old.handle(r), p.now.handle(r))
}

// nullOutcome is nullVerdict for the results of both sides.
func (p *pair) nullOutcome(schemaPath constraint.Steps, was, is resource.Result) (Verdict, string) {
	parent := schemaPath[:len(schemaPath)-1]
	a, b := valuesAt(p.old.root, was.Object, parent), valuesAt(p.now.root, is.Object, parent)
	switch {
	case !accepted(was) && !accepted(is):
	case !accepted(was):
		return Loosens, "Null is accepted or dropped now."
	case !accepted(is):
		return Breaks, "Null is refused, or what is missing where it is dropped."
	case jsonval.Equal(a, b):
	case lacks(b, a):
		return LosesData, "Null is dropped now."
	default:
		return Changes, "Null is stored otherwise now."
	}
	return "", ""
}

// changedDefault looks for an object without a value at schemaPath, for which the sides store different defaults.
func (p *pair) changedDefault(x, y *facts, schemaPath constraint.Steps) {
	if len(schemaPath) == 0 {
		return
	}
	q := question{schemaPath: schemaPath, restriction: restriction{keyword: "default", before: defaultText(x), after: defaultText(y)}, x: x, y: y, accepting: p.old, refusing: p.now}
	if x.loc.defaultValue() == nil && isRequired(p.old.root, schemaPath) || y.loc.defaultValue() == nil && isRequired(p.now.root, schemaPath) {
		return
	}
	last, parent := schemaPath[len(schemaPath)-1], schemaPath[:len(schemaPath)-1]
	if last.Item || last.Other { // no item or undeclared field is missing
		p.questions = true
		return
	}
	if !p.ask(&q) {
		return
	}
	detail := "Objects without the field are stored with another value."
	if p.inStorage && p.storageMoved() {
		detail = "Objects are stored in " + p.now.storage.name + " now, which has another default."
	}
	p.defaultAndTransition(q, x, y)
	differs := differsAt(p.old, schemaPath)
	for base := range p.bases(p.old, p.now, parent) {
		at, v, ok := firstAt(p.old, base, parent)
		m, isMap := v.(map[string]any)
		if !ok || !isMap {
			continue
		}
		if _, there := m[last.Name]; there {
			base, _ = sample.Removed(base, append(slices.Clone(at), field.Segment{Key: last.Name})).(map[string]any)
		}
		for _, repair := range []bool{false, true} {
			if repair {
				var err error
				if base, err = p.old.samples().Keep(p.c.ctx, base, at); err != nil {
					break
				}
			}
			if r, ok := p.requestFor(p.old, schemaPath, base); ok &&
				p.showEffect(&q, Changes, detail, r, differs) {
				return
			}
		}
	}
	p.unknown(&q, "The default differs, and no object was found that shows it.")
}

// maxTransitions bounds how many updates defaultAndTransition tries.
const maxTransitions = 40

// defaultAndTransition looks for an update that sets a field with another default, and that a rule refuses now: a
// server reads stored objects with their defaults, so that oldSelf is the default where there was none, or another
// value.
func (p *pair) defaultAndTransition(q question, x, y *facts) {
	if x.loc.node == nil || y.loc.defaultValue() == nil || !hasTransitions(p.now.root, q.schemaPath) {
		return
	}
	q.ruleOnly = true
	last, parent := q.schemaPath[len(q.schemaPath)-1], q.schemaPath[:len(q.schemaPath)-1]
	var values []any
	add := func(v any) {
		if v != nil && len(values) < maxTransitions && x.fits(v) && !jsonval.Equal(v, y.loc.defaultValue()) && !hasValue(values, v) {
			values = append(values, v)
		}
	}
	add(x.loc.defaultValue())
	for trial := range 4 {
		add(p.old.samples().Value(x.nodes, trial, trial%2 == 1))
	}
	for _, v := range scalars(x, y) {
		add(v)
	}
	tried := 0
	for base := range p.bases(p.old, p.now, parent) {
		at, v, ok := firstAt(p.old, base, parent)
		if !ok || !isMap(v) {
			continue
		}
		at = append(slices.Clone(at), field.Segment{Key: last.Name})
		r, ok := p.requestFor(p.old, q.schemaPath, base)
		if !ok {
			continue
		}
		stored := p.old.handle(r)
		if !accepted(stored) {
			continue
		}
		without, _ := tryRemoved(stored.Object, at).(map[string]any)
		for _, v := range values {
			if tried++; tried > maxTransitions {
				return
			}
			set, _ := tryReplaced(without, at, v).(map[string]any)
			update := request{kind: requestUpdate, object: set, stored: without}
			if r.kind == requestStatus {
				update.kind = requestStatus
			}
			if set != nil && p.showEffect(&q, Breaks, "A rule refuses an update that sets the field: with the default, there is an old value that differs.", update, q.refuses) {
				return
			}
		}
	}
}

// tryRemoved is [sample.Removed] for a path that may lead nowhere.
func tryRemoved(v any, path []field.Segment) any {
	if _, ok := valueAt(v, path); !ok {
		return v
	}
	return sample.Removed(v, path)
}

// maxTransitionNodes bounds where hasTransitions looks.
const maxTransitionNodes = 2000

// hasTransitions reports whether a rule on the way to a schema path, or at it or below it, may compare with old values.
func hasTransitions(n *plan.Node, schemaPath constraint.Steps) bool {
	isTransition := func(r plan.Rule) bool { return strings.Contains(r.Rule, "oldSelf") }
	for i := range schemaPath {
		if above := schemaPath[:i].Node(n); above != nil && slices.ContainsFunc(above.Rules, isTransition) {
			return true
		}
	}
	todo := []*plan.Node{schemaPath.Node(n)}
	for i := 0; i < len(todo) && i < maxTransitionNodes; i++ {
		n := todo[i]
		if n == nil {
			continue
		}
		if slices.ContainsFunc(n.Rules, isTransition) {
			return true
		}
		todo = append(todo, n.Items, n.Additional)
		for j := range n.Props {
			todo = append(todo, n.Props[j].Node)
		}
	}
	return false
}

// defaultText returns the default as JSON, or "none".
func defaultText(f *facts) string {
	if v := f.loc.defaultValue(); v != nil {
		return compact(v)
	}
	return "none"
}

// isRequired reports whether the field at schemaPath is required in a schema. n is the root of the schema.
func isRequired(n *plan.Node, schemaPath constraint.Steps) bool {
	last := len(schemaPath) - 1
	n = schemaPath[:last].Node(n)
	return n != nil && slices.Contains(n.Required, schemaPath[last].Name)
}
