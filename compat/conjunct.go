package compat

import (
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/cel/parse"
	"github.com/crdkit/crdkit/internal/plan"
)

// A conjunct is one of the conditions that a rule joins by &&. A value satisfies a rule if it satisfies all of its
// conjuncts.
type conjunct struct {
	normalForm
	transition bool // evaluated only where there is an old value
}

// maxRuleText is the length of the longest rule that is parsed.
const maxRuleText = 5_000

// conjuncts returns the conjuncts of a rule; know may be nil. A rule that cannot be parsed is one conjunct.
func conjuncts(r *plan.Rule, know knowledge) []conjunct {
	n := normalizer{know: know}
	e := parseRule(r.Rule)
	if e == nil {
		return []conjunct{opaqueConjunct(r)}
	}
	x := n.normalize(e, nil)
	if n.failed {
		return []conjunct{opaqueConjunct(r)}
	}
	optional := optionalOldSelf(r)
	var out []conjunct
	for _, form := range x.operandsOf("&&") {
		if form.text == "true" {
			continue
		}
		if optional && n.transition {
			form = normalForm{text: optionalPrefix + form.text}
		}
		out = append(out, conjunct{form, n.transition && !optional})
	}
	return out
}

// opaqueConjunct returns a conjunct for a whole rule. Only a rule with the same text implies it.
func opaqueConjunct(r *plan.Rule) conjunct {
	if optionalOldSelf(r) {
		return conjunct{normalForm: normalForm{text: optionalPrefix + r.Rule}}
	}
	return conjunct{normalForm{text: r.Rule}, strings.Contains(r.Rule, "oldSelf")}
}

// optionalPrefix begins the texts of conjuncts whose oldSelf is optional: it has another type than that of other rules.
const optionalPrefix = "optional "

func optionalOldSelf(r *plan.Rule) bool { return r.OptionalOldSelf != nil && *r.OptionalOldSelf }

// parseRule returns the expression of a rule without expanding macros, or nil if it is not valid CEL or too long.
func parseRule(text string) *ast.Expr {
	if len(text) > maxRuleText {
		return nil
	}
	if e, ok := parse.Expression(text, nil); ok {
		return e
	}
	tree, problems := parse.Full(text, parse.Options{OptionalSyntax: true, EscapedNames: true})
	if problems != nil {
		return nil
	}
	return tree.Root
}

// impliedBy reports whether have is proved to imply all of want.
func impliedBy(want, have []conjunct, p *proofState) bool {
	return !slices.ContainsFunc(want, func(c conjunct) bool { return !c.impliedBy(have, p) })
}

// impliedBy reports whether have is proved to imply c.
func (c *conjunct) impliedBy(have []conjunct, p *proofState) bool {
	var forms []normalForm
	for i := range have {
		h := &have[i]
		if h.transition && !c.transition {
			continue
		}
		if h.implies(&c.normalForm, p) {
			return true
		}
		forms = append(forms, h.normalForm)
	}
	return entails(forms, c.normalForm, p)
}

// implies reports whether y is proved to be true wherever x is: both are equal, or atoms that are comparable.
func (x *normalForm) implies(y *normalForm, p *proofState) bool {
	switch {
	case x.text == y.text:
		return true
	case x.op != "" || y.op != "":
		return false
	}
	return x.comparison.implies(y.comparison) ||
		x.subject != "" && x.subject == y.subject && subset(x.literals, y.literals) ||
		x.macro != "" && x.macro == y.macro && entails([]normalForm{*x.body}, *y.body, p)
}

// implies reports whether d is true wherever c is; either may be nil.
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
