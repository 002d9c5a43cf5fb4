package crdtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/crdlint"
	"github.com/crdkit/crdkit/internal/tool/explain"
	"github.com/crdkit/crdkit/internal/tool/yamltext"
)

// Lint fails the test for what a server accepts in the definitions of s and their users regret: see [crdlint]. It fails
// for the warnings; notes are logged. Each text has the line of the definition, the requests that show the problem if
// there are any, and how to change the definition. ignore has the names of lints to leave out, as does the annotation
// [crdlint.IgnoreAnnotation] of a definition. Definitions that a server refuses are left to [Set.Accepted].
func (s *Set) Lint(t testing.TB, ignore ...string) {
	t.Helper()
	var names []string
	for _, l := range crdlint.Lints() {
		names = append(names, l.Name)
	}
	for _, name := range ignore {
		if !slices.Contains(names, name) {
			t.Errorf("no lint has the name %s%s", name, explain.Suggestion(name, names))
		}
	}
	opts := &crdlint.Options{Ignore: ignore}
	for _, d := range s.definitions {
		opts.Others = append(opts.Others, d.CustomResourceDefinition)
	}
	for _, d := range s.definitions {
		for _, f := range crdlint.Find(t.Context(), d.check(), opts) {
			if text := d.regret(&f); f.Severity == crdlint.Warning {
				t.Error(text)
			} else {
				t.Log(text)
			}
		}
	}
}

// regret returns the text of a finding.
func (d *definition) regret(f *crdlint.Finding) string {
	line := 1
	if parts := yamltext.Split([]byte(d.source.Text)); len(parts) > 0 {
		if doc, err := yamltext.Locate(parts[0]); err == nil {
			if path, ok := doc.Path(f.Path); ok {
				line = doc.Nearest(path).Line
			}
		}
	}
	text := fmt.Sprintf("%s: %s", d.at(line), f)
	if f.Witness != nil {
		text += "\n    " + strings.ReplaceAll(strings.TrimSuffix(f.Witness.String(), "\n"), "\n", "\n    ")
	}
	return text
}
