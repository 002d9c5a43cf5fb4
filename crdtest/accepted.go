package crdtest

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/crdtest/internal/listing"
	"github.com/crdkit/crdkit/field"
)

// Accepted fails the test for each definition of s that a server would not take as a new one: for its names, its schemas and their
// structure, default values, printer columns, rules that do not compile, and what these may cost, one by one and together. A key that the
// server does not know is refused as kubectl apply refuses it. Each error names the line of the definition that it is about. What a
// server warns of is logged.
//
// Clauses: ECT-002.
func (s *Set) Accepted(t testing.TB) {
	t.Helper()
	for _, d := range s.definitions {
		for _, text := range d.refusals(d.check().Errors()) {
			t.Error(text)
		}
		for _, finding := range d.findings {
			t.Errorf("%s: %s: strict decoding error: %s", d.source, d.Name(), finding)
		}
		for _, warning := range crdcheck.Warnings(d.CustomResourceDefinition, nil) {
			t.Logf("%s: %s: warning: %s", d.source, d.Name(), warning)
		}
	}
}

// AcceptedUpdate fails the test for each definition of s that a server would not take in the place of the one of that name in old. What
// is new in s is judged as [Set.Accepted] does. It logs what becomes of objects: for each version, which samples that old accepts s
// refuses.
//
// Clauses: ECT-003.
func (s *Set) AcceptedUpdate(t testing.TB, old *Set) {
	t.Helper()
	for _, d := range s.definitions {
		was := old.named(d.Name())
		if was == nil {
			for _, text := range d.refusals(d.check().Errors()) {
				t.Error(text)
			}
			continue
		}
		for _, text := range d.refusals(crdcheck.ValidateUpdate(d.CustomResourceDefinition, was.CustomResourceDefinition)) {
			t.Error(text)
		}
		for _, line := range d.compatible(was) {
			t.Log(line)
		}
	}
}

func (s *Set) named(name string) *definition {
	for _, d := range s.definitions {
		if d.Name() == name {
			return d
		}
	}
	return nil
}

// refusals returns errors with their lines.
func (d *definition) refusals(errs field.List) []string {
	var out []string
	for _, e := range errs {
		out = append(out, fmt.Sprintf("%s: %s: %v", d.source.At(d.lineOf(e)), d.Name(), e))
	}
	return out
}

// lineOf returns the line of the document that an error is about, or the one nearest to it, from 1.
func (d *definition) lineOf(e *field.Error) int {
	best := 0
	for _, way := range d.ways(e.Path.Segments()) {
		best = max(best, listing.Line(d.source.Text, way))
	}
	return max(best, 1)
}

// ways returns where in the document a path of an error may lead. A server names what all versions have in common as if it stood at the
// top of the spec (BET-003).
func (d *definition) ways(at []field.Segment) [][]string {
	var steps []string
	for _, s := range at {
		if s.IsIndex {
			steps = append(steps, strconv.Itoa(s.Index))
		} else {
			steps = append(steps, s.Key)
		}
	}
	all := [][]string{steps}
	if len(steps) < 2 || steps[0] != "spec" || d.APIVersion == crd.APIVersionV1beta1 {
		return all
	}
	version := []string{"spec", "versions", "0"}
	switch rest := steps[2:]; steps[1] {
	case "version":
		all = append(all, append(version, "name"))
	case "validation":
		all = append(all, append(append(version, "schema"), rest...))
	case "subresources", "additionalPrinterColumns", "selectableFields":
		all = append(all, append(append(version, steps[1]), rest...))
	case "conversion":
		if len(rest) > 0 && rest[0] == "webhookClientConfig" {
			all = append(all, append([]string{"spec", "conversion", "webhook", "clientConfig"}, rest[1:]...))
		}
	}
	for i, way := range all {
		for j, step := range way {
			if step == "JSONPath" {
				all[i][j] = "jsonPath"
			}
		}
	}
	return all
}

// compatible returns a line for each version that is gone, and for each sample of a version of was that d refuses.
func (d *definition) compatible(was *definition) []string {
	var lines []string
	for _, v := range was.Spec.Versions {
		if _, _, err := d.version(v.Name); err != nil {
			lines = append(lines, fmt.Sprintf("%s: version %s: %v", d.Name(), v.Name, err))
			continue
		}
		samples, err := was.samples(context.Background(), v.Name)
		if err != nil {
			lines = append(lines, fmt.Sprintf("%s: version %s: no samples: %v", d.Name(), v.Name, err))
			continue
		}
		refused := 0
		for _, o := range []struct {
			name string
			obj  map[string]any
		}{{"minimal", samples.Minimal}, {"full", samples.Full}} {
			if o.obj == nil {
				continue
			}
			if r := d.judge(context.Background(), v.Name, o.obj); r != nil {
				refused++
				lines = append(lines, fmt.Sprintf("%s: version %s: the %s sample of the old definition is refused: %s", d.Name(), v.Name, o.name,
					strings.ReplaceAll(r.Error(), "\n", " ")))
			}
		}
		if refused == 0 {
			lines = append(lines, fmt.Sprintf("%s: version %s: the samples of the old definition are accepted", d.Name(), v.Name))
		}
	}
	return lines
}
