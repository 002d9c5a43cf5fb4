package compat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/sample"
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
	c.proofs = proofState{steps: stepsPerRequest * c.effort, canonicalTexts: map[*plan.Node]string{}, weights: sample.Weights{}}
	return c
}

func (c *comparer) add(f Finding) { c.report.Findings = append(c.report.Findings, f) }

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
