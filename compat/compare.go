package compat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sort"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/tool/sample"
)

// Options change what Compare and Versions do. The zero value is that of a nil *Options.
type Options struct {
	// Objects are existing objects of any version, as the old definition stores them. They are tried as witnesses, too,
	// and not modified.
	Objects []map[string]any
	// Effort bounds how many requests are made and how many values are tried; 0 is 30000, which takes at most a second
	// or two. A difference is [Unknown] if no effort is left for it.
	//
	// The number of schemas that are compared has a limit of its own: see [Report.NotCompared].
	Effort int
	// Harmless adds a finding for each difference of two schemas that is proved to change nothing.
	Harmless bool
	// Converter is the conversion webhook of both definitions. Without it, requests in a version that needs a webhook
	// are compared as far as they are answered in that version, and a change to or from a webhook is [Unknown].
	Converter conversion.Converter
	// Kubernetes is the minor version of the server, such as "1.36": see [resource.Resource.For]. Empty is the newest
	// release.
	Kubernetes string
}

const defaultEffort = 30_000

// Compare returns what changes for requests if new replaces old, for each version that both serve, and whether a server
// accepts that update of the definition. Both definitions have their defaults, as [crd.Parse] returns them, and are not
// modified. o may be nil.
//
// The error is that of ctx, or says that a definition is nil or does not compile, or that the version of Kubernetes is
// unknown. The same arguments give the same
// report.
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
		v, w := before[name], after[name]
		if v != nil && w != nil && v.served && w.served {
			c.compareVersions(name, v, w)
		}
	}
	return c.finish()
}

// Versions returns what changes for objects of one version of d if clients write them in another version. Objects are
// converted by [Options.Converter] there and back if d has a conversion webhook and there is a converter, and otherwise
// by the conversion None: fields that the other version does not describe are dropped. It compares all pairs of served
// versions as [Compare] compares definitions. The version of a finding is "v1 to v2": one about a create is about an
// object that v1 accepts and that is sent in v2.
//
// d has its defaults, as [crd.Parse] returns them, and is not modified. o may be nil. The error is that of ctx, or says
// that d is nil or does not compile. The number of pairs is quadratic in the number of served versions; they share the
// effort and the limit of schemas, and [Report.NotCompared] counts the pairs that are left.
func Versions(ctx context.Context, d *crd.CustomResourceDefinition, o *Options) (*Report, error) {
	if d == nil {
		return nil, errors.New("compat: a definition is missing")
	}
	c := newComparer(ctx, o)
	if _, err := c.resource(d); err != nil {
		return nil, fmt.Errorf("compat: %w", err)
	}
	sides, err := c.servedVersions(d)
	if err != nil {
		return nil, fmt.Errorf("compat: %w", err)
	}
	pairs := len(sides) * (len(sides) - 1)
	for _, from := range sides {
		for _, to := range sides {
			if from == to {
				continue
			}
			label := from.name + " to " + to.name
			if c.places <= 0 {
				c.skip(label, nil)
				c.report.NotCompared += pairs - 1
				return c.finish()
			}
			c.compareVersions(label, from, to)
			pairs--
		}
	}
	return c.finish()
}

// servedVersions returns the served versions of d, each as if objects were stored in it.
func (c *comparer) servedVersions(d *crd.CustomResourceDefinition) (sides []*version, err error) {
	served := servedNames(d)
	for i := range d.Spec.Versions {
		v := &d.Spec.Versions[i]
		if !served[v.Name] {
			continue // or not the first one of the name
		}
		delete(served, v.Name)
		versions, err := c.compile(storing(d, *v))
		if err != nil {
			return nil, err
		}
		sides = append(sides, versions[v.Name])
	}
	return sides, nil
}

// storing returns d with only one version, in which objects are stored.
func storing(d *crd.CustomResourceDefinition, only crd.Version) *crd.CustomResourceDefinition {
	only.Storage = true
	other := *d
	other.Spec.Versions = []crd.Version{only}
	return &other
}

// A comparer compares versions of definitions, and collects the findings.
type comparer struct {
	ctx          context.Context
	options      Options
	effort       int // what is left of it
	reserve      int // more effort, for objects that no question was about
	proofs       proofState
	report       Report
	versionRanks map[string]int // the order of findings

	places     int // how many schemas may still be compared: see look
	notLooked  Finding
	unanswered map[Finding]bool // findings without a witness
	verdicts   map[Verdict]bool // of the findings
	textLeft   int              // how many bytes findings may still have
	tooLarge   bool             // there was a request that only maxDefaults refused
	kept       int              // values of the objects that are kept: see maxKept
}

func newComparer(ctx context.Context, o *Options) *comparer {
	c := &comparer{ctx: ctx, versionRanks: map[string]int{"": -1}, places: maxPlaces, unanswered: map[Finding]bool{},
		verdicts: map[Verdict]bool{}, textLeft: maxFindingText}
	if o != nil {
		c.options = *o
	}
	c.effort = cmp.Or(max(c.options.Effort, 0), defaultEffort)
	c.reserve = c.effort / reservedEffort
	c.proofs = proofState{steps: stepsPerRequest * c.effort, canonicalTexts: map[*plan.Node]string{}, weights: sample.Weights{}}
	return c
}

// rankVersion sorts the findings about a version after those about versions that were ranked before.
func (c *comparer) rankVersion(label string) {
	if _, ok := c.versionRanks[label]; !ok {
		c.versionRanks[label] = len(c.versionRanks)
	}
}

// finish returns the sorted report, or the error of the context.
func (c *comparer) finish() (*Report, error) {
	if err := c.ctx.Err(); err != nil {
		return nil, err
	}
	if c.report.NotCompared > 0 {
		c.report.Findings = append(c.report.Findings, Finding{Verdict: Unknown, Version: c.notLooked.Version, Path: c.notLooked.Path, Check: "notCompared",
			Detail: fmt.Sprintf("%d schemas were not compared, with all that is below them: there are too many, or they are too deep. The first is this one.", c.report.NotCompared)})
	}
	sort.SliceStable(c.report.Findings, func(i, j int) bool {
		a, b := &c.report.Findings[i], &c.report.Findings[j]
		return cmp.Or(cmp.Compare(c.versionRanks[a.Version], c.versionRanks[b.Version]), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Check, b.Check),
			cmp.Compare(a.Request, b.Request)) < 0
	})
	return &c.report, nil
}
