package compat

import (
	"math"
	"slices"
	"strings"

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
	if y.maxLen < x.maxLen && !(y.maxLen < math.MaxInt64 && x.noText(max(y.maxLen+1, x.minLen), x.maxLen)) {
		g := gap{keyword: "maxLength", before: bound(x.maxLen), after: bound(y.maxLen), broken: func(v any) bool {
			n, ok := length(v)
			return ok && n > y.maxLen
		}}
		if y.maxLen < maxMade {
			g.values = append(g.values, x.sized(max(y.maxLen+1, x.minLen, 0), x.maxLen)...)
		}
		p.add(g)
	}
	if y.minLen > max(x.minLen, 0) && !x.noText(x.minLen, min(x.maxLen, y.minLen-1)) {
		p.add(gap{keyword: "minLength", before: bound(x.minLen), after: bound(y.minLen), values: x.sized(max(x.minLen, 0), min(x.maxLen, y.minLen-1)),
			broken: func(v any) bool {
				n, ok := length(v)
				return ok && n < y.minLen
			}})
	}
	for _, c := range y.patterns {
		if slices.ContainsFunc(x.patterns, func(d *plan.StringChecks) bool { return c.PatternText == d.PatternText }) {
			continue
		}
		g := gap{keyword: "pattern", before: x.patternText(), after: c.PatternText, broken: func(v any) bool {
			s, ok := v.(string)
			return ok && (c.BadPattern != nil || !c.Pattern.MatchString(s))
		}}
		if c.Pattern != nil {
			if x.texts(c.Pattern, x.minLen, x.maxLen, func(s string) bool {
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
		p.add(gap{keyword: "format", before: x.format(), after: y.formatOf[i], broken: func(v any) bool {
			s, ok := v.(string)
			return ok && !f.Valid(s)
		}})
	}
}

// maxMade is the size of the largest text, list or object that is made for a witness.
const maxMade = 100_000

// sized returns texts of some length that the patterns of f match.
func (f *facts) sized(least, most int64) (found []any) {
	if least > maxMade || least > most {
		return nil
	}
	if len(f.patterns) == 0 {
		return []any{strings.Repeat("a", int(least)), strings.Repeat("0", int(least)), strings.Repeat("-", int(least)), strings.Repeat("YWJj", int(least)/4+1)}
	}
	f.texts(nil, least, most, func(s string) bool {
		found = append(found, s)
		return len(found) < 10
	})
	return found
}

func (p *prover) numbers() {
	x, y := p.x, p.y
	for _, r := range y.ranged {
		if r == plan.RangeAny || slices.Contains(x.ranged, r) || r == plan.RangeInt || r == plan.RangeInt64 && x.accept&plan.KindFloat == 0 {
			continue
		}
		if r == plan.RangeInt32 && x.accept&plan.KindFloat == 0 && x.above(&plan.Bound{Value: math.MinInt32, Int: math.MinInt32}) &&
			x.below(&plan.Bound{Value: math.MaxInt32, Int: math.MaxInt32}) {
			continue
		}
		r := r
		p.add(gap{keyword: "format", before: x.format(), after: y.format(), broken: func(v any) bool {
			f, ok := number(v)
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
		if !x.below(b) {
			p.add(gap{keyword: "maximum", before: boundText(x.upper), after: boundText([]*plan.Bound{b}), broken: func(v any) bool {
				return breaks(&plan.NumberChecks{Maximum: b}, v)
			}})
		}
	}
	for _, b := range y.lower {
		if !x.above(b) {
			p.add(gap{keyword: "minimum", before: boundText(x.lower), after: boundText([]*plan.Bound{b}), broken: func(v any) bool {
				return breaks(&plan.NumberChecks{Minimum: b}, v)
			}})
		}
	}
	for _, b := range y.factors {
		if !x.multiples(b) {
			p.add(gap{keyword: "multipleOf", before: boundText(x.factors), after: boundText([]*plan.Bound{b}), broken: func(v any) bool {
				return breaks(&plan.NumberChecks{MultipleOf: b}, v)
			}})
		}
	}
}

// breaks reports whether v is a number that fails the checks.
func breaks(c *plan.NumberChecks, v any) bool {
	switch x := v.(type) {
	case int64:
		return c.Int(x) != 0
	case float64:
		return c.Float(x) != 0
	}
	return false
}

// below reports whether all numbers of f are proved to be within a maximum.
func (f *facts) below(b *plan.Bound) bool {
	if b.OutOfRange {
		return false
	}
	ints := func(a *plan.Bound) bool {
		return a.Int < b.Int || a.Int == b.Int && (a.Exclusive || !b.Exclusive) || a.Exclusive && !b.Exclusive && a.Int-1 == b.Int && a.Int > math.MinInt64
	}
	floats := func(a *plan.Bound) bool {
		return a.Value < b.Value || a.Value == b.Value && (a.Exclusive || !b.Exclusive)
	}
	return f.bounded(b, ints, floats, f.upper, &plan.Bound{Value: math.MaxInt32, Int: math.MaxInt32})
}

// above is below for a minimum.
func (f *facts) above(b *plan.Bound) bool {
	if b.OutOfRange {
		return false
	}
	ints := func(a *plan.Bound) bool {
		return a.Int > b.Int || a.Int == b.Int && (a.Exclusive || !b.Exclusive) || a.Exclusive && !b.Exclusive && b.Int-1 == a.Int && b.Int > math.MinInt64
	}
	floats := func(a *plan.Bound) bool {
		return a.Value > b.Value || a.Value == b.Value && (a.Exclusive || !b.Exclusive)
	}
	return f.bounded(b, ints, floats, f.lower, &plan.Bound{Value: math.MinInt32, Int: math.MinInt32})
}

// bounded reports whether one of f's own bounds implies b, for each kind of number that f accepts. int32 is the bound of that format.
func (f *facts) bounded(b *plan.Bound, ints, floats func(own *plan.Bound) bool, own []*plan.Bound, int32 *plan.Bound) bool {
	if slices.Contains(f.ranged, plan.RangeInt32) {
		own = append(own[:len(own):len(own)], int32)
	}
	return (f.accept&plan.KindInt == 0 || slices.ContainsFunc(own, ints)) && (f.accept&(plan.KindWhole|plan.KindFloat) == 0 || slices.ContainsFunc(own, func(a *plan.Bound) bool {
		return floats(a) || f.accept&plan.KindFloat == 0 && wholeBound(a) && wholeBound(b) && ints(a)
	}))
}

// wholeBound reports whether a bound is cut to itself, exactly.
func wholeBound(b *plan.Bound) bool {
	return b.Value == math.Trunc(b.Value) && math.Abs(b.Value) < 1<<53
}

// multiples reports whether all numbers of f are proved to be multiples of a factor.
func (f *facts) multiples(b *plan.Bound) bool {
	switch {
	case b.OutOfRange || b.Value <= 0:
		return false
	case b.Value == 1 && f.accept&plan.KindFloat == 0:
		return true
	}
	return slices.ContainsFunc(f.factors, func(a *plan.Bound) bool {
		return !a.OutOfRange && (a.Value == b.Value || f.accept&plan.KindFloat == 0 && wholeBound(a) && wholeBound(b) && a.Int > 0 && a.Int%b.Int == 0)
	})
}

func number(v any) (float64, bool) {
	switch x := v.(type) {
	case int64:
		return float64(x), true
	case float64:
		return x, true
	}
	return 0, false
}

func (p *prover) lists() {
	x, y := p.x, p.y
	size := func(v any) (int64, bool) {
		l, ok := v.([]any)
		return int64(len(l)), ok
	}
	if y.maxItems < x.maxItems && !(y.maxItems >= 0 && x.item().provedEmpty(emptyDepth)) {
		p.add(gap{keyword: "maxItems", before: bound(x.maxItems), after: bound(y.maxItems), broken: func(v any) bool {
			n, ok := size(v)
			return ok && n > y.maxItems
		}})
	}
	if y.minItems > max(x.minItems, 0) {
		p.add(gap{keyword: "minItems", before: bound(x.minItems), after: bound(y.minItems), broken: func(v any) bool {
			n, ok := size(v)
			return ok && n < y.minItems
		}})
	}
	if x.maxItems <= 1 || y.spot.node == nil {
		return
	}
	if y.unique && !x.unique && x.list != plan.ListSet && x.list != plan.ListMap {
		p.add(gap{keyword: "uniqueItems", before: "false", after: "true", broken: func(v any) bool { return !sample.Fits([]*plan.Node{y.spot.node}, v) }})
	}
	switch {
	case y.list == plan.ListSet && x.list == plan.ListUntyped, y.list == plan.ListSet && x.list == plan.ListAtomic:
	case y.list == plan.ListMap && (x.list != plan.ListMap || slices.ContainsFunc(x.keys, func(k string) bool { return !slices.Contains(y.keys, k) })):
	default:
		return
	}
	p.add(gap{keyword: "listType", before: x.listText(), after: y.listText(), broken: func(v any) bool {
		return len(validate.Lists(plan.View[schema.Node](y.spot.node), nil, v)) > 0
	}})
}

func (p *prover) objects() {
	x, y := p.x, p.y
	lost, othersLost := namesOf(x, y, loses)
	gained, othersGained := namesOf(x, y, gains)
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
		p.add(gap{keyword: "required", name: name, before: "optional", after: "required", broken: func(v any) bool {
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
	if (y.maxProps < x.maxProps || y.maxProps < math.MaxInt64 && more) && !(y.closed() && int64(len(y.names())) <= y.maxProps) &&
		!(x.closed() && !more && int64(len(x.names())) <= y.maxProps) {
		p.add(gap{keyword: "maxProperties", before: bound(x.maxProps), after: bound(y.maxProps), broken: func(v any) bool {
			n, ok := size(v)
			return ok && (n > y.maxProps || more)
		}})
	}
	if (y.minProps > max(x.minProps, 0) || y.minProps > 0 && fewer) && always < y.minProps {
		p.add(gap{keyword: "minProperties", before: bound(x.minProps), after: bound(y.minProps), broken: func(v any) bool {
			n, ok := size(v)
			return ok && (n < y.minProps || fewer)
		}})
	}
	if n := y.spot.node; n != nil && n.Has&plan.NoOthers != 0 && (x.spot.node == nil || x.spot.node.Has&plan.NoOthers == 0) && !x.closed() {
		p.add(gap{keyword: "additionalProperties", before: "allowed", after: "false", broken: func(v any) bool { return !y.fits(v) }})
	}
	if y.embedded && !x.embedded {
		p.add(gap{keyword: "embeddedResource", before: "false", after: "true", broken: func(any) bool { return true }})
	}
}

// declares reports whether f has a schema for that very name.
func (f *facts) declares(name string) bool { return slices.Contains(f.names(), name) }

// closed reports whether objects of f have declared properties only.
func (f *facts) closed() bool {
	return f.spot.node != nil && f.child("", false).absent() && !f.spot.node.IsResource()
}
