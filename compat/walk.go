package compat

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/cel/declare"
	"github.com/crdkit/crdkit/internal/constraint"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/schema"
)

// A pair is a version of both sides.
type pair struct {
	c            *comparer
	label        string
	old, now     *version
	depth        int
	requestsFail bool             // nothing can be asked
	differs      bool             // there was something to ask
	masked       []constraint.Way // where the new side refuses all that the old one has
	hideUnknown  int              // more than 0: what is not shown is no finding
}

func (c *comparer) compareVersions(label string, old, now *version) {
	if _, ok := c.versionOrder[label]; !ok {
		c.versionOrder[label] = len(c.versionOrder)
	}
	p := &pair{c: c, label: label, old: old, now: now}
	if old.needsWebhook || now.needsWebhook {
		p.unconverted()
		return
	}
	p.walk(old.rootLocation(), now.rootLocation(), nil)
	if stored := old.storage; stored != nil && now.storage != nil && (stored != old || now.storage != now) {
		p.storageVersions(stored.rootLocation(), now.storage.rootLocation(), nil)
	}
	p.givenObjects()
	p.madeObjects()
}

// unconverted compares a version that goes through a conversion webhook, which nobody can ask, on a side.
func (p *pair) unconverted() {
	for _, loosens := range []bool{false, true} {
		accepting, refusing := p.old, p.now
		f := Finding{Verdict: Breaks, Request: Create, Version: p.label, Check: "conversion", Before: crd.ConversionNone, After: crd.ConversionWebhook,
			Detail: "Requests in this version need a conversion webhook now, and fail without it."}
		if loosens {
			accepting, refusing = refusing, accepting
			f.Verdict, f.Before, f.After = Loosens, f.After, f.Before
			f.Detail = "Requests in this version needed a conversion webhook, and need none now."
		}
		obj, _ := accepting.objectAt(nil)
		if accepting.needsWebhook || obj == nil {
			continue
		}
		holds := func(r request) bool {
			return accepting.handle(Create, r.object, nil).Err() == nil && refusing.handle(Create, r.object, nil).Err() != nil
		}
		r := request{kind: Create, object: obj}
		if !holds(r) {
			continue
		}
		r = p.shrink(r, holds)
		f.Witness = r.witness()
		p.c.add(f)
		stored := accepting.handle(Create, r.object, nil).Object
		if !loosens && accepting.handle(Update, stored, stored).Err() == nil {
			f.Request, f.Witness = Update, &Witness{stored, stored}
			p.c.add(f)
		}
		return
	}
	p.requestsFail = true
	p.walk(p.old.rootLocation(), p.now.rootLocation(), nil)
	if p.differs {
		p.c.add(Finding{Verdict: Unknown, Version: p.label, Check: "conversion",
			Detail: "The schemas differ, and a webhook, which is not given, converts the objects of this version."})
	}
}

// top returns the spot of whole objects.
func (v *version) rootLocation() location {
	return location{node: v.root, preserved: v.root == nil, proofs: &v.c.proofs}
}

// settle makes a spot without a schema one where everything is kept, if the definition does not prune.
func (v *version) effective(s location) location {
	if s.pruned() && !v.prunes {
		s.preserved = true
	}
	return s
}

// walk compares what both sides say of the values at the end of a way, and of what is beneath.
func (p *pair) walk(x, y location, way constraint.Way) {
	if p.c.ctx.Err() != nil || p.depth > schema.MaxDepth || x.preserved && y.preserved {
		return
	}
	p.depth++
	defer func() { p.depth-- }()
	var fx, fy *facts
	if x.node == nil || y.node == nil || len(x.branches)+len(y.branches) > 0 || !sameKeywords(x.node, y.node) || constrainsPresence(x.node) && !sameFields(x.node, y.node) {
		fx, fy = factsOf(x), factsOf(y)
		if !isItemOrRoot(way) {
			fx.excludeDroppedNull()
			fy.excludeDroppedNull()
		}
		if len(way) > 0 && fx.empty(emptyDepth) && fy.empty(emptyDepth) && x.nullOutcome(isItemOrRoot(way)).equal(y.nullOutcome(isItemOrRoot(way))) {
			return
		}
		if p.keywords(fx, fy, way) && (x.preserved || y.preserved) {
			// A finding says that there is a schema now, or none any longer. What else may be lost is what it does not describe.
			if fx.accept&fy.accept&plan.KindObject != 0 {
				p.undeclaredFields(fx, fy, way)
			}
			return
		}
	} else {
		fx, fy = shallowFacts(x), shallowFacts(y)
	}
	if len(x.rules())+len(y.rules()) > 0 {
		p.rules(factsOf(x), factsOf(y), way)
	}
	if fx.accept&fy.accept&plan.KindObject != 0 && (fx.maxProps > 0 || fy.maxProps > 0) {
		p.fields(fx, fy, way)
	}
	if fx.accept&fy.accept&plan.KindArray != 0 && (fx.maxItems > 0 || fy.maxItems > 0) {
		p.walk(p.old.effective(fx.item()), p.now.effective(fy.item()), way.To(constraint.Step{Item: true}))
	}
}

// inList reports whether the values at the end of a way are items, or whole objects: null is not dropped there.
func isItemOrRoot(way constraint.Way) bool { return len(way) == 0 || way[len(way)-1].Item }

// bare returns facts for a walk through what is beneath a spot without combinators.
func shallowFacts(s location) *facts {
	if s.node.Combine != nil {
		return factsOf(s)
	}
	n := s.node
	return &facts{nodes: []*plan.Node{n}, loc: s, accept: n.Accept, maxItems: n.MaxItems, maxProps: n.MaxProperties}
}

// sameKeywords reports whether two nodes say the same of their own values, what is beneath them and rules aside.
func sameKeywords(a, b *plan.Node) bool {
	if a.Accept != b.Accept || a.List != b.List || a.Type != b.Type || a.Format != b.Format || a.MapType != b.MapType ||
		a.Has&^(plan.HasRules|plan.Sized) != b.Has&^(plan.HasRules|plan.Sized) ||
		a.MinItems != b.MinItems || a.MaxItems != b.MaxItems || a.MinProperties != b.MinProperties || a.MaxProperties != b.MaxProperties ||
		!slices.Equal(a.Required, b.Required) || !slices.Equal(a.ListMapKeys, b.ListMapKeys) || !jsonval.Equal(a.Default, b.Default) {
		return false
	}
	for _, name := range a.Required {
		if constraint.Supplied(a, name) != constraint.Supplied(b, name) {
			return false
		}
	}
	if (a.String == nil) != (b.String == nil) || (a.Number == nil) != (b.Number == nil) || (a.Enum == nil) != (b.Enum == nil) {
		return false
	}
	if s, t := a.String, b.String; s != nil && (s.MinLength != t.MinLength || s.MaxLength != t.MaxLength || s.PatternText != t.PatternText || s.Format != t.Format) {
		return false
	}
	if s, t := a.Number, b.Number; s != nil && (s.Ranged != t.Ranged || !sameBound(s.Minimum, t.Minimum) || !sameBound(s.Maximum, t.Maximum) ||
		!sameBound(s.MultipleOf, t.MultipleOf)) {
		return false
	}
	if a.Enum != nil && !slices.EqualFunc(a.Enum.Values, b.Enum.Values, jsonval.Equal) {
		return false
	}
	return sameCombinators(a.Combine, b.Combine)
}

// counts reports whether n says something of which fields are there.
func constrainsPresence(n *plan.Node) bool {
	return len(n.Required) > 0 || n.MinProperties > 0 || n.MaxProperties < math.MaxInt64 || n.Combine != nil
}

// sameFields reports whether two nodes without combinators of their own drop, fill in and keep the same fields.
func sameFields(a, b *plan.Node) bool {
	same := func(a, b *plan.Node) bool {
		if a == nil || b == nil {
			return a == b
		}
		return location{node: a}.nullOutcome(false).equal(location{node: b}.nullOutcome(false)) && jsonval.Equal(a.Default, b.Default)
	}
	return same(a.Additional, b.Additional) && slices.EqualFunc(a.Props, b.Props, func(p, q plan.Prop) bool { return p.Name == q.Name && same(p.Node, q.Node) })
}

func sameBound(a, b *plan.Bound) bool { return a == b || a != nil && b != nil && *a == *b }

func sameCombinators(a, b *plan.Combinators) bool {
	if a == nil || b == nil {
		return a == b
	}
	return sameNodes(a.AllOf, b.AllOf) && sameNodes(a.AnyOf, b.AnyOf) && sameNodes(a.OneOf, b.OneOf) && sameNode(a.Not, b.Not)
}

func sameNodes(a, b []*plan.Node) bool { return slices.EqualFunc(a, b, sameNode) }

func sameNode(a, b *plan.Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	return sameKeywords(a, b) && sameNode(a.Items, b.Items) && sameNode(a.Additional, b.Additional) &&
		slices.EqualFunc(a.Props, b.Props, func(p, q plan.Prop) bool { return p.Name == q.Name && sameNode(p.Node, q.Node) })
}

// keywords compares the keywords at a position, and reports whether there is a gap on either side, for more than null.
func (p *pair) keywords(x, y *facts, way constraint.Way) bool {
	var tighter, looser []restriction
	if !x.empty(emptyDepth) {
		tighter = restrictions(x, y)
	}
	if !y.empty(emptyDepth) {
		looser = restrictions(y, x)
	}
	nulls := len(way) > 0 && !x.loc.nullOutcome(isItemOrRoot(way)).equal(y.loc.nullOutcome(isItemOrRoot(way)))
	if nulls && !isItemOrRoot(way) && !way[len(way)-1].Other { // null is as good as nothing where a field is filled in: see defaults
		nulls = x.loc.keepsNull() != y.loc.keepsNull()
	}
	if nulls {
		p.nullHandling(x, y, way)
	}
	for _, g := range tighter {
		if g.keyword == "nullable" && nulls {
			continue
		}
		if g.keyword == "required" && (p.old.effective(x.child(g.name, true)).pruned() || p.now.effective(y.child(g.name, true)).pruned()) {
			p.masked = append(p.masked, way)
		}
		p.answer(question{way: way, restriction: g, x: x, y: y, accepting: p.old, refusing: p.now})
	}
	for _, g := range looser {
		if g.keyword == "nullable" && nulls {
			continue
		}
		p.answer(question{way: way, restriction: g, x: y, y: x, accepting: p.now, refusing: p.old, loosens: true})
	}
	if p.c.options.Harmless && len(tighter)+len(looser) == 0 && x.loc.node != nil && y.loc.node != nil &&
		jsonval.Equal(x.loc.node.Default, y.loc.node.Default) {
		p.c.add(Finding{Verdict: Harmless, Version: p.label, Path: way.String(), Check: "schema", Detail: "Other words for the same values."})
	}
	p.listAndMapTypes(x, y, way)
	if x.loc.node != nil && y.loc.node != nil && !jsonval.Equal(x.loc.node.Default, y.loc.node.Default) {
		p.changedDefault(x, y, way)
	}
	return slices.ContainsFunc(slices.Concat(tighter, looser), func(g restriction) bool { return g.keyword != "nullable" })
}

// stored compares the versions that objects are stored in, where they are others: what these drop and what they set shows in all versions.
func (p *pair) storageVersions(x, y location, way constraint.Way) {
	if x.node == nil || y.node == nil || p.c.effort <= 0 || p.c.ctx.Err() != nil || p.depth > schema.MaxDepth || len(way) > maxStoredDepth {
		return
	}
	p.depth++
	p.hideUnknown++
	defer func() { p.depth--; p.hideUnknown-- }()
	fx, fy := shallowFacts(x), shallowFacts(y)
	below := func(a, b location, step constraint.Step) {
		way := way.To(step)
		if way.Node(p.old.root) == nil || way.Node(p.now.root) == nil {
			return // the version has no schema for it
		}
		switch {
		case a.pruned() && b.pruned():
		case b.pruned():
			p.removedField(a, way)
		case a.pruned():
			p.keptFields(b, way)
		default:
			if a.node != nil && b.node != nil && !jsonval.Equal(a.node.Default, b.node.Default) {
				p.changedDefault(factsOf(a), factsOf(b), way)
			}
			p.storageVersions(a, b, way)
		}
	}
	for _, name := range declaredByEither(fx, fy) {
		below(p.old.effective(fx.child(name, true)), p.now.effective(fy.child(name, true)), constraint.Step{Name: name})
	}
	below(p.old.effective(fx.child("", false)), p.now.effective(fy.child("", false)), constraint.Step{Other: true})
	if x.node.Items != nil && y.node.Items != nil {
		below(fx.item(), fy.item(), constraint.Step{Item: true})
	}
}

// maxStoredDepth bounds how deep the versions that objects are stored in are compared.
const maxStoredDepth = 50

// merging compares what apply does with lists and maps.
func (p *pair) listAndMapTypes(x, y *facts, way constraint.Way) {
	a, b := x.loc.node, y.loc.node
	if a == nil || b == nil {
		return
	}
	if a.Type == "array" && b.Type == "array" {
		before, after := x.listText(), y.listText()
		if before != after {
			p.c.add(Finding{Verdict: Breaks, Request: Definition, Version: p.label, Path: way.String(), Check: "listType", Before: before, After: after,
				Detail: "Apply merges this list in another way."})
		}
	}
	if a.Type == "object" && b.Type == "object" {
		before, after := a.MapType, b.MapType
		for _, t := range []*string{&before, &after} {
			if *t == "" {
				*t = "granular"
			}
		}
		if before != after {
			p.c.add(Finding{Verdict: Breaks, Request: Definition, Version: p.label, Path: way.String(), Check: "mapType", Before: before, After: after,
				Detail: "Apply merges this object in another way."})
		}
	}
}

// fields goes on with the fields of objects.
func (p *pair) fields(x, y *facts, way constraint.Way) {
	for _, name := range declaredByEither(x, y) {
		p.field(x, y, p.old.effective(x.child(name, true)), p.now.effective(y.child(name, true)), way.To(constraint.Step{Name: name}))
	}
	p.undeclaredFields(x, y, way)
}

// others goes on with the fields that neither side declares.
func (p *pair) undeclaredFields(x, y *facts, way constraint.Way) {
	p.field(x, y, p.old.effective(x.child("", false)), p.now.effective(y.child("", false)), way.To(constraint.Step{Other: true}))
}

func (p *pair) field(x, y *facts, a, b location, way constraint.Way) {
	other := way[len(way)-1].Other
	switch {
	case a.pruned() && b.pruned():
	case b.pruned():
		p.removedField(a, way)
	case a.pruned():
		switch {
		case other:
			p.keptFields(b, way)
		case b.node != nil && b.node.Default != nil:
			p.changedDefault(&facts{}, factsOf(b), way)
		}
	default:
		p.walk(a, b, way)
	}
}

// rules compares the rules at a position.
func (p *pair) rules(x, y *facts, way constraint.Way) {
	before, after := x.loc.rules(), y.loc.rules()
	// Of the new rules only what the old side accepts counts, and the other way round.
	inOld, inNew := schemaKnowledge{x, y, p.old, p.now}, schemaKnowledge{y, x, p.now, p.old}
	changed := typeChangesBetween(x.loc.node, y.loc.node)
	ask := func(rules, others []plan.Rule, know schemaKnowledge, loosens bool) {
		have := p.allConjuncts(others, know)
		for i := range rules {
			if r := &rules[i]; changed.affect(r.Rule) || !p.impliedBy(p.conjuncts(r, know), have) {
				p.findRuleWitness(way, r, i, others, loosens)
			}
		}
	}
	ask(after, before, inOld, false)
	ask(before, after, inNew, true)
}

// terms returns the terms of a rule, or the rule as a term of its own if there are no steps left.
func (p *pair) conjuncts(r *plan.Rule, know knowledge) []conjunct {
	if !p.c.proofs.spend(len(r.Rule) * len(r.Rule) / 100) {
		return []conjunct{opaqueConjunct(r)}
	}
	return conjuncts(r, know)
}

// allTerms returns the terms of all rules.
func (p *pair) allConjuncts(rules []plan.Rule, know knowledge) (all []conjunct) {
	for i := range rules {
		all = append(all, p.conjuncts(&rules[i], know)...)
	}
	return all
}

// Known is what the facts of the accepting side tell of the values that a rule of the other side is about.
type schemaKnowledge struct {
	accepting, refusing               *facts
	acceptingVersion, refusingVersion *version
}

// constant knows of fields that the accepting side drops, if what leads there is always an object, or the item of a list that a macro goes through.
func (k schemaKnowledge) constant(path []string) (text string, absent bool) {
	last := len(path) - 1
	for i, escaped := range path {
		if i > 0 && escaped != itemStep && k.accepting.accept&^plan.KindObject != 0 {
			return "", false
		}
		if i == last {
			break
		}
		var a, b location
		if escaped == itemStep {
			if !k.isList() {
				return "", false
			}
			a, b = k.acceptingVersion.effective(k.accepting.item()), k.refusingVersion.effective(k.refusing.item())
		} else {
			name, ok := declare.Unescape(escaped)
			if !ok || path[i+1] != itemStep && !slices.Contains(k.accepting.required, name) {
				return "", false
			}
			a, b = k.child(name)
		}
		if k.accepting, k.refusing = factsOf(a), factsOf(b); a.node == nil || b.node == nil {
			return "", false
		}
	}
	name, ok := declare.Unescape(path[last])
	switch a, b := k.child(name); {
	case !ok || !a.pruned():
		return "", false
	case b.defaultValue() == nil:
		return "", true
	default:
		return literalOf(b.defaultValue()), false
	}
}

// child returns the spots of a field on both sides.
func (k schemaKnowledge) child(name string) (accepts, refuses location) {
	return k.acceptingVersion.effective(k.accepting.child(name, true)), k.refusingVersion.effective(k.refusing.child(name, true))
}

// literalOf returns a value as the text of a literal, or nothing.
func literalOf(v any) string {
	switch x := v.(type) {
	case string:
		return strconv.Quote(x)
	case bool:
		return strconv.FormatBool(x)
	}
	return ""
}

func (k schemaKnowledge) isList() bool {
	return k.accepting.accept&^(plan.KindArray|plan.KindNull) == 0
}

func (k schemaKnowledge) excludes(path []string, literal string) bool {
	x := k.accepting
	for _, escaped := range path {
		var s location
		if escaped == itemStep {
			if x.accept&plan.KindArray == 0 || x.accept&plan.KindObject != 0 {
				return false
			}
			s = k.acceptingVersion.effective(x.item())
		} else {
			name, ok := declare.Unescape(escaped)
			if !ok {
				return false
			}
			s = k.acceptingVersion.effective(x.child(name, true))
		}
		if s.node == nil {
			return false
		}
		x = factsOf(s)
	}
	values, ok := x.finite()
	return ok && !slices.ContainsFunc(values, func(v any) bool {
		text := literalOf(v)
		return v != nil && (text == "" || text == literal)
	})
}

func (p *pair) impliedBy(terms []conjunct, have []conjunct) bool {
	return impliedBy(terms, have, &p.c.proofs)
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

// request is by what objects with a value at the end of a way are sent.
func (p *pair) requestKind(way constraint.Way) string {
	switch {
	case len(way) == 0 || way[0].Name != "status":
	case p.old.hasStatus && p.now.hasStatus:
		return StatusUpdate
	case p.old.hasStatus || p.now.hasStatus:
		return Update
	}
	return Create
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
