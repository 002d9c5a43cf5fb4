package sample

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/ruleset"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/unstructured"
)

// A Maker makes objects of a version.
type Maker struct {
	v      *resource.Version
	s      *schema.Structural
	rules  []*constraint.Rule
	own    map[int][]*constraint.Rule // by the ids of their nodes
	all    *ruleset.Rules
	head   map[string]any
	status bool

	made   map[made]any
	likely map[*plan.Node][]any // valid scalars

	weights Weights
	checks  int // see fits
	work    int // see charge
	unpaid  int // steps that have not cost a trial yet
	depth   int // of the value that is being made

	lastNode  int // of the constraint that was broken last, with the object for that
	lastBase  map[string]any
	lastTried bool // to repair it

	minimal, full func(ctx context.Context) (map[string]any, error)

	// Budget, if not nil, is the number of values that may still be tried. When it is used up, searches end with the
	// best result so far. The costs of rules count, too.
	Budget *int
	// Also, if not nil, returns a number that is added to the score of an object, or of an update from old to it, that
	// BreakRule tries. It is 0 if the object is as the caller wants.
	Also func(ctx context.Context, obj, old map[string]any) int
}

// New returns a Maker for a version. Its rules are those of package constraint, head has the apiVersion, kind and
// metadata of the objects, and status says that there is a status subresource, which a create leaves out.
func New(v *resource.Version, rules []*constraint.Rule, head map[string]any, status bool) *Maker {
	m := &Maker{v: v, s: v.Schema(), rules: rules, head: head, status: status, own: map[int][]*constraint.Rule{},
		made: map[made]any{}, likely: map[*plan.Node][]any{}, weights: Weights{}}
	if m.s != nil {
		m.all = ruleset.Prepare(m.s)
		for _, r := range rules {
			if n := r.Steps().Node(plan.Root(m.s)); n != nil {
				m.own[n.ID] = append(m.own[n.ID], r)
			}
		}
	}
	m.minimal = m.once(variant{})
	m.full = m.once(variant{full: true})
	return m
}

// For returns a Maker for a version of a definition with those rules. Its objects are called sample, in the namespace
// default.
func For(d *crd.CustomResourceDefinition, v *resource.Version, rules []*constraint.Rule) *Maker {
	meta := map[string]any{"name": "sample"}
	if d.Spec.Scope == crd.NamespaceScoped {
		meta["namespace"] = "default"
	}
	head := map[string]any{"apiVersion": d.Spec.Group + "/" + v.Name(), "kind": d.Spec.Names.Kind, "metadata": meta}
	subresources := d.Spec.Subresources
	if of := d.Version(v.Name()); of != nil {
		subresources = cmp.Or(subresources, of.Subresources)
	}
	return New(v, rules, head, subresources != nil && subresources.Status != nil)
}

// once returns a function that makes an object on its first call, and returns a copy on each call.
func (m *Maker) once(p variant) func(ctx context.Context) (map[string]any, error) {
	var obj map[string]any
	var err error
	asked := false
	return func(ctx context.Context) (map[string]any, error) {
		if !asked {
			asked = true
			obj, err = m.valid(ctx, nil, p)
		}
		return unstructured.Clone(obj), err
	}
}

// Minimal returns a valid object with little more than what is required. The error says why the best attempt, which
// is returned with it, is not valid.
func (m *Maker) Minimal(ctx context.Context) (map[string]any, error) { return m.minimal(ctx) }

// Full returns a valid object with as many as possible of the fields that the schema describes. The error is as that of
// Minimal.
func (m *Maker) Full(ctx context.Context) (map[string]any, error) { return m.full(ctx) }

// valid returns a valid object with a value at a schema path.
func (m *Maker) valid(ctx context.Context, schemaPath constraint.Steps, p variant) (map[string]any, error) {
	if len(schemaPath) == 0 || p.full {
		return m.repair(ctx, m.draft(schemaPath, p), schemaPath)
	}
	return m.repair(ctx, m.leading(ctx, schemaPath), schemaPath)
}

// leading returns the minimal object, extended by the missing values along a schema path.
func (m *Maker) leading(ctx context.Context, schemaPath constraint.Steps) map[string]any {
	if base, err := m.Minimal(ctx); err == nil {
		if obj, ok := m.extended(plan.Root(m.s), base, schemaPath).(map[string]any); ok {
			return obj
		}
	}
	return m.draft(schemaPath, variant{})
}

// extended returns v with a value at the schema path.
func (m *Maker) extended(n *plan.Node, v any, schemaPath constraint.Steps) any {
	if len(schemaPath) == 0 || n == nil {
		return v
	}
	step := schemaPath[0]
	switch x := v.(type) {
	case []any:
		if step.Item && len(x) > 0 {
			return with(x, []field.Segment{{IsIndex: true}}, m.extended(n.Items, x[0], schemaPath[1:]), false)
		}
	case map[string]any:
		key := step.Name
		if step.Other {
			key = otherKey(n, 0)
			for k := range x {
				if _, declared := n.Child(k); !declared {
					key = min(key, k)
				}
			}
		}
		if child, _ := n.Child(key); child != nil && !step.Item {
			if old, ok := x[key]; ok && old != nil {
				return with(x, []field.Segment{{Key: key}}, m.extended(child, old, schemaPath[1:]), false)
			}
			return with(x, []field.Segment{{Key: key}}, m.value([]*plan.Node{child}, schemaPath[1:], variant{}), false)
		}
	}
	return m.value([]*plan.Node{n}, schemaPath, variant{})
}

// draft returns an object that is valid for its schema, if one is found, or otherwise the best one.
func (m *Maker) draft(schemaPath constraint.Steps, p variant) map[string]any {
	obj := map[string]any{}
	if m.s != nil {
		if made, ok := m.value([]*plan.Node{plan.Root(m.s)}, schemaPath, p).(map[string]any); ok {
			obj = made
		}
	}
	if m.status && !p.full && (len(schemaPath) == 0 || schemaPath[0].Name != "status") {
		delete(obj, "status") // a create drops it
	}
	meta := maps.Clone(m.metadata())
	if made, ok := obj["metadata"].(map[string]any); ok && len(schemaPath) > 0 && schemaPath[0].Name == "metadata" {
		for key, v := range made {
			if _, ok := meta[key]; !ok {
				meta[key] = v
			}
		}
	}
	maps.Copy(obj, m.head)
	obj["metadata"] = meta
	return obj
}

// metadata returns that of the head, with a name that the schema accepts.
func (m *Maker) metadata() map[string]any {
	own, _ := m.head["metadata"].(map[string]any)
	if m.s == nil {
		return own
	}
	meta, _ := plan.Root(m.s).Child("metadata")
	if meta == nil {
		return own
	}
	n, _ := meta.Child("name")
	if n == nil || Fits([]*plan.Node{n}, own["name"]) {
		return own
	}
	own = maps.Clone(own)
	own["name"] = m.value([]*plan.Node{n}, nil, variant{})
	return own
}

// Submit sends an object to the version: to create it, or to replace old. If the request ignores the status, a second
// request sends it.
func (m *Maker) Submit(ctx context.Context, obj, old map[string]any) resource.Result {
	m.charge(requestSteps)
	m.chargeValue(10, weigh(obj)+weigh(old))
	var r resource.Result
	if old != nil {
		r = m.v.Update(ctx, obj, old)
	} else {
		r = m.v.Create(ctx, obj)
	}
	m.chargeValue(10, max(weigh(r.Object)-largeWeight, 0)) // of defaults
	for _, e := range r.Errors {
		m.charge(pathSteps * len(e.Field))
	}
	if m.Budget != nil {
		*m.Budget -= int(r.Cost / costUnit)
	}
	if m.Budget == nil {
		m.charge(int(min(r.Cost, maxWork)))
	}
	if r.Failure == nil && len(r.Errors) == 0 && m.status && (obj["status"] != nil || old["status"] != nil) {
		return m.v.UpdateStatus(ctx, obj, r.Object)
	}
	return r
}

// costUnit is the cost of rules that counts as a trial.
const costUnit = 1_000

// wrong returns the errors of a result, and whether rules were not evaluated.
func wrong(r resource.Result) (errs field.List, blocked bool) {
	for _, e := range r.Errors {
		if e.RulesSkipped() {
			blocked = true
		} else {
			errs = append(errs, e)
		}
	}
	return errs, blocked
}

var errNone = errors.New("no such object was found")

// At returns a valid object with a value at a schema path. The error says why the best attempt, which is returned
// with it, is not valid.
func (m *Maker) At(ctx context.Context, schemaPath constraint.Steps) (map[string]any, error) {
	if len(schemaPath) == 0 {
		return m.Minimal(ctx)
	}
	return m.valid(ctx, schemaPath, variant{})
}

// Extend returns obj, extended by the missing values along a schema path. The result shares the rest with obj, and need
// not be valid.
func (m *Maker) Extend(obj map[string]any, schemaPath constraint.Steps) map[string]any {
	if m.s == nil {
		return obj
	}
	extended, _ := m.extended(plan.Root(m.s), obj, schemaPath).(map[string]any)
	return extended
}

// Value returns a value for all of nodes, such as a node and branches of its combinators. trial selects one of several
// values. The result is the best one that was found, and not always valid.
func (m *Maker) Value(nodes []*plan.Node, trial int, full bool) any {
	return m.value(nodes, nil, variant{trial: trial, full: full})
}

// Sized returns a list or an object for n with size items or fields, or nil. n may describe both: kind says which.
func (m *Maker) Sized(n *plan.Node, kind plan.Kinds, size int64) any {
	if size < 0 || size > 10*maxItems {
		return nil
	}
	if kind == plan.KindArray {
		if n.List != plan.ListSet && n.List != plan.ListMap {
			if n.Items == nil && size > 0 {
				return nil
			}
			out := []any{}
			for range size {
				out = append(out, m.value([]*plan.Node{n.Items}, nil, variant{}))
			}
			return out
		}
		if size > maxDistinct {
			return nil
		}
		return m.list([]*plan.Node{resized(n, size, size)}, nil, variant{})
	}
	nodes := []*plan.Node{n}
	out, _ := m.object(nodes, nil, variant{}).(map[string]any)
	for _, key := range sortedKeys(out) {
		if int64(len(out)) > size && !slices.Contains(n.Required, key) {
			delete(out, key)
		}
	}
	m.grow(nodes, out, size, variant{})
	if int64(len(out)) < size {
		return nil
	}
	return out
}

// Keep changes obj until it is valid, except for the value at a path. It submits few objects.
func (m *Maker) Keep(ctx context.Context, obj map[string]any, at []field.Segment) (map[string]any, error) {
	kept, ok := follow(plan.Root(m.s), obj, at)
	if !ok {
		return obj, errNone
	}
	return m.repairTo(ctx, obj, keepTrials, func(v any) bool {
		p, ok := follow(plan.Root(m.s), v, at)
		return ok && jsonval.Equal(p.value, kept.value)
	})
}

// Repair changes obj until the version accepts it. keeps must report true for the result.
func (m *Maker) Repair(ctx context.Context, obj map[string]any, keeps func(v any) bool) (map[string]any, error) {
	return m.repairTo(ctx, obj, keepTrials, keeps)
}

// keepTrials is the maximum number of objects that Keep and Repair submit.
const keepTrials = 100
