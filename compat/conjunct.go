package compat

import (
	"slices"
	"strings"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/parser"

	"github.com/crdkit/crdkit/internal/plan"
)

// A term is one of the conditions that a rule joins by &&, in a form that is the same for all expressions that differ only in names, in the
// order of what may be swapped, and in parentheses. A value fulfils a rule if it fulfils all of its terms.
type conjunct struct {
	text       string
	form       normalForm
	transition bool // evaluated only where there is an old value
}

// maxRuleText is the length of the longest rule that is taken apart.
const maxRuleText = 5_000

// terms returns the terms of a rule; know may be nil. A rule that cannot be parsed is a term of its own.
func conjuncts(r *plan.Rule, know knowledge) []conjunct {
	if len(r.Rule) > maxRuleText {
		return []conjunct{opaqueConjunct(r)}
	}
	e := parseRule(r.Rule)
	if e == nil {
		return []conjunct{opaqueConjunct(r)}
	}
	n := normalizer{know: know}
	x := n.normalize(e, scope{})
	if n.failed {
		return []conjunct{opaqueConjunct(r)}
	}
	optional := optionalPrefix(r)
	var out []conjunct
	for _, part := range x.operandsOf("&&") {
		if part.text == "true" {
			continue
		}
		t := conjunct{text: optional + part.text, form: part, transition: n.transition && optional == ""}
		if optional != "" && n.transition {
			t.form = normalForm{text: t.text} // of another oldSelf
		}
		out = append(out, t)
	}
	return out
}

// wholeTerm returns a rule as one term that is only equal to itself.
func opaqueConjunct(r *plan.Rule) conjunct {
	text := optionalPrefix(r) + r.Rule
	return conjunct{text: text, form: normalForm{text: text}, transition: strings.Contains(r.Rule, "oldSelf") && optionalPrefix(r) == ""}
}

// optionalText begins the texts of terms whose oldSelf is optional: it has another type.
func optionalPrefix(r *plan.Rule) string {
	if r.OptionalOldSelf != nil && *r.OptionalOldSelf {
		return "optional "
	}
	return ""
}

func parseRule(text string) ast.Expr {
	p, err := parser.NewParser(parser.EnableOptionalSyntax(true), parser.MaxRecursionDepth(100), parser.ErrorRecoveryLimit(1))
	if err != nil {
		return nil
	}
	parsed, errs := p.Parse(common.NewTextSource(text))
	if parsed == nil || errs != nil && len(errs.GetErrors()) > 0 {
		return nil
	}
	return parsed.Expr()
}

// impliedBy reports whether the terms of have are proved to imply all of some.
func impliedBy(terms []conjunct, have []conjunct, p *proofState) bool {
	for i := range terms {
		if !terms[i].impliedBy(have, p) {
			return false
		}
	}
	return true
}

// implied reports whether the terms of have are proved to imply t.
func (t *conjunct) impliedBy(have []conjunct, p *proofState) bool {
	var trees []normalForm
	for i := range have {
		h := &have[i]
		if h.transition && !t.transition {
			continue
		}
		if h.text == t.text || h.form.implies(&t.form, p) {
			return true
		}
		trees = append(trees, h.form)
	}
	return entails(trees, t.form, p)
}

// stronger reports whether y is true wherever x is.
func (x *normalForm) implies(y *normalForm, p *proofState) bool {
	return x.text == y.text || x.op == "" && y.op == "" && (x.comparison.implies(y.comparison) || x.subject != "" && x.subject == y.subject && subset(x.literals, y.literals) ||
		x.macro != "" && x.macro == y.macro && entails([]normalForm{*x.body}, *y.body, p))
}

func (c *comparison) implies(d *comparison) bool {
	switch {
	case c == nil || d == nil || c.subject != d.subject || c.upper != d.upper:
		return false
	case c.value == d.value:
		return c.exclusive || !d.exclusive
	}
	return (c.value < d.value) == c.upper
}

func subset(a, b []string) bool {
	return !slices.ContainsFunc(a, func(s string) bool { return !slices.Contains(b, s) })
}
