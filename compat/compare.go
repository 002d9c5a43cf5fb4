package compat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/constraint"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/sample"
	"github.com/crdkit/crdkit/internal/single"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/schema"
)

// Options are what a comparison may take and show.
type Options struct {
	// Objects are objects that people have, of any version, as the old definition stores them: witnesses are looked for among them, too. They are
	// not modified.
	Objects []map[string]any
	// Effort bounds how many requests are judged and values tried; 0 is 20000, which takes at most a second or two. What there is no effort left
	// for is [Unknown].
	Effort int
	// Harmless adds a finding for each difference of two schemas that is proved to change nothing.
	Harmless bool
	// Converter is the conversion webhook of both definitions. Without one, nothing is known of what becomes of objects in versions that go
	// through a webhook.
	Converter conversion.Converter
}

const defaultEffort = 20_000

// Compare says what becomes of requests when new takes the place of old, version by version, and whether a server takes that change at all.
// Both have their defaults, as [crd.Parse] returns them, and are not modified. o may be nil. A version that only one side has is not compared.
//
// The error says that a definition is nil or cannot be compiled, or is that of ctx. For the same arguments the answer is the same.
func Compare(ctx context.Context, old, new *crd.CustomResourceDefinition, o *Options) (*Report, error) {
	if old == nil || new == nil {
		return nil, errors.New("compat: a definition is missing")
	}
	c := newComparer(ctx, o)
	before, err := c.compile(old)
	if err != nil {
		return nil, fmt.Errorf("compat: the old definition: %w", err)
	}
	after, err := c.compile(new)
	if err != nil {
		return nil, fmt.Errorf("compat: the new definition: %w", err)
	}
	c.compareDefinitions(old, new)
	for i := range old.Spec.Versions {
		name := old.Spec.Versions[i].Name
		v, w := before.versions[name], after.versions[name]
		if v != nil && w != nil && old.Serves(name) && new.Serves(name) {
			c.compareVersions(name, v, w)
		}
	}
	return c.finish()
}

// Versions says what becomes of the objects of one version of d when they are read and written through another, with the conversion None: a
// field that the other has not is dropped. All pairs of served versions are compared, as [Compare] does: the version of a finding is "v1 to v2".
// What is said of a create is what becomes of an object that v1 accepts if it is sent through v2.
//
// d has its defaults and is not modified. The error says that d is nil or cannot be compiled, or is that of ctx.
func Versions(ctx context.Context, d *crd.CustomResourceDefinition, o *Options) (*Report, error) {
	if d == nil {
		return nil, errors.New("compat: a definition is missing")
	}
	c := newComparer(ctx, o)
	sides := map[string]*version{}
	for i := range d.Spec.Versions {
		name := d.Spec.Versions[i].Name
		if sides[name] != nil || !d.Serves(name) {
			continue
		}
		s, err := c.compile(storing(d, name))
		if err != nil {
			return nil, fmt.Errorf("compat: %w", err)
		}
		sides[name] = s.versions[name]
	}
	for i := range d.Spec.Versions {
		for k := range d.Spec.Versions {
			from, to := d.Spec.Versions[i].Name, d.Spec.Versions[k].Name
			if i != k && sides[from] != nil && sides[to] != nil {
				c.compareVersions(from+" to "+to, sides[from], sides[to])
			}
		}
	}
	return c.finish()
}

// storing returns d with that version as the one that objects are stored in.
func storing(d *crd.CustomResourceDefinition, name string) *crd.CustomResourceDefinition {
	other := *d
	other.Spec.Versions = slices.Clone(d.Spec.Versions)
	for i := range other.Spec.Versions {
		other.Spec.Versions[i].Storage = other.Spec.Versions[i].Name == name
	}
	return &other
}

// A comparer compares two definitions.
type comparer struct {
	ctx          context.Context
	options      Options
	effort       int // left
	proofs       proofState
	report       Report
	versionOrder map[string]int // of the versions, for the order of findings
}

func newComparer(ctx context.Context, o *Options) *comparer {
	c := &comparer{ctx: ctx, versionOrder: map[string]int{"": -1}}
	if o != nil {
		c.options = *o
	}
	if c.effort = c.options.Effort; c.effort <= 0 {
		c.effort = defaultEffort
	}
	c.proofs = proofState{steps: proofSteps * c.effort, canonicalTexts: map[*plan.Node]string{}, weights: sample.Weights{}}
	return c
}

// proofSteps is how many steps of proofs come with a judged request.
const proofSteps = 50

// Proofs are what all proofs of a comparison share. nil stands for one without limits.
type proofState struct {
	steps          int                   // how many steps they may still take
	canonicalTexts map[*plan.Node]string // see canonical
	weights        sample.Weights
}

// branchUnit is how many branches of combinators count as one request.
const branchUnit = 20

// trial is what it takes of the effort to ask f about a value, without what is beneath.
func (f *facts) tryCost() int {
	cost := 0
	for _, n := range f.given {
		cost += f.loc.proofs.weights.Of(n)
	}
	return cost / branchUnit
}

// spend takes steps, and reports whether there were any left.
func (p *proofState) spend(steps int) bool {
	if p == nil {
		return true
	}
	p.steps -= steps
	return p.steps >= 0
}

// most returns how many of some steps may be taken.
func (p *proofState) limit(steps int) int {
	if p == nil {
		return steps
	}
	return max(min(steps, p.steps), 0)
}

func (c *comparer) finish() (*Report, error) {
	if err := c.ctx.Err(); err != nil {
		return nil, err
	}
	sort.SliceStable(c.report.Findings, func(i, j int) bool {
		a, b := &c.report.Findings[i], &c.report.Findings[j]
		return cmp.Or(cmp.Compare(c.versionOrder[a.Version], c.versionOrder[b.Version]), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Check, b.Check),
			cmp.Compare(a.Request, b.Request)) < 0
	})
	return &c.report, nil
}

func (c *comparer) add(f Finding) { c.report.Findings = append(c.report.Findings, f) }

// A side is a compiled definition.
type side struct {
	versions map[string]*version
}

// A version is one of a side's, ready to be asked.
type version struct {
	c         *comparer
	d         *crd.CustomResourceDefinition
	name      string
	resource  *resource.Version
	root      *plan.Node // nil: no schema
	prunes    bool
	hasStatus bool // there is a status subresource
	props     *schema.JSONSchemaProps

	needsWebhook bool          // a webhook, which is not given, has a part in all answers
	storage      *version      // that objects are stored in
	maker        *sample.Maker // made when it is first needed
	rules        []*single.Rule
	bases        map[string]base

	preserving []constraint.Way // see preserving
}

// A base is a valid object with a value at the end of a way, if there is one.
type base struct {
	object map[string]any
	err    error
}

func (c *comparer) compile(d *crd.CustomResourceDefinition) (*side, error) {
	r, err := resource.Compile(d)
	if err != nil {
		return nil, err
	}
	if c.options.Converter != nil {
		r = r.WithConverter(c.options.Converter)
	}
	webhook := c.options.Converter == nil && d.Spec.Conversion != nil && d.Spec.Conversion.Strategy == crd.ConversionWebhook
	s := &side{versions: map[string]*version{}}
	of := d.Lookup()
	for i := range d.Spec.Versions {
		name := d.Spec.Versions[i].Name
		v := r.Version(name)
		if v == nil || s.versions[name] != nil {
			continue
		}
		w := &version{c: c, d: d, name: name, prunes: d.Spec.PreserveUnknownFields == nil || !*d.Spec.PreserveUnknownFields, bases: map[string]base{}}
		options := resource.RequestOptions{FieldValidation: resource.FieldValidationIgnore}
		if d.Spec.Scope == crd.NamespaceScoped {
			options.Namespace = "default"
		}
		w.resource = v.With(options)
		w.needsWebhook = webhook && r.StorageVersion().Name() != name
		if s := v.Schema(); s != nil {
			w.root = plan.Root(s)
		}
		if sub, err := of.Subresources(name); err == nil && sub != nil {
			w.hasStatus = sub.Status != nil
		}
		if w.props, err = of.Schema(name); err != nil {
			w.props = nil
		}
		s.versions[name] = w
		if _, ok := c.versionOrder[name]; !ok {
			c.versionOrder[name] = len(c.versionOrder)
		}
	}
	for _, v := range s.versions {
		v.storage = s.versions[r.StorageVersion().Name()]
	}
	return s, nil
}

func (v *version) apiVersion() string { return v.d.Spec.Group + "/" + v.name }

// samples returns the maker of the version's objects.
func (v *version) samples() *sample.Maker {
	if v.maker == nil {
		v.rules = single.List(v.props)
		head := map[string]any{"apiVersion": v.apiVersion(), "kind": v.d.Spec.Names.Kind, "metadata": map[string]any{"name": "sample"}}
		v.maker = sample.New(v.resource, v.rules, head, v.hasStatus)
		v.maker.Budget = &v.c.effort
	}
	return v.maker
}

// at returns a valid object with a value at the end of a way.
func (v *version) objectAt(way constraint.Way) (map[string]any, error) {
	key := way.String()
	b, ok := v.bases[key]
	if !ok {
		budget := v.c.limit(baseEffort)
		b.object, b.err = v.samples().At(v.c.ctx, way)
		v.c.restore(budget)
		v.bases[key] = b
	}
	return b.object, b.err
}

// What one search may take of the effort.
const (
	baseEffort = 700
	ruleEffort = 1500
)

// limit leaves no more than most of the effort, and returns what restore gives back.
func (c *comparer) limit(most int) int {
	rest := max(c.effort-most, 0)
	c.effort -= rest
	return rest
}

func (c *comparer) restore(rest int) { c.effort = max(c.effort, 0) + rest }

// costUnit is how much of what rules cost counts as one request, and sizeUnit how many values in an object.
const (
	costUnit = 1_000
	sizeUnit = 100
)

// judge asks the version about a request. A create has nothing stored.
func (v *version) handle(request string, obj, stored map[string]any) resource.Result {
	obj = v.withAPIVersion(obj)
	var r resource.Result
	switch request {
	case Update:
		r = v.resource.Update(v.c.ctx, obj, v.withAPIVersion(stored))
	case StatusUpdate:
		r = v.resource.UpdateStatus(v.c.ctx, obj, v.withAPIVersion(stored))
	default:
		r = v.resource.Create(v.c.ctx, obj)
	}
	v.c.effort -= 1 + countValues(obj)/sizeUnit + int(r.Cost/costUnit)
	return r
}

// own returns obj with the apiVersion of v.
func (v *version) withAPIVersion(obj map[string]any) map[string]any {
	if obj == nil || obj["apiVersion"] == v.apiVersion() {
		return obj
	}
	obj = maps.Clone(obj)
	obj["apiVersion"] = v.apiVersion()
	return obj
}

// about reports whether one of errs is about what is at the end of a way, or beneath it.
func about(errs field.List, way constraint.Way) bool {
	return slices.ContainsFunc(errs, func(e *field.Error) bool {
		at := e.Path.Segments()
		if len(at) < len(way) {
			return false
		}
		for i, step := range way {
			if step.Item != at[i].IsIndex || !step.Item && !step.Other && at[i].Key != step.Name {
				return false
			}
		}
		return true
	})
}
