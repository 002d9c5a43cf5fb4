package constraint

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/ruleset"
	"github.com/crdkit/crdkit/internal/origin"
	"github.com/crdkit/crdkit/schema"
)

// A Rule is one of the x-kubernetes-validations of a schema.
type Rule struct {
	Path  string // of the values that it is about, with [*] for items and other values; empty for the whole object
	Index int    // among the rules of its node
	schema.ValidationRule

	cause      field.Cause // of its errors
	schemaPath Steps
	root       *schema.JSONSchemaProps
	compile    func() *compiled
}

type compiled struct {
	rules      *ruleset.Rules // nil: the rule cannot be evaluated on its own
	transition bool           // the rule is skipped without an old value
}

// A Verdict is the outcome of a rule in one object.
type Verdict struct {
	True  int        // the number of values that satisfy it
	False field.List // the errors of those that do not
	Cost  int64
}

// Rules returns the rules of a schema within [MaxDepth] and [MaxPaths], in the order of its nodes:
// a node's own, then those of its properties by name, its items and its other values. The rules keep p, which must not
// be modified. A nil p has none.
func Rules(p *schema.JSONSchemaProps) []*Rule {
	var found []*Rule
	room := MaxPaths
	walkSchemas(p, nil, func(q *schema.JSONSchemaProps, schemaPath Steps) {
		if len(q.XValidations) == 0 {
			return
		}
		if room -= schemaPath.Size(); room < 0 {
			return
		}
		path, of := schemaPath.String(), schemaPath.Schema()
		for i := range q.XValidations {
			r := &Rule{Path: path, Index: i, ValidationRule: q.XValidations[i], schemaPath: schemaPath, root: p}
			r.cause = field.Cause{Keyword: origin.Validations, Schema: of, Rule: i}
			r.compile = sync.OnceValue(r.compiled)
			found = append(found, r)
		}
	})
	return found
}

// VersionRules returns the rules of a version of a definition, as [Rules] does. It returns nil if there is no such
// version, or no schema.
func VersionRules(d *crd.CustomResourceDefinition, version string) []*Rule {
	props, err := d.Lookup().Schema(version)
	if err != nil {
		return nil
	}
	return Rules(props)
}

func walkSchemas(p *schema.JSONSchemaProps, schemaPath Steps, visit func(*schema.JSONSchemaProps, Steps)) {
	if p == nil || len(schemaPath) > MaxDepth {
		return
	}
	visit(p, schemaPath)
	for _, name := range slices.Sorted(maps.Keys(p.Properties)) {
		walkSchemas(p.Properties[name], schemaPath.To(Step{Name: name}), visit)
	}
	if p.Items != nil {
		walkSchemas(p.Items.Schema, schemaPath.To(Step{Item: true}), visit)
	}
	if p.AdditionalProperties != nil {
		walkSchemas(p.AdditionalProperties.Schema, schemaPath.To(Step{Other: true}), visit)
	}
}

func (r *Rule) compiled() *compiled {
	s, err := schema.CompileLoose(alone(r.root, r.schemaPath, r.Index))
	if err != nil {
		return &compiled{}
	}
	c := &compiled{rules: ruleset.Prepare(s)}
	for _, cost := range c.rules.Costs() {
		c.transition = cost.Transition && (r.OptionalOldSelf == nil || !*r.OptionalOldSelf)
	}
	return c
}

// Reports reports whether e comes from the rule.
func (r *Rule) Reports(e *field.Error) bool { return e.Cause() == r.cause }

// Steps returns the steps from the root to the node of the rule.
func (r *Rule) Steps() Steps { return r.schemaPath }

// Transition reports whether the rule needs an old value.
func (r *Rule) Transition() bool { return r.compile().transition }

// Evaluate evaluates the rule on an object, which is pruned, defaulted and valid for its schema; old is the object
// before an update, or nil. A rule that needs an old value and has none is not evaluated: the verdict is zero.
func (r *Rule) Evaluate(ctx context.Context, obj, old map[string]any) Verdict {
	c := r.compile()
	if c.rules == nil {
		return Verdict{}
	}
	result := c.rules.Evaluate(ctx, obj, old, nil)
	v := Verdict{False: result.Errors, Cost: result.Cost}
	switch values := countValues(obj, r.schemaPath); {
	case !c.transition:
		v.True = max(0, values-len(v.False))
	case len(v.False) == 0 && v.Cost > 0:
		v.True = 1 // the number of values with old ones is not known
	}
	return v
}

// countValues returns the number of values at a schema path.
func countValues(v any, schemaPath Steps) int {
	if v == nil {
		return 0
	}
	if len(schemaPath) == 0 {
		return 1
	}
	step, rest, n := schemaPath[0], schemaPath[1:], 0
	switch x := v.(type) {
	case []any:
		if step.Item {
			for _, item := range x {
				n += countValues(item, rest)
			}
		}
	case map[string]any:
		switch {
		case step.Other:
			for _, value := range x {
				n += countValues(value, rest)
			}
		case !step.Item:
			n = countValues(x[step.Name], rest)
		}
	}
	return n
}

// Name returns the position of the rule in its schema: spec.ports[*].x-kubernetes-validations[0].
func (r *Rule) Name() string {
	return Join(r.Path, "x-kubernetes-validations["+strconv.Itoa(r.Index)+"]")
}
