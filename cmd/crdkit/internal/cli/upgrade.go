package cli

import (
	"flag"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/output"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/finding"
	"github.com/crdkit/crdkit/internal/hint"
	"github.com/crdkit/crdkit/internal/origin"
	"github.com/crdkit/crdkit/kubeversion"
)

var upgradeCommand = command{
	name:  "upgrade",
	args:  "-from VERSION -to VERSION NAME...",
	short: "what another version of Kubernetes does otherwise with definitions",
	long: `What the new version refuses or drops, and the old one does not, is an error; what it does to objects that the old
one does not do is a warning. Of a version that is not released, the answers are those of a prerelease.`,
	setup: func(e *env, flags *flag.FlagSet) func([]string) error {
		var from, to string
		known := knownVersions()
		enumFlag(flags, &from, "from", "the `VERSION` that the cluster has, such as 1.35", known...)
		enumFlag(flags, &to, "to", "the `VERSION` that it will have, such as 1.38", known...)
		e.inputFlags(flags)
		e.outputFlag(flags)
		return func(args []string) error { return e.upgrade(args, from, to) }
	},
}

// knownVersions returns the versions of kubeversion, with the next one.
func knownVersions() []string {
	known := kubeversion.Versions()
	if next := kubeversion.Next(); next != "" {
		known = append(known, next)
	}
	return known
}

// upgradeDetails are the details of the report for one definition.
type upgradeDetails struct {
	Definition string `json:"definition"`
	From       string `json:"from"`
	To         string `json:"to"`
	Prerelease string `json:"prerelease,omitempty"` // that the answers for To are from
	Differs    bool   `json:"differs"`
}

func (e *env) upgrade(args []string, from, to string) error {
	if from == "" || to == "" {
		return usageError("which versions? Give -from and -to")
	}
	definitions, err := e.readDefinitions("upgrade", args)
	if err != nil {
		return err
	}
	details := make([]upgradeDetails, len(definitions))
	results := make([]*result, len(definitions))
	parallel(len(definitions), func(i int) { results[i], details[i] = definitions[i].upgrade(from, to) })
	for _, r := range results {
		e.addFindings(r)
	}
	setDetails(e, details, (*upgradeDetails).text)
	return nil
}

// upgrade returns what one version of Kubernetes says about d and another one does not.
func (d *definition) upgrade(from, to string) (*result, upgradeDetails) {
	all := newResult(d.document)
	details := upgradeDetails{Definition: d.crd.Name(), From: from, To: to}
	if d.refuseRemoved(all) {
		return all, details
	}
	before, err := kubeversion.Check(d.crd, from)
	if err != nil {
		return all, details // one of knownVersions
	}
	after, err := kubeversion.Check(d.crd, to)
	if err != nil {
		return all, details
	}
	details.Prerelease = after.Prerelease
	name := "Kubernetes " + to
	if after.Prerelease != "" {
		name += " (as of " + after.Prerelease + ")"
	}
	checked := crdcheck.Compile(d.crd)
	seen := map[string]bool{}
	for _, e := range after.Errors {
		ofAll := e.Cause().Keyword == origin.Validations && e.Cause().Rule < 0 // of all rules together, which are said already
		if slices.ContainsFunc(before.Errors, func(o *field.Error) bool { return o.Type == e.Type && o.Field == e.Field }) ||
			seen[e.Field] || ofAll && len(seen) > 0 {
			continue
		}
		seen[e.Field] = true
		_, hints := hint.Newer(checked, e)
		all.Error(e, hint.DocumentPath(d.crd, e.Path.Segments()), hints...)
		f := &all.Findings[len(all.Findings)-1]
		f.Code, f.Message = finding.Version, name+" refuses it: "+e.Error()
	}
	lost := func(paths, known []string, how string) {
		for _, path := range paths {
			if !slices.Contains(known, path) {
				all.Add(finding.Finding{Severity: finding.Error, Code: finding.Version, Message: name + ": " + path + how, Path: path}, d.At(path))
			}
		}
	}
	lost(after.Unknown, before.Unknown, ": unknown field")
	lost(after.Dropped, before.Dropped, ": dropped field")
	for _, n := range after.Notes {
		if slices.Contains(before.Notes, n) {
			continue
		}
		all.Add(finding.Finding{Severity: finding.Warning, Code: finding.Version, Message: name + ": " + n.String(), Path: n.Path}, d.At(n.Path))
	}
	details.Differs = len(all.Findings) > 0
	return all, details
}

// text prints a line.
func (u *upgradeDetails) text(w *output.Writer) {
	answer := "the same"
	if u.Differs {
		answer = "not the same"
	}
	to := u.To
	if u.Prerelease != "" {
		to += " (" + u.Prerelease + ")"
	}
	w.Printf("%s: %s\n", u.Definition, strings.Join([]string{answer, "for", u.From, "and", to}, " "))
}
