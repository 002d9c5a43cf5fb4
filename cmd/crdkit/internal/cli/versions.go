package cli

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/report"
	"github.com/crdkit/crdkit/internal/hint"
	"github.com/crdkit/crdkit/kubeversion"
	"github.com/crdkit/crdkit/position"
)

var versionsCommand = command{
	name:  "versions",
	args:  "[-min VERSION] NAME...",
	short: "which versions of Kubernetes take definitions, and why others do not",
	long:  "With -min, what that version and newer ones say against a definition is an error.",
	setup: func(e *env, flags *flag.FlagSet) func([]string) error {
		var oldest string
		choice(flags, &oldest, "min", "the oldest `VERSION` that has to take the definitions, such as 1.30", kubeversion.Versions()...)
		e.inputFlags(flags)
		e.outputFlag(flags)
		return func(args []string) error { return e.versions(args, oldest) }
	},
}

// versionsOf is what the versions of Kubernetes say of a definition.
type versionsOf struct {
	Definition string          `json:"definition"`
	Versions   []versionAnswer `json:"versions"`
}

type versionAnswer struct {
	Version  string   `json:"version"`
	Accepted bool     `json:"accepted"`
	Reasons  []string `json:"reasons,omitempty"`
	Notes    []string `json:"notes,omitempty"`
}

func (e *env) versions(args []string, oldest string) error {
	definitions, err := e.named("versions", args)
	if err != nil {
		return err
	}
	all := make([]versionsOf, len(definitions))
	ranges := make([][]kubeversion.Verdict, len(definitions))
	parallel(len(definitions), func(i int) { ranges[i] = kubeversion.Range(definitions[i].crd) })
	for i, d := range definitions {
		all[i].Definition = d.crd.Name()
		for k := range ranges[i] {
			all[i].Versions = append(all[i].Versions, newAnswer(&ranges[i][k]))
		}
		from := slices.IndexFunc(ranges[i], func(v kubeversion.Verdict) bool { return v.Version == oldest })
		if from >= 0 {
			e.judged(d.versionFindings(ranges[i][from:]))
		}
	}
	e.report.Details = all
	e.report.Text = func(w io.Writer) {
		for _, v := range all {
			v.text(w)
		}
	}
	return nil
}

func newAnswer(v *kubeversion.Verdict) versionAnswer {
	a := versionAnswer{Version: v.Version, Accepted: v.Accepted()}
	for _, err := range v.Errors {
		a.Reasons = append(a.Reasons, err.Error())
	}
	for _, path := range v.Unknown {
		a.Reasons = append(a.Reasons, path+": unknown field")
	}
	for _, path := range v.Dropped {
		a.Reasons = append(a.Reasons, path+": dropped field")
	}
	for _, n := range v.Notes {
		a.Notes = append(a.Notes, n.String())
	}
	return a
}

// versionFindings has what versions say against a definition. What several of them say is there once.
func (d *definition) versionFindings(versions []kubeversion.Verdict) *verdict {
	all := &verdict{d: d.document}
	names := map[string][]string{} // the versions that say so, by the message
	for k := range versions {
		v := &versions[k]
		one := &verdict{d: d.document}
		for _, err := range v.Errors {
			one.error(err, hint.DocumentPath(d.crd, err.Path.Segments()))
		}
		lost := func(paths []string, what string) {
			for _, text := range paths {
				one.add(report.Finding{Severity: report.Error, Message: text + ": " + what, Path: text}, d.textPlace(text))
			}
		}
		lost(v.Unknown, "unknown field")
		lost(v.Dropped, "dropped field")
		for _, f := range one.findings {
			if names[f.Message] == nil {
				all.findings = append(all.findings, f)
			}
			if said := names[f.Message]; len(said) == 0 || said[len(said)-1] != v.Version {
				names[f.Message] = append(said, v.Version)
			}
		}
	}
	for i := range all.findings {
		f := &all.findings[i]
		f.Code = report.CodeVersion
		f.Message = "Kubernetes " + strings.Join(names[f.Message], ", ") + ": " + f.Message
	}
	return all
}

// textPlace returns the place of the key at a path that is a text.
func (d *definition) textPlace(text string) (at position.Position) {
	if path, ok := d.path(text); ok {
		if at, ok := d.locate().Key(d.whole(path)); ok {
			return at
		}
	}
	return d.begin()
}

// text prints the versions of which each says the same in one line.
func (v *versionsOf) text(w io.Writer) {
	fmt.Fprintf(w, "%s\n", v.Definition)
	for from := 0; from < len(v.Versions); {
		to := from
		for to+1 < len(v.Versions) && v.Versions[to+1].equal(&v.Versions[from]) {
			to++
		}
		first, last := &v.Versions[from], &v.Versions[to]
		name := first.Version
		if from != to {
			name += " to " + last.Version
		}
		answer := "takes it"
		if !first.Accepted {
			answer = "does not take it as it is"
		}
		fmt.Fprintf(w, "  Kubernetes %s: %s\n", name, answer)
		for _, text := range append(slices.Clip(first.Reasons), first.Notes...) {
			fmt.Fprintf(w, "    %s\n", strings.ReplaceAll(text, "\n", "\n    "))
		}
		from = to + 1
	}
}

func (a *versionAnswer) equal(b *versionAnswer) bool {
	return a.Accepted == b.Accepted && slices.Equal(a.Reasons, b.Reasons) && slices.Equal(a.Notes, b.Notes)
}
