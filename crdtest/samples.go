package crdtest

import (
	"context"
	"fmt"
	"testing"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdtest/internal/constraint"
	"github.com/crdkit/crdkit/crdtest/internal/sample"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/unstructured"
)

// Samples are objects that were made from a schema alone.
type Samples struct {
	// Minimal is a valid object with little more than what is required.
	Minimal map[string]any
	// Full is a valid object with as many fields as possible. It is nil if none was found.
	Full map[string]any
	// Broken are objects that are refused for one reason, in the order of the schema.
	Broken []Counterexample
	// Missing are the constraints and rules for which no such object was found, as [Row] names them.
	Missing []string
}

// A Counterexample is an object that breaks one constraint, or one rule.
type Counterexample struct {
	Breaks string // as a [Row] names it: spec.size: maximum 10
	Object map[string]any
	Old    map[string]any // for a transition rule: the object that it would replace; else nil
	Errors field.List     // what the server says against it
}

// Sample makes objects for a version of the definition of that kind; an empty version is the storage version, and an empty kind the only
// one. It ends the test if there is no such kind or version, or if no valid object was found.
//
// What is returned has been judged: the valid objects are accepted, and each of the broken ones is refused with errors at one place only.
// Making them takes from milliseconds to some seconds for a large definition with many rules.
//
// Clauses: ECT-019.
func (s *Set) Sample(t testing.TB, kind, version string) *Samples {
	t.Helper()
	d, err := s.find("", kind)
	if err != nil {
		t.Fatalf("crdtest: %v", err)
	}
	m, err := d.samples(t.Context(), version)
	if err != nil {
		t.Fatalf("crdtest: %v", err)
	}
	if err := m.breakAll(t.Context()); err != nil {
		t.Fatalf("crdtest: %v", err)
	}
	return &m.Samples
}

// A maker makes the samples of a version.
type maker struct {
	Samples
	ver  *version
	from *sample.Maker
	all  []constraint.Constraint
}

// samples returns the valid samples of a version. An error says that there is no minimal one.
func (d *definition) samples(ctx context.Context, name string) (*maker, error) {
	m, err := d.maker(name)
	if err != nil {
		return nil, err
	}
	if m.Minimal, err = m.from.Minimal(ctx); err != nil {
		return nil, fmt.Errorf("no valid object of %s was found: %w", d.Name(), err)
	}
	if full, err := m.from.Full(ctx); err == nil {
		m.Full = full
	}
	return m, nil
}

func (d *definition) maker(name string) (*maker, error) {
	v, ver, err := d.version(name)
	if err != nil {
		return nil, err
	}
	meta := map[string]any{"name": "sample"}
	if d.Spec.Scope == crd.NamespaceScoped {
		meta["namespace"] = "default"
	}
	head := map[string]any{"apiVersion": d.Spec.Group + "/" + ver.name, "kind": d.Spec.Names.Kind, "metadata": meta}
	return &maker{ver: ver, from: sample.New(v, ver.rules(), head, ver.status), all: constraint.List(v.Schema())}, nil
}

func (m *maker) breakAll(ctx context.Context) error {
	keep := func(name string, b sample.Broken, err error) {
		if err != nil {
			m.Missing = append(m.Missing, name)
			return
		}
		m.Broken = append(m.Broken, Counterexample{
			Breaks: name, Object: unstructured.Clone(b.Object), Old: unstructured.Clone(b.Old), Errors: b.Errors,
		})
	}
	for _, c := range m.all {
		b, err := m.from.Break(ctx, c)
		keep(constraintRow(c).name(), b, err)
	}
	for _, r := range m.ver.rules() {
		b, err := m.from.BreakRule(ctx, r)
		keep(ruleRow(r).name(), b, err)
	}
	return ctx.Err()
}

// judge asks a version about an object that has a status, maybe.
func (d *definition) judge(ctx context.Context, name string, obj map[string]any) (*answer, error) {
	m, err := d.maker(name)
	if err != nil {
		return nil, err
	}
	return newAnswer(&request{d: d, ver: m.ver}, m.from.Judge(ctx, obj, nil)), nil
}
