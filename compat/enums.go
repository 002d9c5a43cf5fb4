package compat

import (
	"regexp"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/pattern"
	"github.com/crdkit/crdkit/internal/plan"
)

// enums compares the values that x accepts with the enums of y.
func (p *prover) enums() {
	x, y := p.x, p.y
	g := restriction{keyword: "enum", before: x.enumText(), after: y.enumText(), violated: func(v any) bool {
		return slices.ContainsFunc(y.enums, func(e *plan.Enum) bool { return !contains(e, v) })
	}}
	proved := true
	for _, e := range y.enums {
		if !x.withinEnum(e) {
			proved = false
			x.textsOutside(e, func(s string) bool {
				g.values = append(g.values, s)
				return len(g.values) < 5
			})
		}
	}
	if !proved {
		p.add(g)
	}
}

// compareFinite adds a restriction if y refuses some of values, which are all that x accepts.
func (p *prover) compareFinite(values []any) {
	y := p.y
	var refused []any
	for _, v := range values {
		if !y.fits(v) {
			refused = append(refused, v)
		}
	}
	if len(refused) == 0 {
		return
	}
	g := restriction{keyword: "enum", before: p.x.enumText(), after: y.enumText(), values: refused, violated: func(v any) bool { return !y.fits(v) }}
	switch {
	case p.x.accept&^y.accept == plan.KindNull && slices.Contains(refused, nil) && len(refused) == 1:
		g.keyword, g.before, g.after = "nullable", p.x.typeText(), y.typeText()
	case plan.KindOf(refused[0])&y.accept == 0:
		g.keyword, g.before, g.after = "type", p.x.typeText(), y.typeText()
	case len(y.enums) == 0:
		g.keyword = p.refusingKeyword(refused[0])
	}
	p.add(g)
}

// refusingKeyword returns the keyword of y that refuses v.
func (p *prover) refusingKeyword(v any) string {
	q := prover{x: factsOf(&location{preserved: true, proofs: p.x.loc.proofs}), y: p.y, depth: 1}
	q.compareKeywords()
	for _, g := range q.found {
		if g.violated != nil && g.violated(v) {
			return g.keyword
		}
	}
	return "enum"
}

// withinEnum reports whether all values of f are proved to be in e, by an enum of f or by its patterns.
func (f *facts) withinEnum(e *plan.Enum) bool {
	if slices.ContainsFunc(f.enums, func(own *plan.Enum) bool {
		return f.loc.proofs.spend(len(own.Values)*len(e.Values)/100) && !slices.ContainsFunc(own.Values, func(v any) bool { return !contains(e, v) })
	}) {
		return true
	}
	if f.accept&^(plan.KindString|plan.KindNull) != 0 || len(f.patterns) == 0 {
		return false
	}
	found := false
	return f.textsOutside(e, func(string) bool { found = true; return false }) && !found
}

// textsOutside yields texts that f accepts and that are not in e. It reports true if there are no others.
func (f *facts) textsOutside(e *plan.Enum, yield func(string) bool) bool {
	var texts []string
	for _, v := range e.Values {
		if s, ok := v.(string); ok {
			texts = append(texts, regexp.QuoteMeta(s))
		}
	}
	return f.matchingTexts(pattern.Checked(`\A(?:`+strings.Join(texts, "|")+`)\z`), f.minLen, f.maxLen, yield)
}

// contains reports whether v is in e. Numbers are not converted: 1.9 is not 1.
func contains(e *plan.Enum, v any) bool {
	if _, ok := v.(string); ok {
		return e.Has(v)
	}
	return hasValue(e.Values, v)
}

// hasValue reports whether one of values equals v.
func hasValue(values []any, v any) bool {
	return slices.ContainsFunc(values, func(w any) bool { return jsonval.Equal(v, w) })
}
