package crdlint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/origin"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/internal/tool/sample"
)

var unguardedField = Lint{
	Name: "unguarded-field", Severity: Warning, Title: "a rule that fails without an optional field",
	Why: "A rule that reads a field that is not there is an error, and the object is refused with no such key " +
		"instead of the rule's message, although the field is optional.",
	check: checkUnguardedFields,
}

func checkUnguardedFields(l *linter) {
	for _, v := range l.versions {
		byPath := v.withRules()
		if v.repeat || len(byPath) == 0 || l.sampler(v) == nil {
			continue
		}
		for _, r := range v.rules {
			p := byPath[r.Steps().Schema()]
			if p == nil || strings.Contains(r.Rule, "oldSelf") {
				continue
			}
			for _, name := range readFields(p, r.Rule) {
				if witness := l.unguarded(v, p, r, name); witness != nil && l.more() {
					l.add(v.pathOf(p)+fmt.Sprintf(".x-kubernetes-validations[%d]", r.Index), witness,
						fmt.Sprintf("guard it: !has(self.%s) || (...), or require the field", name),
						"the rule at %s reads %s, which is optional, and fails without it", named(p.steps()), name)
				}
			}
		}
	}
}

var selfField = regexp.MustCompile(`\bself\.([A-Za-z_][A-Za-z0-9_]*)`)

// maxRead is how many fields of a rule are looked at.
const maxRead = 20

// readFields returns the optional properties of p, without a default, that a rule reads as fields of self.
func readFields(p *place, rule string) (names []string) {
	for _, m := range selfField.FindAllStringSubmatch(rule, maxRead) {
		name := m[1]
		q := p.Properties[name]
		if q == nil || q.Default != nil || slices.Contains(p.Required, name) || slices.Contains(names, name) {
			continue
		}
		if escaped, ok := types.EscapeName(name); ok && escaped == name {
			names = append(names, name)
		}
	}
	return names
}

// unguarded returns a create of an object without that field of p, which is refused because the rule cannot be
// evaluated, and for no other reason. It returns nil if there is none.
func (l *linter) unguarded(v *version, p *place, r *constraint.Rule, name string) *Witness {
	obj, path := l.objectWith(v, p)
	if obj == nil {
		return nil
	}
	sent, _ := sample.Removed(obj, append(slices.Clip(path), field.Segment{Key: name})).(map[string]any)
	got := v.maker.Submit(l.ctx, sent, nil)
	if len(got.Errors) != 1 || !r.Reports(got.Errors[0]) || origin.FaultOf(got.Errors[0]) != origin.NoSuchKey {
		return nil
	}
	return &Witness{[]Step{{"create", v.Name, sent, nil, got.Errors[0].Error()}}}
}
