package crdtest

import (
	"slices"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/internal/tool/yamltext"
)

// Compatible fails the test for each finding of package compat that breaks objects or loses data, if the definitions of
// s replace those of the same names in old. The failure has the object that proves it as YAML. Other findings (changes,
// loosened constraints, unknown effects) are logged. If a finding is intended, pass its [compat.Finding.Name], with
// which the failure begins, after old:
//
//	crds.Compatible(t, before, "v1 required spec.owner")
//
// Objects are converted by the converter of s, if it has one (see [New]); otherwise what is not known is logged
// once. [Set.AcceptedUpdate] does what Compatible does not: it checks the definitions of s themselves, new ones
// included, and matches errors of objects. A name without a finding fails the test, and so does a definition of old
// that is missing in s. New definitions are not checked.
func (s *Set) Compatible(t testing.TB, old *Set, accepted ...string) {
	t.Helper()
	seen := map[string]bool{}
	for _, was := range old.definitions {
		d := s.named(was.Name())
		if d == nil {
			t.Errorf("%s is gone", was.Name())
			continue
		}
		r, err := compat.Compare(t.Context(), was.CustomResourceDefinition, d.CustomResourceDefinition, &compat.Options{Converter: d.converter})
		if err != nil {
			t.Errorf("%s: %v", d.at(1), err)
			continue
		}
		if r.Unconverted {
			s.notes.addUnconverted(d)
		}
		for i := range r.Findings {
			f := &r.Findings[i]
			text := findingText(f)
			breaks := f.Verdict == compat.Breaks || f.Verdict == compat.LosesData
			if breaks && slices.Contains(accepted, f.Name()) {
				seen[f.Name()] = true
				breaks = false
			}
			if breaks {
				t.Errorf("%s: %s", d.at(1), text)
			} else {
				t.Logf("%s: %s", d.at(1), text)
			}
		}
	}
	s.notes.logUnconverted(t)
	for _, name := range accepted {
		if !seen[name] {
			t.Errorf("no finding has the name %q", name)
		}
	}
}

// findingText returns a finding with the objects that show it, as YAML documents.
func findingText(f *compat.Finding) string {
	var b strings.Builder
	b.WriteString(f.Name() + ": " + string(f.Verdict) + ": " + f.Detail)
	if f.Before != "" || f.After != "" {
		b.WriteString(" Before: " + f.Before + ". Now: " + f.After + ".")
	}
	b.WriteString("\n")
	if w := f.Witness; w != nil {
		if w.Stored != nil {
			b.WriteString("---\n# stored\n" + yamltext.Encode(w.Stored))
		}
		b.WriteString("---\n# " + f.Request + "\n" + yamltext.Encode(w.Object))
	}
	return b.String()
}
