package crdlint

import (
	"fmt"
	"maps"
	"slices"

	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/origin"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/internal/tool/sample"
	"github.com/crdkit/crdkit/schema"
)

var rulesNearLimit = Lint{
	Name: "rule-near-limit", Severity: Note, Title: "a rule that uses more than half of its cost limit",
	Why: "A server refuses a definition with a rule over the limit. Bounds that grow, or a rule on a list that " +
		"contains this one, multiply the estimate.",
	check: checkRulesNearLimit,
}

func checkRulesNearLimit(l *linter) {
	for _, v := range l.versions {
		rules := l.checked.Rules(v.Name)
		if v.repeat || rules == nil {
			continue
		}
		byPath := v.withRules()
		for _, c := range rules.Costs() {
			share := 100 * float64(c.Estimate) / crdcheck.RuleCostLimit
			if share < 50 || !l.more() {
				continue
			}
			path, rule := v.at.String(), ""
			if c.Path != "" {
				path += "." + c.Path
			}
			if p := byPath[c.Path]; p != nil && c.Index < len(p.XValidations) {
				rule = ": " + short(p.XValidations[c.Index].Rule)
			}
			l.add(fmt.Sprintf("%s.x-kubernetes-validations[%d]", path, c.Index), nil,
				"set smaller maxLength, maxItems and maxProperties on what it reads, and on the lists that it is in: crdkit "+
					"cost shows what counts",
				"the rule is estimated at %.0f %% of the limit%s", share, rule)
		}
	}
}

var rulesOverBudget = Lint{
	Name: "rule-over-budget", Severity: Note, Title: "a rule that large objects cannot afford",
	Why: "A server takes a definition whose rules are estimated within its limits, and then allows each " +
		"evaluation a tenth of that. An object that is large enough is refused for the cost of the rule, " +
		"whatever is in it.",
	check: checkRulesOverBudget,
}

// The limit of one evaluation, and how many rules of a definition are tried.
const (
	evaluationLimit = 1_000_000
	maxEvaluated    = 3
)

func checkRulesOverBudget(l *linter) {
	tried := 0
	for _, v := range l.versions {
		rules := l.checked.Rules(v.Name)
		if v.repeat || rules == nil || l.sampler(v) == nil {
			continue
		}
		byPath := v.withRules()
		for _, c := range rules.Costs() {
			p := byPath[c.Path]
			if c.Cost <= evaluationLimit || p == nil || tried == maxEvaluated {
				continue
			}
			tried++
			if witness := l.budgetWitness(v, p, c.Index); witness != nil && l.more() {
				l.add(v.pathOf(p)+fmt.Sprintf(".x-kubernetes-validations[%d]", c.Index), witness,
					"set smaller maxLength, maxItems and maxProperties on what it reads, or compare less",
					"one evaluation of the rule at %s may cost %d by its estimate, and %d are allowed", named(p.steps()), c.Cost,
					evaluationLimit)
			}
		}
	}
}

// budgetWitness returns the creation of an object with large lists in p, which is refused for the cost of the rule
// alone.
func (l *linter) budgetWitness(v *version, p *place, index int) *Witness {
	obj, path := l.objectWith(v, p)
	if obj == nil {
		return nil
	}
	for _, q := range v.places {
		if !q.in(p) || q.Type != "array" && (q.Type != "object" || q.AdditionalProperties == nil) || q.depth > p.depth+2 {
			continue
		}
		most := int64(maxMade)
		if q.Type == "array" && q.MaxItems != nil {
			most = min(most, *q.MaxItems)
		} else if q.Type == "object" && q.MaxProperties != nil {
			most = min(most, *q.MaxProperties)
		}
		at, ok := placeIn(obj, path, q.steps()[p.depth:])
		if !ok {
			continue
		}
		if value := varied(q.JSONSchemaProps, l.sized(v, q, most)); value != nil {
			obj, _ = sample.Replaced(obj, at, value).(map[string]any)
		}
	}
	got := l.handler(v.Name).Create(l.ctx, obj)
	for _, e := range got.Errors {
		if c := e.Cause(); origin.FaultOf(e) != origin.OverLimit || c.Schema != p.steps().Schema() || c.Rule != index {
			return nil
		}
	}
	if len(got.Errors) == 0 {
		return nil
	}
	return &Witness{[]Step{{"create", v.Name, obj, nil, got.Errors[0].Error()}}}
}

// varied returns a list with items of which as many as possible differ, or another value as it is.
func varied(p *schema.JSONSchemaProps, value any) any {
	items, ok := value.([]any)
	if !ok || p.Items == nil || p.Items.Schema == nil {
		return value
	}
	items = slices.Clone(items)
	for i := range items {
		items[i] = variant(p.Items.Schema, items[i], int64(i))
	}
	return items
}

// variant returns a value with another number in it.
func variant(p *schema.JSONSchemaProps, value any, i int64) any {
	switch x := value.(type) {
	case string:
		if s := fmt.Sprintf("a%d", i); allows(p, s) {
			return s
		}
	case int64:
		if low, high := bounds(p); float64(max(x, 0)+i) <= high && float64(max(x, 0)+i) >= low {
			return max(x, 0) + i
		}
	case map[string]any:
		out := maps.Clone(x)
		for key, q := range p.Properties {
			if w, ok := out[key]; ok && len(q.Enum) == 0 {
				out[key] = variant(q, w, i)
			}
		}
		return out
	}
	return value
}

// in reports whether p is q, or in it.
func (p *place) in(q *place) bool {
	for ; p != nil && p.depth > q.depth; p = p.parent {
	}
	return p == q
}

// placeIn returns the path in obj of the field to which steps lead from a path. It reports false if the object that has
// the field is not there.
func placeIn(obj map[string]any, path []field.Segment, steps constraint.Steps) ([]field.Segment, bool) {
	path = slices.Clone(path)
	for i, s := range steps {
		if s.Item || s.Other {
			return nil, false
		}
		if _, ok := valueAt(obj, path); !ok && i > 0 {
			return nil, false
		}
		path = append(path, field.Segment{Key: s.Name})
	}
	return path, true
}

// sized returns a list or a map for p with a number of items, or nil.
func (l *linter) sized(v *version, p *place, size int64) any {
	maker, s := l.sampler(v), l.checked.Schema(v.Name)
	if maker == nil || s == nil || size < 0 || size > maxMade {
		return nil
	}
	node := p.steps().Node(plan.Root(s))
	if node == nil {
		return nil
	}
	kind := plan.KindArray
	if p.Type == "object" {
		kind = plan.KindObject
	}
	return maker.Sized(node, kind, size)
}
