package crdlint

import (
	"context"
	"fmt"
	"slices"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/internal/tool/sample"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/schema"
)

// The limits of work for witnesses: of each version, and of all versions together.
const (
	versionTrials = 300
	maxSampled    = 4
)

// A linter collects the findings about one definition.
type linter struct {
	ctx      context.Context
	d        *crd.CustomResourceDefinition
	checked  *crdcheck.Checked
	opts     *Options
	versions []*version // those with a schema, in the order of the document

	compiled *resource.Resource // nil before the first use of resource
	failed   bool               // it cannot be compiled
	sampled  int                // how many versions have a maker

	lint           *Lint
	found, omitted int // of lint
	findings       []Finding
}

// A version is a version of the definition with a schema.
type version struct {
	*crd.Version
	at     *field.Path // of the schema in the document
	props  *schema.JSONSchemaProps
	places []*place
	repeat bool // an earlier version has an equal schema

	maker *sample.Maker
	rules []*constraint.Rule

	parsed   bool // trees are set
	trees    []*ruleTree
	children map[below]*place // nil before the first use
	samples  map[*place]sampled
}

// A sampled is an object with a value at a place.
type sampled struct {
	obj  map[string]any
	path []field.Segment // of the value
	err  error           // why the object is not valid
}

// A place is a schema outside of combinators, at most constraint.MaxDepth steps below the root.
type place struct {
	*schema.JSONSchemaProps
	step   constraint.Step
	parent *place // nil for the root
	depth  int
}

func newLinter(ctx context.Context, c *crdcheck.Checked, opts *Options) *linter {
	l := &linter{ctx: ctx, d: c.Definition(), checked: c, opts: opts}
	lookup := l.d.Lookup()
	seen := map[*schema.Structural]bool{}
	left := maxPlaces
	for i := range l.d.Spec.Versions {
		v := &l.d.Spec.Versions[i]
		p, err := lookup.Schema(v.Name)
		s := c.Schema(v.Name)
		if err != nil || p == nil || s == nil {
			continue
		}
		ver := &version{Version: v, props: p, repeat: seen[s]}
		seen[s] = true
		if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
			ver.at = field.NewPath("spec", "validation", "openAPIV3Schema")
		} else {
			ver.at = field.NewPath("spec", "versions").Index(i).Child("schema").Child("openAPIV3Schema")
		}
		ver.places = placesOf(p, &left)
		l.versions = append(l.versions, ver)
	}
	return l
}

// placesOf returns the places of a schema in the order of its nodes, and subtracts their number from left. It returns
// no more than left.
func placesOf(root *schema.JSONSchemaProps, left *int) (all []*place) {
	var add func(p *place)
	add = func(p *place) {
		if *left--; *left < 0 {
			return
		}
		all = append(all, p)
		if p.depth == constraint.MaxDepth {
			return
		}
		for at, q := range p.ChildrenByName() {
			child := &place{JSONSchemaProps: q, parent: p, depth: p.depth + 1}
			switch {
			case q == nil || at.Combines():
				continue
			case at.Keyword == "properties":
				child.step.Name = at.Name
			case at.Keyword == "items":
				child.step.Item = true
			case at.Keyword == "additionalProperties":
				child.step.Other = true
			default:
				continue
			}
			add(child)
		}
	}
	add(&place{JSONSchemaProps: root})
	return all
}

// steps returns the steps from the root to p.
func (p *place) steps() constraint.Steps {
	steps := make(constraint.Steps, p.depth)
	for ; p.parent != nil; p = p.parent {
		steps[p.depth-1] = p.step
	}
	return steps
}

// isRequired reports whether p is a property that its object requires.
func (p *place) isRequired() bool {
	return p.parent != nil && p.step.Name != "" && slices.Contains(p.parent.Required, p.step.Name)
}

// inStatus reports whether p is the status of the object, or in it.
func (p *place) inStatus() bool {
	for ; p.depth > 1; p = p.parent {
	}
	return p.step.Name == "status"
}

// pathOf returns the path of p in the document.
func (v *version) pathOf(p *place) string {
	at := v.at
	for _, s := range p.steps() {
		switch {
		case s.Item:
			at = at.Child("items")
		case s.Other:
			at = at.Child("additionalProperties")
		default:
			at = at.Child("properties").Key(s.Name)
		}
	}
	return at.String()
}

// add adds a finding of the current lint, after more.
func (l *linter) add(path string, witness *Witness, fix, format string, args ...any) {
	l.found++
	if l.opts.NoWitnesses {
		witness = nil
	}
	l.findings = append(l.findings, Finding{
		Lint: l.lint.Name, Severity: l.lint.Severity, Path: path, Message: fmt.Sprintf(format, args...), Why: l.lint.Why, Fix: fix, Witness: witness,
	})
}

// more reports whether the current lint may have another finding. If not, it counts one that is left out.
func (l *linter) more() bool {
	if l.found < maxFindings {
		return true
	}
	l.omitted++
	return false
}

// resource returns the compiled definition, or nil.
func (l *linter) resource() *resource.Resource {
	if l.compiled == nil && !l.failed {
		var err error
		l.compiled, err = resource.CompileChecked(l.checked)
		l.failed = err != nil
	}
	return l.compiled
}

// sampler returns the maker of objects of a version, or nil if there is none or its work is used up.
func (l *linter) sampler(v *version) *sample.Maker {
	if v.maker == nil && l.sampled < maxSampled && l.resource() != nil {
		l.sampled++
		v.rules = constraint.Rules(v.props)
		v.maker = sample.For(l.d, l.handler(v.Name), v.rules)
		budget := versionTrials
		v.maker.Budget = &budget
	}
	if v.maker == nil || *v.maker.Budget <= 0 || l.ctx.Err() != nil {
		return nil
	}
	return v.maker
}

// handler returns the version of that name, which answers requests.
func (l *linter) handler(name string) *resource.Version {
	return l.resource().Version(name).With(resource.RequestOptions{FieldValidation: resource.FieldValidationIgnore})
}

// objectWith returns a valid object with a value at a place, and the place of that value, or nil.
func (l *linter) objectWith(v *version, p *place) (map[string]any, []field.Segment) {
	s := l.sample(v, p)
	if s.err != nil {
		return nil, nil
	}
	return s.obj, s.path
}

// invalidWith is objectWith, but the object need not be valid.
func (l *linter) invalidWith(v *version, p *place) (map[string]any, []field.Segment) {
	s := l.sample(v, p)
	return s.obj, s.path
}

// sample returns an object with a value at a place. It makes the object once.
func (l *linter) sample(v *version, p *place) sampled {
	if s, ok := v.samples[p]; ok {
		return s
	}
	maker := l.sampler(v)
	if maker == nil {
		return sampled{}
	}
	var s sampled
	steps := p.steps()
	s.obj, s.err = maker.At(l.ctx, steps)
	if s.path = pathIn(s.obj, steps); s.path == nil && len(steps) > 0 {
		s = sampled{}
	}
	if v.samples == nil {
		v.samples = map[*place]sampled{}
	}
	v.samples[p] = s
	return s
}

// pathIn returns the path of the first value in obj to which the steps lead, or nil.
func pathIn(obj map[string]any, steps constraint.Steps) []field.Segment {
	var at any = obj
	path := make([]field.Segment, 0, len(steps))
	for i, s := range steps {
		switch x := at.(type) {
		case []any:
			if !s.Item || len(x) == 0 {
				return nil
			}
			at = x[0]
			path = append(path, field.Segment{IsIndex: true})
		case map[string]any:
			key := s.Name
			if s.Other {
				key = sample.Undeclared(nil, x)
			}
			v, ok := x[key]
			if !ok || s.Item || v == nil && i < len(steps)-1 {
				return nil
			}
			at = v
			path = append(path, field.Segment{Key: key})
		default:
			return nil
		}
	}
	return path
}

// valueAt returns the value at a path, and whether there is one.
func valueAt(obj any, path []field.Segment) (any, bool) {
	for _, s := range path {
		switch x := obj.(type) {
		case map[string]any:
			v, ok := x[s.Key]
			if !ok {
				return nil, false
			}
			obj = v
		case []any:
			if !s.IsIndex || s.Index >= len(x) {
				return nil, false
			}
			obj = x[s.Index]
		default:
			return nil, false
		}
	}
	return obj, true
}

// named returns the path of an object's value for a text, and the object itself for the root.
func named(steps constraint.Steps) string {
	if len(steps) == 0 {
		return "the object"
	}
	return steps.String()
}
