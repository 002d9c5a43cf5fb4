package cli

import (
	"cmp"
	"flag"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/output"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/manifest"
	"github.com/crdkit/crdkit/internal/tool/explain"
	"github.com/crdkit/crdkit/internal/tool/finding"
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

	verdicts []kubeversion.Verdict
	reasons  []*versionReason // that no finding has
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
		from := slices.IndexFunc(ranges[i], func(v kubeversion.Verdict) bool { return v.Version == oldest })
		verdicts := ranges[i][max(from, 0):]
		details[i] = versionDetails{Definition: d.crd.Name(), verdicts: verdicts}
		removed, _ := manifest.Removed(d.crd)
		for k := range verdicts {
			answer := newAnswer(&verdicts[k])
			if removed != "" {
				answer = versionAnswer{Version: answer.Version, Reasons: []string{removed}}
			}
			details[i].Versions = append(details[i].Versions, answer)
		}
		if r := newResult(d.document); d.refuseRemoved(r) {
			e.addFindings(r)
			continue
		}
		reasons := versionReasons(verdicts)
		if from >= 0 {
			e.addFindings(d.versionFindings(verdicts, reasons))
			reasons = slices.DeleteFunc(reasons, func(r *versionReason) bool { return r.kind != noted })
		}
		details[i].reasons = reasons
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

// A versionReason is what one or several versions of Kubernetes say about a definition.
type versionReason struct {
	kind     reasonKind
	text     string
	errors   []*field.Error // the only one, or, of what is missing, those of the rules that use it
	path     string         // of a field
	versions []int          // indices of verdicts
}

// A reasonKind says what a reason is. Reasons are printed in this order.
type reasonKind int

const (
	missing reasonKind = iota // what a rule uses came with a newer version
	refused                   // another error
	lost                      // a field that is unknown or dropped
	noted                     // the definition is accepted nevertheless
)

// maxPlaces is how many places of what is missing are printed.
const maxPlaces = 3

// versionReasons returns what versions say about a definition, each reason once. An error of a rule that uses what a
// version lacks is not a reason of its own.
func versionReasons(versions []kubeversion.Verdict) []*versionReason {
	reasons := knownReasons{byText: map[[2]string]*versionReason{}}
	placed := map[[2]string]bool{} // by the text of what is missing and the path of the error
	for i := range versions {
		v := &versions[i]
		errors := map[string]*field.Error{} // of rules, by path
		for _, err := range v.Errors {
			errors[explain.InDocument(err.Field)] = err
		}
		explained := map[*field.Error]bool{}
		for _, n := range v.Notes {
			err := errors[n.Path]
			if err == nil {
				reasons.add(i, &versionReason{kind: noted, text: n.String()})
				continue
			}
			explained[err] = true
			r := reasons.add(i, &versionReason{kind: missing, text: n.Text})
			if at := [2]string{n.Text, err.Field}; !placed[at] {
				placed[at] = true
				r.errors = append(r.errors, err)
			}
		}
		for _, err := range v.Errors {
			if !explained[err] {
				reasons.add(i, &versionReason{kind: refused, text: err.Error(), errors: []*field.Error{err}})
			}
		}
		for _, path := range v.Unknown {
			reasons.add(i, &versionReason{kind: lost, text: path + ": unknown field", path: path})
		}
		for _, path := range v.Dropped {
			reasons.add(i, &versionReason{kind: lost, text: path + ": dropped field", path: path})
		}
	}
	slices.SortStableFunc(reasons.all, func(a, b *versionReason) int { return cmp.Compare(a.kind, b.kind) })
	return reasons.all
}

// A knownReasons has reasons by text and path.
type knownReasons struct {
	all    []*versionReason
	byText map[[2]string]*versionReason
}

// add adds a version to a reason, and returns the reason.
//
//go:noinline
func (k *knownReasons) add(version int, r *versionReason) *versionReason {
	key := [2]string{r.text, r.path}
	if known := k.byText[key]; known != nil {
		r = known
	} else {
		k.byText[key] = r
		k.all = append(k.all, r)
	}
	if n := len(r.versions); n == 0 || r.versions[n-1] != version {
		r.versions = append(r.versions, version)
	}
	return r
}

// versionFindings returns the errors of versions of Kubernetes. What a rule misses is one finding.
func (d *definition) versionFindings(versions []kubeversion.Verdict, reasons []*versionReason) *result {
	all := newResult(d.document)
	for _, r := range reasons {
		names := namesOf(versions, r.versions)
		for _, err := range r.errors {
			all.Error(err, explain.DocumentPath(d.crd, err.Path.Segments()))
			f := &all.Findings[len(all.Findings)-1]
			f.Code, f.Message = finding.Version, names+": "+r.text
			if r.kind == missing {
				f.Message += ": " + explain.InDocument(err.Field)
			}
		}
		if r.kind == lost {
			all.Add(finding.Finding{Severity: finding.Error, Code: finding.Version, Message: names + ": " + r.text, Path: r.path}, d.At(r.path))
		}
	}
	return all
}

// namesOf returns the names of versions of Kubernetes in ranges.
func namesOf(versions []kubeversion.Verdict, indices []int) string {
	var ranges []string
	for from := 0; from < len(indices); {
		to := from
		for to+1 < len(indices) && indices[to+1] == indices[to]+1 {
			to++
		}
		name := versions[indices[from]].Version
		if to > from {
			name += " to " + versions[indices[to]].Version
		}
		ranges = append(ranges, name)
		from = to + 1
	}
	return "Kubernetes " + strings.Join(ranges, ", ")
}

// text prints a line for each range of versions with the same verdict, and below them the reasons, those that are
// missing first.
func (v *versionDetails) text(w *output.Writer) {
	w.Printf("%s\n", v.Definition)
	for from := 0; from < len(v.Versions); {
		indices := []int{from}
		accepted := v.Versions[from].Accepted
		for from++; from < len(v.Versions) && v.Versions[from].Accepted == accepted; from++ {
			indices = append(indices, from)
		}
		answer := "accepts it"
		if !accepted {
			answer = "does not accept it unchanged"
		}
		w.Printf("  %s: %s\n", namesOf(v.verdicts, indices), answer)
	}
	const indent = "      "
	for _, r := range v.reasons {
		w.Printf("    %s: %s\n", namesOf(v.verdicts, r.versions), output.Block{Indent: indent, Text: r.text})
		if r.kind != missing {
			continue
		}
		n := min(len(r.errors), maxPlaces)
		for _, err := range r.errors[:n] {
			w.Printf(indent+"%s\n", explain.InDocument(err.Field))
		}
		if more := len(r.errors) - n; more > 0 {
			w.Printf(indent+"and at %d more\n", more)
		}
	}
}
