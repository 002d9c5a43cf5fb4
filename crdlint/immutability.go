package crdlint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/cel/ast"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/parse"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/internal/tool/sample"
)

var bypassedImmutability = Lint{
	Name: "bypassed-immutability", Severity: Warning, Title: "an immutable field that two updates change",
	Why: "A rule with oldSelf is not evaluated for a value that is new or gone. A field that can be removed, " +
		"alone or with what contains it, can be added again with another value.",
	check: checkBypassedImmutability,
}

// trials is how many values are tried in the place of another one.
const trials = 6

func checkBypassedImmutability(l *linter) {
	for _, v := range l.versions {
		byPath := v.withRules()
		if v.repeat || len(byPath) == 0 || l.sampler(v) == nil {
			continue
		}
		for _, r := range v.rules {
			p := byPath[r.Steps().Schema()]
			if p == nil || l.found >= maxFindings {
				continue
			}
			for _, q := range v.kept(p, r.Rule) {
				if q.parent != nil {
					l.bypass(v, p, q, r)
				}
			}
		}
	}
}

// withRules returns the places that have rules, by their paths in the schema.
func (v *version) withRules() map[string]*place {
	all := map[string]*place{}
	for _, p := range v.places {
		if len(p.XValidations) > 0 {
			all[p.steps().Schema()] = p
		}
	}
	return all
}

// kept returns the places whose values a rule at p keeps as they are: those of self == oldSelf, and of
// self.a == oldSelf.a as a part of a rule.
func (v *version) kept(p *place, rule string) (kept []*place) {
	if !strings.Contains(rule, "oldSelf") || len(rule) > maxRuleText {
		return nil
	}
	e, ok := parse.Expression(rule, nil)
	if !ok {
		return nil
	}
	visit(e, func(e *ast.Expr) {
		args := operands(e, "_==_")
		if len(args) != 2 || len(kept) == maxKept {
			return
		}
		for i := range args {
			path, ok := pathOf(args[i], "self")
			old, ok2 := pathOf(args[1-i], "oldSelf")
			if q := v.below(p, path); ok && ok2 && slices.Equal(path, old) && q != nil && !slices.Contains(kept, q) {
				kept = append(kept, q)
			}
		}
	})
	return kept
}

// maxKept is how many fields of a rule are tried.
const maxKept = 5

// bypass adds a finding if the value at p, which the rule r at the place of is to keep, can be removed and added again
// with another value.
func (l *linter) bypass(v *version, of, p *place, r *constraint.Rule) {
	maker := l.sampler(v)
	if maker == nil || r.OptionalOldSelf != nil && *r.OptionalOldSelf {
		return
	}
	first, path := l.objectWith(v, p)
	if first == nil {
		return
	}
	created := maker.Submit(l.ctx, first, nil)
	if created.Err() != nil {
		return
	}
	changed := l.changed(v, p, created.Object, path)
	if changed == nil {
		return
	}
	var fixes []string
	var witness *Witness
	var removed string
	for n := len(path); n > 0; n-- {
		without, ok := sample.Removed(created.Object, path[:n]).(map[string]any)
		if !ok {
			continue
		}
		gone := maker.Submit(l.ctx, without, created.Object)
		if gone.Err() != nil {
			continue
		}
		if _, still := valueAt(gone.Object, path); still {
			continue // a default
		}
		again := maker.Submit(l.ctx, changed, gone.Object)
		if again.Err() != nil {
			continue
		}
		if witness == nil {
			witness = &Witness{[]Step{
				{"create", v.Name, first, created.Object, ""}, {"update", v.Name, without, gone.Object, ""}, {"update", v.Name, changed, again.Object, ""},
			}}
			removed = field.PathOf(path[:n]...).String()
		}
		fixes = append(fixes, keeping(p, path, n))
	}
	if witness == nil {
		return
	}
	l.add(v.pathOf(of)+fmt.Sprintf(".x-kubernetes-validations[%d]", r.Index), witness, strings.Join(fixes, "; "),
		"%s can be changed, although its rule is %s: remove %s, and add it again",
		named(p.steps()), short(r.Rule), removed)
}

// changed returns obj with another value at path, which is an error of a direct update, or nil.
func (l *linter) changed(v *version, p *place, obj map[string]any, path []field.Segment) map[string]any {
	maker := l.sampler(v)
	s := l.checked.Schema(v.Name)
	if maker == nil || s == nil {
		return nil
	}
	node := p.steps().Node(plan.Root(s))
	was, _ := valueAt(obj, path)
	if node == nil {
		return nil
	}
	for trial := range trials {
		for _, full := range []bool{false, true} {
			value := maker.Value([]*plan.Node{node}, trial, full)
			if value == nil || jsonval.Equal(value, was) {
				continue
			}
			changed, _ := sample.Replaced(obj, path, value).(map[string]any)
			if maker.Submit(l.ctx, changed, nil).Err() != nil || maker.Submit(l.ctx, changed, obj).Err() == nil {
				continue
			}
			return changed
		}
	}
	return nil
}

// keeping returns a rule that keeps the value at path[:n] where it is, for the schema above it.
func keeping(p *place, path []field.Segment, n int) string {
	at := p
	for at.depth > n {
		at = at.parent
	}
	last := path[n-1]
	above := named(at.parent.steps())
	if last.IsIndex {
		same := "o in self"
		if keys := at.parent.XListMapKeys; len(keys) > 0 {
			var equal []string
			for _, key := range keys {
				name, ok := types.EscapeName(key)
				if !ok {
					return fmt.Sprintf("at %s, a rule that keeps the items", above)
				}
				equal = append(equal, fmt.Sprintf("n.%s == o.%s", name, name))
			}
			same = fmt.Sprintf("self.exists(n, %s)", strings.Join(equal, " && "))
		}
		if at.parent.MaxItems == nil {
			above += ", with maxItems"
		}
		return fmt.Sprintf("at %s, the rule oldSelf.all(o, %s)", above, same)
	}
	if at.step.Other {
		return fmt.Sprintf("at %s, the rule oldSelf.all(k, k in self)", above)
	}
	name, ok := types.EscapeName(last.Key)
	if !ok {
		return fmt.Sprintf("at %s, require %s", above, last.Key)
	}
	return fmt.Sprintf("at %s, the rule !has(oldSelf.%s) || has(self.%s)", above, name, name)
}
