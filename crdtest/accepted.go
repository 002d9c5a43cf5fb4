package crdtest

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/crdtest/internal/listing"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/sample"
	"github.com/crdkit/crdkit/kubeversion"
	"github.com/crdkit/crdkit/prune"
)

// Accepted fails the test for each definition of s that a server would not take as a new one: for its names, its schemas and their
// structure, default values, printer columns, rules that do not compile, and what these may cost, one by one and together. A key that the
// server does not know is refused as kubectl apply refuses it. Each error names the line of the definition that it is about. What a
// server warns of is logged, and so are bounds with which a rule that costs too much fits (see [crdcheck.Costs]).
func (s *Set) Accepted(t testing.TB) {
	t.Helper()
	for _, d := range s.definitions {
		for _, text := range d.refusals(d.check().Errors()) {
			t.Error(text)
		}
		for _, text := range d.fixes() {
			t.Log(text)
		}
		for _, finding := range d.findings {
			t.Errorf("%s: strict decoding error: %s", d.at(1), finding)
		}
		for _, warning := range crdcheck.Warnings(d.CustomResourceDefinition, nil) {
			t.Logf("%s: warning: %s", d.at(1), warning)
		}
	}
}

// fixes returns a line for each bound with which a rule that costs too much fits.
func (d *definition) fixes() []string {
	dear := func(e *field.Error) bool {
		return e.Type == field.ErrorTypeForbidden && strings.Contains(e.Detail, "cost")
	}
	if !slices.ContainsFunc(d.check().Errors(), dear) {
		return nil
	}
	var all []string
	for _, s := range d.check().Costs().Schemas {
		for _, r := range s.Rules {
			for _, f := range r.Fixes {
				for _, b := range f.Bounds {
					all = append(all, fmt.Sprintf("%s: %s fits with %s: %d at %s (%s)", d.at(1), r.Path, b.Keyword, b.Value, b.Path,
						strings.ReplaceAll(f.Marker, "\n", ", ")))
				}
			}
		}
	}
	return all
}

// AcceptedSince fails the test for each definition of s that some Kubernetes version from the given one on does not take as it is: it refuses
// it, does not know a field, or drops one. Notes of what came later are logged. version is one of [kubeversion.Versions]; another
// one fails the test.
func (s *Set) AcceptedSince(t testing.TB, version string) {
	t.Helper()
	versions := kubeversion.Versions()
	from := slices.Index(versions, version)
	if from < 0 {
		t.Errorf("unknown version %q: must be one of %s", version, strings.Join(versions, ", "))
		return
	}
	for _, d := range s.definitions {
		for _, v := range kubeversion.Range(d.CustomResourceDefinition)[from:] {
			if v.Accepted() {
				continue
			}
			for _, text := range d.refusals(v.Errors) {
				t.Errorf("Kubernetes %s: %s", v.Version, text)
			}
			for _, path := range v.Unknown {
				t.Errorf("Kubernetes %s: %s: unknown field %q", v.Version, d.at(1), path)
			}
			for _, path := range v.Dropped {
				t.Errorf("Kubernetes %s: %s: field %q is dropped", v.Version, d.at(1), path)
			}
			for _, n := range v.Notes {
				if n.Path != "" {
					t.Logf("Kubernetes %s: %s: %s", v.Version, d.at(1), n)
				}
			}
		}
	}
}

// AcceptedUpdate fails the test for each definition of s that a server would not take in the place of the one of that name in old. What
// is new in s is judged as [Set.Accepted] does.
//
// It also asks what becomes of objects, which a server does not. For each version it makes objects that old accepts: a minimal and a full one
// (see [Set.Sample]), and one for each constraint and rule that is new in s, to break just that. It fails the test if s refuses one, since a
// field that is newly required, or a bound that is tighter, breaks the manifests of users, even where objects that are stored may stay. If
// that is meant, name the errors that it causes behind old:
//
//	crds.AcceptedUpdate(t, before, crdtest.Required("spec.owner"), crdtest.Invalid("spec.replicas"))
//
// An object that has only such errors is logged, and a Match that describes no error of any object fails the test. Objects that are
// accepted do not prove that a change is compatible: not all that old accepts was tried. Versions that are gone are logged: whether one may
// go depends on status.storedVersions. It takes as long as Sample, for new constraints and rules alone.
func (s *Set) AcceptedUpdate(t testing.TB, old *Set, meant ...Match) {
	t.Helper()
	seen := make([]bool, len(meant))
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
		refused := 0
		for _, c := range d.consequences(t.Context(), was) {
			if c.expected(t.Context(), meant, seen) {
				t.Log(c.text)
			} else if refused++; refused <= maxRefused {
				t.Error(c.text)
			}
		}
		if refused > maxRefused {
			t.Errorf("%s: %d more objects that the old definition accepts are refused", d.Name(), refused-maxRefused)
		}
	}
	for i, m := range meant {
		if !seen[i] {
			t.Errorf("no object of the old definitions is refused with %s", m)
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
		out = append(out, fmt.Sprintf("%s: %v", d.at(d.lineOf(e)), e))
	}
	return out
}

// at names d, and a line of its document if that was read.
func (d *definition) at(line int) string {
	if d.source.Line == 0 {
		return d.Name()
	}
	return d.source.At(line) + ": " + d.Name()
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

// A consequence is what an update of a definition means for objects.
type consequence struct {
	text    string
	refusal *answer // of a sample of the old definition, or nil
}

// expected reports whether c is no reason to fail a test: each of its errors is meant. It takes a note of the matches that describe one.
func (c consequence) expected(ctx context.Context, meant []Match, seen []bool) bool {
	if c.refusal == nil {
		return true
	}
	by := c.refusal.rulesOf(ctx)
	all := true
	for _, e := range c.refusal.errs {
		if e.RulesSkipped() {
			continue
		}
		found := false
		for i, m := range meant {
			if m.matches(e, by) {
				seen[i], found = true, true
			}
		}
		all = all && found
	}
	return all
}

// Bounds of what is printed.
const (
	maxErrors  = 10 // of an object
	maxRefused = 10 // objects of a definition
)

// consequences returns what becomes of objects of was: one for each version that is gone, and for each object of another that d refuses.
func (d *definition) consequences(ctx context.Context, was *definition) (all []consequence) {
	say := func(version, format string, args ...any) {
		all = append(all, consequence{text: fmt.Sprintf("%s: version %s: ", d.Name(), version) + fmt.Sprintf(format, args...)})
	}
	for _, v := range was.Spec.Versions {
		if _, _, err := d.version(v.Name); err != nil {
			say(v.Name, "%v", err)
			continue
		}
		samples, err := was.samples(ctx, v.Name)
		if err != nil {
			say(v.Name, "there are no samples: %v", err)
			continue
		}
		told := map[string]bool{} // what objects are refused for
		refuse := func(what string, obj map[string]any) {
			a, err := d.judge(ctx, v.Name, obj)
			if err != nil || a.Err() == nil {
				return
			}
			text, fresh := "", false
			for i, e := range a.errs {
				if e.RulesSkipped() {
					continue
				}
				line := errorLine(e)
				fresh, told[line] = fresh || !told[line], true
				switch {
				case i < maxErrors:
					text += "\n    " + line
				case i == maxErrors:
					text += fmt.Sprintf("\n    and %d more", len(a.errs)-i)
				}
			}
			if fresh {
				say(v.Name, "%s is refused:%s", what, text)
				all[len(all)-1].refusal = a
			}
		}
		refuse("the minimal sample of the old definition", samples.Minimal)
		if samples.Full != nil {
			refuse("the full sample of the old definition", samples.Full)
		}
		for _, obj := range d.witnesses(ctx, was, samples) {
			refuse("an object that the old definition accepts", obj)
		}
		if len(told) == 0 {
			say(v.Name, "the samples of the old definition are accepted")
		}
	}
	return all
}

// witnesses returns objects of the version of samples that was accepts, each of which breaks a constraint or a rule that is new in d.
func (d *definition) witnesses(ctx context.Context, was *definition, samples *maker) (objects []map[string]any) {
	m, err := d.samples(ctx, samples.ver.name)
	if err != nil {
		return nil
	}
	v, _, err := was.version(samples.ver.name)
	if err != nil {
		return nil
	}
	known := map[string]bool{}
	for _, c := range samples.all {
		known[constraintRow(c).name()] = true
	}
	for _, r := range samples.ver.rules() {
		known[ruleRow(r).name()] = true
	}
	try := func(row Row, breaks func() (sample.Broken, error)) {
		if known[row.name()] {
			return
		}
		b, err := breaks()
		if err != nil || b.Old != nil { // a rule about updates refuses no object as such
			return
		}
		obj := b.Object // without was: no real object has that
		if s := v.Schema(); s != nil {
			obj = prune.Prune(s, obj)
		}
		if a, err := was.judge(ctx, samples.ver.name, obj); err == nil && a.Err() == nil {
			objects = append(objects, obj)
		}
	}
	for _, c := range m.all {
		try(constraintRow(c), func() (sample.Broken, error) { return m.from.Break(ctx, c) })
	}
	for _, r := range m.ver.rules() {
		try(ruleRow(r), func() (sample.Broken, error) { return m.from.BreakRule(ctx, r) })
	}
	return objects
}
