package compat

import (
	"math"
	"slices"

	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/sample"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validate"
)

func (p *prover) strings() {
	x, y := p.x, p.y
	length := func(v any) (int64, bool) {
		s, ok := v.(string)
		return int64(len([]rune(s))), ok
	}
	if y.maxLen < x.maxLen && !(y.maxLen < math.MaxInt64 && x.noTextOfLength(max(y.maxLen+1, x.minLen), x.maxLen)) {
		g := restriction{keyword: "maxLength", before: limitText(x.maxLen), after: limitText(y.maxLen), violated: func(v any) bool {
			n, ok := length(v)
			return ok && n > y.maxLen
		}}
		if y.maxLen < maxMadeSize {
			g.values = append(g.values, x.textsOfLength(max(y.maxLen+1, x.minLen, 0), x.maxLen)...)
		}
		p.add(g)
	}
	if y.minLen > max(x.minLen, 0) && !x.noTextOfLength(x.minLen, min(x.maxLen, y.minLen-1)) {
		p.add(restriction{keyword: "minLength", before: limitText(x.minLen), after: limitText(y.minLen), values: x.textsOfLength(max(x.minLen, 0), min(x.maxLen, y.minLen-1)),
			violated: func(v any) bool {
				n, ok := length(v)
				return ok && n < y.minLen
			}})
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
			if x.matchingTexts(c.Pattern, x.minLen, x.maxLen, func(s string) bool {
				g.values = append(g.values, s)
				return len(g.values) < 20
			}) && len(g.values) == 0 {
				continue
			}
		}
		p.add(g)
	}
	for i, f := range y.formats {
		if slices.Contains(x.formats, f) {
			continue
		}
		p.add(restriction{keyword: "format", before: x.formatText(), after: y.formatOf[i], violated: func(v any) bool {
			s, ok := v.(string)
			return ok && !f.Valid(s)
		}})
	}
}

func (p *prover) numbers() {
	x, y := p.x, p.y
	for _, r := range y.ranged {
		if r == plan.RangeAny || slices.Contains(x.ranged, r) || r == plan.RangeInt || r == plan.RangeInt64 && x.accept&plan.KindFloat == 0 {
			continue
		}
		if r == plan.RangeInt32 && x.accept&plan.KindFloat == 0 && x.withinMinimum(&plan.Bound{Value: math.MinInt32, Int: math.MinInt32}) &&
			x.withinMaximum(&plan.Bound{Value: math.MaxInt32, Int: math.MaxInt32}) {
			continue
		}
		r := r
		p.add(restriction{keyword: "format", before: x.formatText(), after: y.formatText(), violated: func(v any) bool {
			f, ok := asFloat(v)
			switch {
			case !ok:
				return false
			case r == plan.RangeInt32:
				return f != float64(int32(f))
			case r == plan.RangeFloat:
				return math.Abs(f) > math.MaxFloat32
			}
			return f != math.Trunc(f)
		}})
		break
	}
	for _, b := range y.upper {
		if !x.withinMaximum(b) {
			p.add(restriction{keyword: "maximum", before: boundsText(x.upper), after: boundsText([]*plan.Bound{b}), violated: func(v any) bool {
				return violates(&plan.NumberChecks{Maximum: b}, v)
			}})
		}
	}
	for _, b := range y.lower {
		if !x.withinMinimum(b) {
			p.add(restriction{keyword: "minimum", before: boundsText(x.lower), after: boundsText([]*plan.Bound{b}), violated: func(v any) bool {
				return violates(&plan.NumberChecks{Minimum: b}, v)
			}})
		}
	}
	for _, b := range y.factors {
		if !x.impliesMultipleOf(b) {
			p.add(restriction{keyword: "multipleOf", before: boundsText(x.factors), after: boundsText([]*plan.Bound{b}), violated: func(v any) bool {
				return violates(&plan.NumberChecks{MultipleOf: b}, v)
			}})
		}
	}
}

func (p *prover) lists() {
	x, y := p.x, p.y
	size := func(v any) (int64, bool) {
		l, ok := v.([]any)
		return int64(len(l)), ok
	}
	if y.maxItems < x.maxItems && !(y.maxItems >= 0 && x.item().provedEmpty(emptyDepth)) {
		p.add(restriction{keyword: "maxItems", before: limitText(x.maxItems), after: limitText(y.maxItems), violated: func(v any) bool {
			n, ok := size(v)
			return ok && n > y.maxItems
		}})
	}
	if y.minItems > max(x.minItems, 0) {
		p.add(restriction{keyword: "minItems", before: limitText(x.minItems), after: limitText(y.minItems), violated: func(v any) bool {
			n, ok := size(v)
			return ok && n < y.minItems
		}})
	}
	if x.maxItems <= 1 || y.loc.node == nil {
		return
	}
	if y.unique && !x.unique && x.list != plan.ListSet && x.list != plan.ListMap {
		p.add(restriction{keyword: "uniqueItems", before: "false", after: "true", violated: func(v any) bool { return !sample.Fits([]*plan.Node{y.loc.node}, v) }})
	}
	switch {
	case y.list == plan.ListSet && x.list == plan.ListUntyped, y.list == plan.ListSet && x.list == plan.ListAtomic:
	case y.list == plan.ListMap && (x.list != plan.ListMap || slices.ContainsFunc(x.keys, func(k string) bool { return !slices.Contains(y.keys, k) })):
	default:
		return
	}
	p.add(restriction{keyword: "listType", before: x.listText(), after: y.listText(), violated: func(v any) bool {
		return len(validate.Lists(plan.View[schema.Node](y.loc.node), nil, v)) > 0
	}})
}

func (p *prover) objects() {
	x, y := p.x, p.y
	lost, othersLost := namesWhere(x, y, mayLose)
	gained, othersGained := namesWhere(x, y, mayGain)
	stays := func(name string) bool { return !slices.Contains(lost, name) && (!othersLost || y.declares(name)) }
	always := int64(0) // fields that both sides have
	for _, name := range x.required {
		if stays(name) {
			always++
		}
	}
	for _, name := range y.required {
		if slices.Contains(x.required, name) && stays(name) {
			continue
		}
		p.add(restriction{keyword: "required", name: name, before: "optional", after: "required", violated: func(v any) bool {
			m, ok := v.(map[string]any)
			_, has := m[name]
			return ok && (!has || !stays(name))
		}})
	}
	size := func(v any) (int64, bool) {
		m, ok := v.(map[string]any)
		return int64(len(m)), ok
	}
	more, fewer := len(gained) > 0 || othersGained, len(lost) > 0 || othersLost
	if (y.maxProps < x.maxProps || y.maxProps < math.MaxInt64 && more) && !(y.closed() && int64(len(y.declaredNames())) <= y.maxProps) &&
		!(x.closed() && !more && int64(len(x.declaredNames())) <= y.maxProps) {
		p.add(restriction{keyword: "maxProperties", before: limitText(x.maxProps), after: limitText(y.maxProps), violated: func(v any) bool {
			n, ok := size(v)
			return ok && (n > y.maxProps || more)
		}})
	}
	if (y.minProps > max(x.minProps, 0) || y.minProps > 0 && fewer) && always < y.minProps {
		p.add(restriction{keyword: "minProperties", before: limitText(x.minProps), after: limitText(y.minProps), violated: func(v any) bool {
			n, ok := size(v)
			return ok && (n < y.minProps || fewer)
		}})
	}
	if n := y.loc.node; n != nil && n.Has&plan.NoOthers != 0 && (x.loc.node == nil || x.loc.node.Has&plan.NoOthers == 0) && !x.closed() {
		p.add(restriction{keyword: "additionalProperties", before: "allowed", after: "false", violated: func(v any) bool { return !y.fits(v) }})
	}
	if y.embedded && !x.embedded {
		p.add(restriction{keyword: "embeddedResource", before: "false", after: "true", violated: func(any) bool { return true }})
	}
}
