package crdtest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/manifest"
	"github.com/crdkit/crdkit/internal/origin"
	"github.com/crdkit/crdkit/internal/tool/explain"
	"github.com/crdkit/crdkit/internal/tool/yamltext"
	"github.com/crdkit/crdkit/kubeversion"
	"github.com/crdkit/crdkit/prune"
)

// Accepted fails the test for each definition of s that a server would not accept as a new one: because of its names,
// its schemas and their structure, default values, printer columns, rules that do not compile, or the cost of rules,
// one by one and together. A key that the server does not know is refused, as kubectl apply does. Each error names the
// line of the definition that it is about. Server warnings are logged, and so are, for rules that are too
// expensive, bounds that bring them under the limit, and hints (see [crdcheck.Costs]).
func (s *Set) Accepted(t testing.TB) {
	t.Helper()
	for _, d := range s.definitions {
		d.requireServed(t)
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

// requireServed fails the test if no server accepts definitions of that version any longer.
func (d *definition) requireServed(t testing.TB) {
	t.Helper()
	if message, hint := manifest.Removed(d.CustomResourceDefinition); message != "" {
		t.Errorf("%s: %s: %s", d.at(1), message, hint)
	}
}

// fixes returns a line for each set of bounds that would bring a too expensive rule under the limit, for each hint
// about such a rule, and for the bounds that bring all rules together under it.
func (d *definition) fixes() []string {
	tooExpensive := func(e *field.Error) bool {
		return e.Type == field.ErrorTypeForbidden && e.Cause().Keyword == origin.Validations
	}
	if !slices.ContainsFunc(d.check().Errors(), tooExpensive) {
		return nil
	}
	var all []string
	say := func(format string, args ...any) { all = append(all, d.at(1)+": "+fmt.Sprintf(format, args...)) }
	markers := func(f *crdcheck.Fix) string { return strings.ReplaceAll(f.Marker, "\n", ", ") }
	for _, s := range d.check().Costs().Schemas {
		alone := false // a fix of one rule is enough
		for _, r := range s.Rules {
			for _, f := range r.Fixes {
				say("%s fits with %s (%s)", r.Path, &f, markers(&f))
				alone = alone || s.Fix != nil && slices.Equal(f.Bounds, s.Fix.Bounds)
			}
			for _, h := range r.Hints {
				say("%s: hint: %s: %s", r.Path, h.Name, h.Text)
			}
		}
		if s.Fix != nil && !alone {
			say("all rules of %s fit with %s (%s)", s.Path, s.Fix, markers(s.Fix))
		}
	}
	return all
}

// AcceptedSince fails the test for each definition of s that some Kubernetes version, from the given one on, does not
// accept unchanged: it refuses the definition, does not know a field, or drops one. Notes about later features are
// logged. version is one of [kubeversion.Versions]; any other value fails the test.
func (s *Set) AcceptedSince(t testing.TB, version string) {
	t.Helper()
	versions := kubeversion.Versions()
	from := slices.Index(versions, version)
	if from < 0 {
		t.Errorf("unknown version %q: must be one of %s", version, strings.Join(versions, ", "))
		return
	}
	for _, d := range s.definitions {
		d.requireServed(t)
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

// AcceptedUpdate fails the test for each definition of s that a server would not accept as an update of the definition
// with that name in old. Definitions that are new in s are checked as by [Set.Accepted]. One of old that has no status,
// as in a file, counts as established and as stored in its storage version. Either may be from a cluster: a
// resourceVersion and other metadata that only a server sets need not be in both.
//
// It also checks what happens to objects, which a server does not do. For each version it makes objects that old
// accepts: a minimal and a full one (see [Set.Sample]), and one for each constraint and rule that is new in s, which
// violates only that. It fails the test if s refuses one, because a newly required field or a tighter bound breaks the
// manifests of users, even if stored objects are ratcheted. If the change is intended, pass the errors that it causes
// after old:
//
//	crds.AcceptedUpdate(t, before, crdtest.Required("spec.owner"), crdtest.Invalid("spec.replicas"))
//
// An object that has only such errors is logged, and a Match that describes no error of any object fails the test.
// Accepted objects do not prove that a change is compatible: they are not all objects that old accepts.
// [Set.Compatible] does what AcceptedUpdate does not: it compares the schemas, and finds values that are lost or stored
// otherwise, and updates that are refused. Removed versions are logged: whether a version may be removed depends on
// status.storedVersions. It takes as long as Sample, for new constraints and rules alone.
func (s *Set) AcceptedUpdate(t testing.TB, old *Set, meant ...Match) {
	t.Helper()
	seen := make([]bool, len(meant))
	for _, d := range s.definitions {
		d.requireServed(t)
		was := old.named(d.Name())
		if was == nil {
			for _, text := range d.refusals(d.check().Errors()) {
				t.Error(text)
			}
			continue
		}
		for _, text := range d.refusals(crdcheck.ValidateUpdate(manifest.ReplaceDefinition(d.CustomResourceDefinition, was.CustomResourceDefinition))) {
			t.Error(text)
		}
		refused := 0
		for _, c := range d.consequences(t.Context(), was) {
			if c.expected(meant, seen) {
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

// refusals returns errors with their lines in the document, or the nearest ones.
func (d *definition) refusals(errs field.List) []string {
	if len(errs) == 0 {
		return nil
	}
	doc := d.document()
	var out []string
	for _, e := range errs {
		at := doc.Nearest(explain.DocumentPath(d.CustomResourceDefinition, e.Path.Segments()))
		out = append(out, fmt.Sprintf("%s: %v", d.at(at.Line), e))
	}
	return out
}

// document returns the positions in the document of d, or nil.
func (d *definition) document() *yamltext.Document {
	parts := yamltext.Split([]byte(d.source.Text))
	if len(parts) == 0 {
		return nil
	}
	doc, _ := yamltext.Locate(parts[0])
	return doc
}

// line returns the line of a field in the document of d, or the nearest one.
func (d *definition) line(keys ...string) int {
	var path []field.Segment
	for _, key := range keys {
		path = append(path, field.Segment{Key: key})
	}
	return d.document().Nearest(path).Line
}

// at returns the source of d, with a line of its document if it was read from one.
func (d *definition) at(line int) string {
	if d.source.Line == 0 {
		return d.Name()
	}
	return d.source.At(line) + ": " + d.Name()
}

// A consequence is the effect of a definition's update on objects.
type consequence struct {
	text    string
	refusal *answer // of a sample of the old definition, or nil
}

// expected reports whether c does not fail the test, because all its errors are in meant. It marks the matches that
// describe one in seen.
func (c consequence) expected(meant []Match, seen []bool) bool {
	if c.refusal == nil {
		return true
	}
	all := true
	for _, e := range c.refusal.errs {
		if e.RulesSkipped() {
			continue
		}
		found := false
		for i, m := range meant {
			if m.matches(e, c.refusal.ruleOf) {
				seen[i], found = true, true
			}
		}
		all = all && found
	}
	return all
}

// Limits on the output.
const (
	maxErrors  = 10 // per object
	maxRefused = 10 // per definition
)

// consequences returns the effects on objects of was: one for each removed version, and one for each object of the
// others that d refuses.
func (d *definition) consequences(ctx context.Context, was *definition) (all []consequence) {
	say := func(version, format string, args ...any) {
		all = append(all, consequence{text: fmt.Sprintf("%s: version %s: ", d.Name(), version) + fmt.Sprintf(format, args...)})
	}
	work := 0 // that of all versions together is bounded
	for _, v := range was.Spec.Versions {
		if _, _, err := d.version(v.Name); err != nil {
			say(v.Name, "%v", err)
			continue
		}
		samples, err := was.maker(v.Name)
		judge, bad := d.maker(v.Name)
		if err = cmp.Or(err, bad); err != nil {
			say(v.Name, "there are no samples: %v", err)
			continue
		}
		if samples.from.Continue(work); samples.from.Exhausted() {
			say(v.Name, "it was not looked at: the versions before took too long")
			continue
		}
		err = samples.make(ctx)
		work = samples.from.Work()
		if err != nil {
			say(v.Name, "there are no samples: %v", err)
			continue
		}
		judge.from.Continue(work)
		told := map[string]bool{} // the errors for which objects are refused
		refuse := func(what string, obj map[string]any) {
			a := judge.validate(ctx, obj)
			if a.Err() == nil {
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
		objects, left := judge.witnesses(ctx, was, samples)
		for _, obj := range objects {
			refuse("an object that the old definition accepts", obj)
		}
		work = judge.from.Work()
		if left > 0 {
			say(v.Name, "%d new constraints and rules were not looked at", left)
		}
		if len(told) == 0 {
			say(v.Name, "the samples of the old definition are accepted")
		}
	}
	return all
}

// witnesses returns objects, in the version of m and samples, that was accepts and that violate a constraint or a rule
// that is new in the definition of m. left is the number of those for which there was no time to look for one.
func (m *maker) witnesses(ctx context.Context, was *definition, samples *maker) (objects []map[string]any, left int) {
	v, _, err := was.version(samples.ver.name)
	if err != nil {
		return nil, 0
	}
	if _, err := m.from.Minimal(ctx); err != nil {
		return nil, 0
	}
	known := map[string]bool{}
	for _, b := range samples.breakables() {
		known[b.row.name()] = true
	}
	for _, b := range m.breakables() {
		if known[b.row.name()] {
			continue
		}
		if m.from.Exhausted() {
			left++
			continue
		}
		broken, err := b.broken(ctx)
		if err != nil || broken.Old != nil { // a rule about updates does not refuse an object as such
			continue
		}
		obj := broken.Object // remove what was does not know: no real object has that
		if s := v.Schema(); s != nil {
			obj = prune.Prune(s, obj)
		}
		if samples.validate(ctx, obj).Err() == nil {
			objects = append(objects, obj)
		}
	}
	return objects, left
}
