package cli

import (
	"flag"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/output"
	"github.com/crdkit/crdkit/internal/finding"
	"github.com/crdkit/crdkit/internal/hint"
	"github.com/crdkit/crdkit/internal/prepare"
	"github.com/crdkit/crdkit/kubeversion"
)

var versionsCommand = command{
	name:  "versions",
	args:  "[-min VERSION] NAME...",
	short: "which versions of Kubernetes take definitions, and why others do not",
	long:  "With -min, what that version and newer ones say against a definition is an error.",
	setup: func(e *env, flags *flag.FlagSet) func([]string) error {
		var oldest string
		enumFlag(flags, &oldest, "min", "the oldest `VERSION` that has to take the definitions, such as 1.30", kubeversion.Versions()...)
		e.inputFlags(flags)
		e.outputFlag(flags)
		return func(args []string) error { return e.versions(args, oldest) }
	},
}

// versionDetails are the details of the report for one definition.
type versionDetails struct {
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
	definitions, err := e.readDefinitions("versions", args)
	if err != nil {
		return err
	}
	details := make([]versionDetails, len(definitions))
	ranges := make([][]kubeversion.Verdict, len(definitions))
	parallel(len(definitions), func(i int) { ranges[i] = kubeversion.Range(definitions[i].crd) })
	for i, d := range definitions {
		details[i].Definition = d.crd.Name()
		from := slices.IndexFunc(ranges[i], func(v kubeversion.Verdict) bool { return v.Version == oldest })
		ranges[i] = ranges[i][max(from, 0):]
		removed, _ := prepare.Removed(d.crd)
		for k := range ranges[i] {
			answer := newAnswer(&ranges[i][k])
			if removed != "" {
				answer = versionAnswer{Version: answer.Version, Reasons: []string{removed}}
			}
			details[i].Versions = append(details[i].Versions, answer)
		}
		if r := newResult(d.document); d.refuseRemoved(r) {
			e.addFindings(r)
			continue
		}
		if from >= 0 {
			e.addFindings(d.versionFindings(ranges[i]))
		}
	}
	setDetails(e, details, (*versionDetails).text)
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

// versionFindings returns the errors of versions of Kubernetes. An error that several versions have is one finding.
func (d *definition) versionFindings(versions []kubeversion.Verdict) *result {
	all := newResult(d.document)
	names := map[string][]string{} // the versions with an error, by its message
	for k := range versions {
		v := &versions[k]
		one := newResult(d.document)
		for _, err := range v.Errors {
			one.Error(err, hint.DocumentPath(d.crd, err.Path.Segments()))
		}
		lost := func(paths []string, what string) {
			for _, text := range paths {
				one.Add(finding.Finding{Severity: finding.Error, Message: text + ": " + what, Path: text}, d.At(text))
			}
		}
		lost(v.Unknown, "unknown field")
		lost(v.Dropped, "dropped field")
		for _, f := range one.Findings {
			if names[f.Message] == nil {
				all.Findings = append(all.Findings, f)
			}
			if known := names[f.Message]; len(known) == 0 || known[len(known)-1] != v.Version {
				names[f.Message] = append(known, v.Version)
			}
		}
	}
	for i := range all.Findings {
		f := &all.Findings[i]
		f.Code = finding.Version
		f.Message = "Kubernetes " + strings.Join(names[f.Message], ", ") + ": " + f.Message
	}
	return all
}

// text prints a line for each range of versions with the same answer.
func (v *versionDetails) text(w *output.Writer) {
	w.Printf("%s\n", v.Definition)
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
		w.Printf("  Kubernetes %s: %s\n", name, answer)
		for _, text := range append(slices.Clip(first.Reasons), first.Notes...) {
			w.Printf("    %s\n", output.Block{Indent: "    ", Text: text})
		}
		from = to + 1
	}
}

func (a *versionAnswer) equal(b *versionAnswer) bool {
	return a.Accepted == b.Accepted && slices.Equal(a.Reasons, b.Reasons) && slices.Equal(a.Notes, b.Notes)
}
