package compat

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/tool/constraint"
)

// A pair compares a version of the old definition with the same version of the new one, or two versions of one
// definition.
type pair struct {
	c        *comparer
	label    string // the version in findings
	old, now *version
	before   int // the number of findings before those of this pair
	depth    int
	masked   []constraint.Steps // schema paths at which the new side requires a field that one of the sides drops

	refusedUpdates []request // that change nothing, and that the new side refuses for another reason than their question

	refused []constraint.Steps // schema paths at which the new side requires a field that it drops itself

	questions bool // there was a question that a request could answer

	inStorage      bool   // the versions are compared in which objects are stored
	notStored      int    // questions about these without an answer
	firstNotStored string // the path of the first of them
}

// compareVersions adds the findings about two versions.
func (c *comparer) compareVersions(label string, old, now *version) {
	c.rankVersion(label)
	p := &pair{c: c, label: label, old: old, now: now, before: len(c.report.Findings)}
	if old.needsWebhook != now.needsWebhook {
		p.unconverted()
	}
	p.walk(old.rootLocation(), now.rootLocation(), nil)
	if stored := old.storage; stored != nil && now.storage != nil && (stored != old || now.storage != now) {
		p.compareStorage(stored, now.storage)
	}
	p.statusSubresource()
	p.givenObjects()
	p.madeObjects()
	if p.questions && old.needsWebhook && now.needsWebhook {
		c.report.Unconverted = true
	}
}

// unconverted adds a finding if only one side needs a conversion webhook, which is not given. The requests of that side
// are answered as far as that is possible without it: in their own version.
func (p *pair) unconverted() {
	f := Finding{Verdict: Unknown, Version: p.label, Check: "conversion", Before: crd.ConversionNone, After: crd.ConversionWebhook,
		Detail: "Requests in this version need a conversion webhook now, which is not given."}
	if p.old.needsWebhook {
		f.Before, f.After = f.After, f.Before
		f.Detail = "Requests in this version needed a conversion webhook, which is not given, and need none now."
	}
	p.c.add(f)
}

// walk compares the schemas of both sides at schemaPath, and below it.
func (p *pair) walk(x, y *location, schemaPath constraint.Steps) {
	if p.c.ctx.Err() != nil || p.depth > jsonval.MaxDepth || x.preserved && y.preserved || !p.look(x, y, schemaPath) {
		return
	}
	p.depth++
	defer func() { p.depth-- }()
	fx, fy := factsOf(x), factsOf(y)
	if x.node == nil || y.node == nil || len(x.branches)+len(y.branches) > 0 || !sameKeywords(x.node, y.node) || constrainsPresence(x.node) && !sameFields(x.node, y.node) {
		if !isItemOrRoot(schemaPath) {
			fx.excludeDroppedNull()
			fy.excludeDroppedNull()
		}
		if len(schemaPath) > 0 && fx.empty(emptyDepth) && fy.empty(emptyDepth) &&
			sameNullOutcome(x, y, isItemOrRoot(schemaPath)) {
			return
		}
		if p.keywords(fx, fy, schemaPath) && (x.preserved || y.preserved) {
			// A finding already says that a schema was added or removed. In addition, fields that the schema does not
			// describe may be lost.
			p.belowPreserved(fx, fy, schemaPath, false)
			return
		}
	}
	if len(x.rules())+len(y.rules()) > 0 {
		p.rules(factsOf(x), factsOf(y), schemaPath)
	}
	if fx.accept&fy.accept&plan.KindObject != 0 && (fx.maxProps > 0 || fy.maxProps > 0) {
		for _, step := range fieldSteps(fx, fy) {
			p.field(fx, fy, schemaPath, step)
		}
	}
	if fx.accept&fy.accept&plan.KindArray != 0 && (fx.maxItems > 0 || fy.maxItems > 0) {
		a, b := p.below(fx, fy, items)
		p.walk(a, b, schemaPath.To(items))
	}
}

// belowPreserved compares what becomes of values of which only one side has a schema: whether undeclared fields are
// lost or kept, and defaults. shown says that there is a finding about undeclared fields above.
func (p *pair) belowPreserved(x, y *facts, schemaPath constraint.Steps, shown bool) {
	if p.c.ctx.Err() != nil || p.depth > jsonval.MaxDepth || !p.look(x.loc, y.loc, schemaPath) {
		return
	}
	p.depth++
	defer func() { p.depth-- }()
	if x.accept&y.accept&plan.KindObject != 0 {
		if !shown {
			before := len(p.c.report.Findings)
			p.field(x, y, schemaPath, undeclared)
			shown = len(p.c.report.Findings) > before
		}
		for _, step := range fieldSteps(x, y) {
			a, b := p.below(x, y, step)
			if step.Other || a.pruned() || b.pruned() || a.preserved == b.preserved {
				continue
			}
			below, fa, fb := schemaPath.To(step), factsOf(a), factsOf(b)
			if !jsonval.Equal(a.defaultValue(), b.defaultValue()) {
				p.changedDefault(fa, fb, below)
			}
			p.belowPreserved(fa, fb, below, shown)
		}
	}
	if x.accept&y.accept&plan.KindArray != 0 {
		if a, b := p.below(x, y, items); a.preserved != b.preserved {
			p.belowPreserved(factsOf(a), factsOf(b), schemaPath.To(items), shown)
		}
	}
}

// storageMoved reports whether objects are stored in another version now.
func (p *pair) storageMoved() bool {
	a, b := p.old.storage, p.now.storage
	return a != nil && b != nil && a.name != b.name && p.old.name == p.now.name
}

// isItemOrRoot reports whether the values at schemaPath are items or whole objects. Null is never dropped there.
func isItemOrRoot(schemaPath constraint.Steps) bool {
	return len(schemaPath) == 0 || schemaPath[len(schemaPath)-1].Item
}

// keywords compares the keywords at schemaPath. It reports whether it found a restriction on either side, other than
// nullable.
func (p *pair) keywords(x, y *facts, schemaPath constraint.Steps) bool {
	var tighter, looser []restriction
	if !x.empty(emptyDepth) {
		tighter = restrictions(x, y)
	}
	if !y.empty(emptyDepth) {
		looser = restrictions(y, x)
	}
	nulls := !sameNullOutcome(x.loc, y.loc, isItemOrRoot(schemaPath))
	if nulls && !isItemOrRoot(schemaPath) && !schemaPath[len(schemaPath)-1].Other { // a default that replaces null is compared by changedDefault
		nulls = x.loc.keepsNull() != y.loc.keepsNull()
	}
	if nulls && len(schemaPath) > 0 { // an object is never null
		p.nullHandling(x, y, schemaPath)
	}
	for _, g := range tighter {
		if g.keyword == "nullable" && nulls {
			continue
		}
		if g.keyword == "required" {
			dropped := p.now.effective(y.below(property(g.name))).pruned()
			if dropped {
				p.refused = append(p.refused, schemaPath)
			}
			if dropped || p.old.effective(x.below(property(g.name))).pruned() {
				p.masked = append(p.masked, schemaPath)
			}
		}
		p.answer(question{schemaPath: schemaPath, restriction: g, x: x, y: y, accepting: p.old, refusing: p.now})
	}
	for _, g := range looser {
		if g.keyword == "nullable" && nulls {
			continue
		}
		p.answer(question{schemaPath: schemaPath, restriction: g, x: y, y: x, accepting: p.now, refusing: p.old, loosens: true})
	}
	if p.c.options.Harmless && len(tighter)+len(looser) == 0 && x.loc.node != nil && y.loc.node != nil &&
		jsonval.Equal(x.loc.defaultValue(), y.loc.defaultValue()) {
		p.c.add(Finding{Verdict: Harmless, Version: p.label, Path: schemaPath.String(), Check: "schema", Detail: "Other words for the same values."})
	}
	p.listAndMapTypes(x, y, schemaPath)
	if !jsonval.Equal(x.loc.defaultValue(), y.loc.defaultValue()) {
		p.changedDefault(x, y, schemaPath)
	}
	return slices.ContainsFunc(slices.Concat(tighter, looser), func(g restriction) bool { return g.keyword != "nullable" })
}

// field compares one field of objects at schemaPath, or the undeclared ones.
func (p *pair) field(x, y *facts, schemaPath constraint.Steps, step constraint.Step) {
	if len(schemaPath) == 0 && plan.ResourceField(step.Name) {
		p.resourceField(x, y, step)
		return
	}
	a, b := p.below(x, y, step)
	schemaPath = schemaPath.To(step)
	switch {
	case a.pruned() && b.pruned():
	case b.pruned():
		p.removedField(a, schemaPath)
	case !a.pruned():
		p.walk(a, b, schemaPath)
	case step.Other:
		p.keptFields(b, schemaPath)
	case b.defaultValue() != nil:
		p.changedDefault(&facts{loc: a}, factsOf(b), schemaPath)
	}
}

// resourceField compares one of the fields apiVersion, kind and metadata of whole objects. A server decides about them,
// whatever a schema says, except for what it says about the names in the metadata.
func (p *pair) resourceField(x, y *facts, step constraint.Step) {
	a, b := p.below(x, y, step)
	if a.node == nil && b.node == nil || sameNode(a.node, b.node) {
		return
	}
	p.questions = true // for madeObjects: a schema may refuse all kinds
	if step.Name != "metadata" {
		return
	}
	schemaPath := constraint.Steps{step}
	name := func(l *location, step constraint.Step) *location {
		if l.node != nil {
			if n := l.node.Prop(step.Name); n != nil {
				return &location{node: n.Node, proofs: l.proofs}
			}
		}
		return &location{node: anyText, proofs: l.proofs}
	}
	for _, step := range []constraint.Step{property("generateName"), property("name")} {
		p.walk(name(a, step), name(b, step), schemaPath.To(step))
	}
}

// below returns the locations one step below x, which is of the old side, and y.
func (p *pair) below(x, y *facts, step constraint.Step) (a, b *location) {
	return p.old.effective(x.below(step)), p.now.effective(y.below(step))
}

// compareStorage compares the versions in which objects are stored. Questions without an answer are one finding: most
// of them are about values of which the compared versions know nothing.
func (p *pair) compareStorage(old, now *version) {
	p.inStorage = true
	p.storageVersions(old.rootLocation(), now.rootLocation(), nil)
	p.inStorage = false
	if p.notStored > 0 {
		p.c.add(Finding{Verdict: Unknown, Request: requestCreate, Version: p.label, Path: p.firstNotStored, Check: "storage", Before: old.name, After: now.name,
			Detail: fmt.Sprintf("%d differences of the versions in which objects are stored were not shown. The first is this one.", p.notStored)})
	}
}

// maxStoredDepth bounds how deep storageVersions looks.
const maxStoredDepth = 50

// storageVersions compares the versions in which objects are stored, if these are not the compared ones: what they drop
// or default is missing or set in all versions.
func (p *pair) storageVersions(x, y *location, schemaPath constraint.Steps) {
	if x.node == nil || y.node == nil || p.c.ctx.Err() != nil || p.depth > jsonval.MaxDepth || !p.look(x, y, schemaPath) {
		return
	}
	if p.c.effort <= 0 || len(schemaPath) > maxStoredDepth {
		p.skip(x, y, schemaPath)
		return
	}
	p.depth++
	defer func() { p.depth-- }()
	fx, fy := factsOf(x), factsOf(y)
	for _, step := range fieldSteps(fx, fy) {
		p.storedField(fx, fy, schemaPath, step)
	}
	if x.node.Items != nil && y.node.Items != nil {
		p.storedField(fx, fy, schemaPath, items)
	}
}

// storedField is field for storageVersions, and also for items. It does not compare values for which a compared version
// has no schema.
func (p *pair) storedField(x, y *facts, schemaPath constraint.Steps, step constraint.Step) {
	a, b := p.below(x, y, step)
	schemaPath = schemaPath.To(step)
	if schemaPath.Node(p.old.root) == nil || schemaPath.Node(p.now.root) == nil {
		return
	}
	switch {
	case a.pruned() && b.pruned():
	case b.pruned():
		p.removedField(a, schemaPath)
	case a.pruned():
		p.keptFields(b, schemaPath)
	default:
		if a.node != nil && b.node != nil && !jsonval.Equal(a.defaultValue(), b.defaultValue()) {
			p.changedDefault(factsOf(a), factsOf(b), schemaPath)
		}
		p.storageVersions(a, b, schemaPath)
	}
}

// listAndMapTypes compares how apply merges lists and objects at schemaPath.
func (p *pair) listAndMapTypes(x, y *facts, schemaPath constraint.Steps) {
	a, b := x.loc.node, y.loc.node
	if a == nil || b == nil {
		return
	}
	compare := func(check, before, after, detail string) {
		if before != after {
			p.c.add(Finding{Verdict: Breaks, Request: requestDefinition, Version: p.label, Path: schemaPath.String(), Check: check, Before: before, After: after, Detail: detail})
		}
	}
	if a.Type == "array" && b.Type == "array" {
		compare("listType", x.listText(), y.listText(), "Apply merges this list in another way.")
	}
	if a.Type == "object" && b.Type == "object" {
		const byDefault = "granular"
		compare("mapType", cmp.Or(a.MapType, byDefault), cmp.Or(b.MapType, byDefault), "Apply merges this object in another way.")
	}
}
