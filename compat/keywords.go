package compat

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/tool/sample"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validate"
)

// strings compares the keywords for strings, apart from enum.
func (p *prover) strings() {
	x, y := p.x, p.y
	if y.maxLen < x.maxLen && !x.noTextOfLength(max(y.maxLen+1, x.minLen), x.maxLen) {
		g := sizeLimit("maxLength", plan.KindString, x.maxLen, y.maxLen)
		if y.maxLen < maxMadeSize {
			g.values = append(g.values, x.textsOfLength(max(y.maxLen+1, x.minLen, 0), x.maxLen)...)
		}
		p.add(g)
	}
	if y.minLen > max(x.minLen, 0) && !x.noTextOfLength(x.minLen, min(x.maxLen, y.minLen-1)) {
		g := sizeLimit("minLength", plan.KindString, x.minLen, y.minLen)
		g.values = x.textsOfLength(max(x.minLen, 0), min(x.maxLen, y.minLen-1))
		p.add(g)
	}
	for _, c := range y.patterns {
		if slices.ContainsFunc(x.patterns, func(d *plan.StringChecks) bool { return c.PatternText == d.PatternText }) {
			continue
		}
		g := restriction{keyword: "pattern", before: x.patternText(), after: c.PatternText, violated: func(v any) bool {
			s, ok := v.(string)
			return ok && (c.BadPattern != nil || !c.Pattern.MatchString(s))
		}}
		if c.Pattern != nil {
			add := func(s string) bool {
				g.values = append(g.values, s)
				return len(g.values) < 20
			}
			if least, most := max(x.minLen, y.minLen), min(x.maxLen, y.maxLen); least > x.minLen || most < x.maxLen {
				x.matchingTexts(c.Pattern, least, most, func(s string) bool { return add(s) && len(g.values) < 10 })
			}
			complete := x.matchingTexts(c.Pattern, x.minLen, x.maxLen, add)
			if complete && len(g.values) == 0 {
				continue
			}
		}
		p.add(g)
	}
	for i, f := range y.formats {
		if slices.Contains(x.formats, f) {
			continue
		}
		p.add(restriction{keyword: "format", before: x.formatText(), after: y.formatNames[i], violated: func(v any) bool {
			s, ok := v.(string)
			return ok && !f.Valid(s)
		}})
	}
}

// sizeLimit returns the restriction of a keyword that limits how many characters, items or fields values of a kind
// have. before and after are the limits of x and y.
func sizeLimit(keyword string, kind plan.Kinds, before, after int64) restriction {
	upper := strings.HasPrefix(keyword, "max")
	violated := func(v any) bool {
		n, k := sizeOf(v)
		return k == kind && (upper && n > after || !upper && n < after)
	}
	return restriction{keyword: keyword, before: limitText(before), after: limitText(after), violated: violated}
}

// sizeOf returns the size that bounds limit, and the kind of v if it is one that has a size.
func sizeOf(v any) (int64, plan.Kinds) {
	switch v := v.(type) {
	case string:
		return int64(utf8.RuneCountInString(v)), plan.KindString
	case []any:
		return int64(len(v)), plan.KindArray
	case map[string]any:
		return int64(len(v)), plan.KindObject
	}
	return 0, 0
}

// numbers compares the keywords for numbers, apart from enum.
func (p *prover) numbers() {
	x, y := p.x, p.y
	if i := slices.IndexFunc(y.ranged, func(r plan.Range) bool { return !x.withinRange(r) }); i >= 0 {
		p.add(restriction{keyword: "format", before: x.formatText(), after: y.formatText(), violated: func(v any) bool { return violates(&plan.NumberChecks{Ranged: y.ranged[i]}, v) }})
	}
	add := func(keyword string, have []*plan.Bound, b *plan.Bound, checks plan.NumberChecks) {
		p.add(restriction{keyword: keyword, before: boundsText(have), after: boundsText([]*plan.Bound{b}),
			violated: func(v any) bool { return violates(&checks, v) }})
	}
	for _, b := range tightest(y.upper, 1) {
		if !x.withinMaximum(b) {
			add("maximum", x.upper, b, plan.NumberChecks{Maximum: b})
		}
	}
	for _, b := range tightest(y.lower, -1) {
		if !x.withinMinimum(b) {
			add("minimum", x.lower, b, plan.NumberChecks{Minimum: b})
		}
	}
	for _, b := range y.factors {
		if !x.impliesMultipleOf(b) {
			add("multipleOf", x.factors, b, plan.NumberChecks{MultipleOf: b})
		}
	}
}

// lists compares the keywords for lists, apart from those of the items.
func (p *prover) lists() {
	x, y := p.x, p.y
	if y.maxItems < x.maxItems && !(y.maxItems >= 0 && x.below(items).provedEmpty(emptyDepth)) {
		p.add(sizeLimit("maxItems", plan.KindArray, x.maxItems, y.maxItems))
	}
	if y.minItems > max(x.minItems, 0) {
		p.add(sizeLimit("minItems", plan.KindArray, x.minItems, y.minItems))
	}
	if x.maxItems <= 1 || y.loc.node == nil {
		return
	}
	if y.unique && !x.unique && x.list != plan.ListSet && x.list != plan.ListMap {
		p.add(restriction{keyword: "uniqueItems", before: "false", after: "true", violated: func(v any) bool { return !sample.Fits([]*plan.Node{y.loc.node}, v) }})
	}
	switch {
	case y.list == plan.ListSet && (x.list == plan.ListUntyped || x.list == plan.ListAtomic):
	case y.list == plan.ListMap && (x.list != plan.ListMap || !subset(x.keys, y.keys)):
	default:
		return
	}
	p.add(restriction{keyword: "listType", before: x.listText(), after: y.listText(), violated: func(v any) bool {
		return len(validate.Lists(plan.View[schema.Node](y.loc.node), nil, v)) > 0
	}})
}

// objects compares the keywords for objects, apart from those of the fields. The sides may drop and add different
// fields before they validate.
func (p *prover) objects() {
	x, y := p.x, p.y
	lost, othersLost := fieldsWhere(x, y, mayLose)
	gained, othersGained := fieldsWhere(x, y, mayGain)
	isLost := setOf(lost)
	stays := func(name string) bool { return !isLost[name] && (!othersLost || y.declares(name)) }
	always := int64(0) // fields that objects have on both sides
	for _, name := range x.required {
		if stays(name) {
			always++
		}
	}
	for _, name := range y.required {
		if _, required := slices.BinarySearch(x.required, name); required && stays(name) {
			continue
		}
		p.add(restriction{keyword: "required", name: name, before: "optional", after: "required", violated: func(v any) bool {
			m, ok := v.(map[string]any)
			_, has := m[name]
			return ok && (!has || !stays(name))
		}})
	}
	more, fewer := len(gained) > 0 || othersGained, len(lost) > 0 || othersLost
	if (y.maxProps < x.maxProps || y.maxProps < math.MaxInt64 && more) && !(y.closed() && int64(len(y.declaredNames())) <= y.maxProps) &&
		!(x.closed() && !more && int64(len(x.declaredNames())) <= y.maxProps) {
		g := sizeLimit("maxProperties", plan.KindObject, x.maxProps, y.maxProps)
		if more {
			g.violated = isMap // y may add fields to any object
		}
		p.add(g)
	}
	if (y.minProps > max(x.minProps, 0) || y.minProps > 0 && fewer) && always < y.minProps {
		g := sizeLimit("minProperties", plan.KindObject, x.minProps, y.minProps)
		if fewer {
			g.violated = isMap // y may drop fields of any object
		}
		p.add(g)
	}
	if n := y.loc.node; n != nil && n.Has&plan.NoOthers != 0 && (x.loc.node == nil || x.loc.node.Has&plan.NoOthers == 0) && !x.closed() {
		p.add(restriction{keyword: "additionalProperties", before: "allowed", after: "false", violated: func(v any) bool { return !y.fits(v) }})
	}
	if y.embedded && !x.embedded {
		p.add(restriction{keyword: "embeddedResource", before: "false", after: "true"})
	}
}
