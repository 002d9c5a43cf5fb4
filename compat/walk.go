package compat

import (
	"slices"

	"github.com/crdkit/crdkit/crd"
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
		p.walk(p.old.effective(fx.below(items)), p.now.effective(fy.below(items)), way.To(items))
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
		if g.keyword == "required" && (p.old.effective(x.below(property(g.name))).pruned() || p.now.effective(y.below(property(g.name))).pruned()) {
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

// fields goes on with the fields of objects.
func (p *pair) fields(x, y *facts, way constraint.Way) {
	for _, name := range declaredByEither(x, y) {
		p.field(x, y, p.old.effective(x.below(property(name))), p.now.effective(y.below(property(name))), way.To(property(name)))
	}
	p.undeclaredFields(x, y, way)
}

// others goes on with the fields that neither side declares.
func (p *pair) undeclaredFields(x, y *facts, way constraint.Way) {
	p.field(x, y, p.old.effective(x.below(undeclared)), p.now.effective(y.below(undeclared)), way.To(undeclared))
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

// maxStoredDepth bounds how deep the versions that objects are stored in are compared.
const maxStoredDepth = 50

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
		below(p.old.effective(fx.below(property(name))), p.now.effective(fy.below(property(name))), property(name))
	}
	below(p.old.effective(fx.below(undeclared)), p.now.effective(fy.below(undeclared)), undeclared)
	if x.node.Items != nil && y.node.Items != nil {
		below(fx.below(items), fy.below(items), items)
	}
}

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
