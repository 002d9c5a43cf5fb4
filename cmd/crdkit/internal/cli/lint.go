package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/crdlint"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/tool/explain"
	"github.com/crdkit/crdkit/internal/tool/finding"
	"github.com/crdkit/crdkit/internal/tool/yamltext"
)

// A linting says how definitions are linted.
type linting struct {
	level   string // on, off or error; empty: on
	ignored []string
	also    []string
	groups  map[string][]*crd.CustomResourceDefinition
	some    []*crd.CustomResourceDefinition // of all groups
}

func (l *linting) flags(flags *flag.FlagSet) {
	flags.Func("lint", "`LEVEL` of the lints: on (the default), off, or error, which makes their warnings errors", func(level string) error {
		if level != "on" && level != "off" && level != "error" {
			return errors.New("must be on, off or error")
		}
		l.level = level
		return nil
	})
	flags.Func("lint-ignore", "`NAME` of a lint to leave out; may be repeated", addLints(&l.ignored))
	flags.Func("lint-also", "`NAME` of a lint that is off by default; may be repeated", addLints(&l.also))
}

// addLints returns a function that adds names of lints to a list.
func addLints(list *[]string) func(string) error {
	return func(value string) error {
		for name := range strings.SplitSeq(value, ",") {
			if names := lintNames(); !slices.Contains(names, name) {
				return fmt.Errorf("no lint has the name %s%s", name, explain.Suggestion(name, names))
			}
			*list = append(*list, name)
		}
		return nil
	}
}

func lintNames() (names []string) {
	for _, l := range crdlint.Lints() {
		names = append(names, l.Name)
	}
	return names
}

// The largest numbers of definitions whose names are compared: of the same group, and of all groups.
const (
	maxCompared = 1000
	maxSome     = 300
)

// setOthers sets the definitions whose names are compared with each other.
func (l *linting) setOthers(definitions []*definition) {
	l.groups, l.some = map[string][]*crd.CustomResourceDefinition{}, nil
	for _, d := range definitions {
		if len(l.some) < maxSome {
			l.some = append(l.some, d.crd)
		}
		if group := d.crd.Spec.Group; len(l.groups[group]) < maxCompared {
			l.groups[group] = append(l.groups[group], d.crd)
		}
	}
}

// add adds the findings about a definition to the result of its check.
func (l *linting) add(r *result, checked *crdcheck.Checked) {
	if l == nil || l.level == "off" {
		return
	}
	opts := &crdlint.Options{
		Ignore: slices.Concat(l.ignored, ignoredIn(r.Part)), Also: l.also,
		Others: slices.Concat(l.groups[checked.Definition().Spec.Group], l.some),
	}
	for _, f := range crdlint.Find(context.Background(), checked, opts) {
		added := finding.Finding{
			Severity: finding.Severity(f.Severity), Code: finding.Code(f.Lint), Message: f.Message + " (" + f.Lint + ")",
			Hints: []string{f.Fix}, Path: f.Path,
		}
		if l.level == "error" && f.Severity == crdlint.Warning {
			added.Severity = finding.Error
		}
		if f.Witness != nil {
			added.Example = strings.TrimSuffix(f.Witness.String(), "\n")
		}
		var at yamltext.Position
		if path, ok := r.Path(f.Path); ok && f.Path != "" {
			added.Pointer = (&field.Error{Path: field.PathOf(path...)}).Pointer()
			at = r.Nearest(path)
		}
		warned := func(w finding.Finding) bool { return w.Code == finding.Warned && w.Pointer == added.Pointer }
		if i := slices.IndexFunc(r.Findings, warned); i >= 0 && added.Pointer != "" && f.Severity == crdlint.Note {
			r.Findings[i].Hints = append(r.Findings[i].Hints, f.Fix) // the server says what is wrong
			continue
		}
		r.Add(added, at)
	}
}

var ignoreComment = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*crdkit:lint-ignore[ \t]+([-a-z, \t]+?)[ \t\r]*$`)

// ignoredIn returns the names of lints in comments of a document: # crdkit:lint-ignore size, yaml-key.
func ignoredIn(part yamltext.Part) (names []string) {
	if part.JSON {
		return nil
	}
	for _, m := range ignoreComment.FindAllSubmatch(part.Text, -1) {
		names = append(names, strings.FieldsFunc(string(m[1]), func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })...)
	}
	return names
}
