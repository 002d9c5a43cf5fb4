package cli

import (
	"flag"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/audit"
	"github.com/crdkit/crdkit/cmd/crdkit/internal/output"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/origin"
	"github.com/crdkit/crdkit/internal/tool/explain"
	"github.com/crdkit/crdkit/internal/tool/finding"
	"github.com/crdkit/crdkit/kubeversion"
)

var upgradeCommand = command{
	name:  "upgrade",
	args:  "-from VERSION -to VERSION [-objects DUMP]... NAME...",
	short: "what another version of Kubernetes does otherwise with definitions and objects",
	long: `What the new version refuses or drops, and the old one does not, is an error; what it does to objects that the old
one does not do is a warning. Of a version that is not released, the answers are those of a prerelease.
With -objects, stored objects are asked about, too: what is refused, stored otherwise or warned about.
` + dumpHelp,
	setup: func(e *env, flags *flag.FlagSet) func([]string) error {
		var o upgradeOptions
		known := knownVersions()
		enumFlag(flags, &o.from, "from", "the `VERSION` that the cluster has, such as 1.35", known...)
		enumFlag(flags, &o.to, "to", "the `VERSION` that it will have, such as 1.38", known...)
		listFlag(flags, &o.objects, "objects", "the objects of the cluster: `DUMP` is as for audit; may be repeated")
		flags.StringVar(&o.audit.converter, "convert-exec", "", "the `PROGRAM` that converts objects, as for audit")
		flags.IntVar(&o.audit.examples, "examples", 3, "how many names of objects a finding has")
		e.inputFlags(flags)
		e.outputFlag(flags)
		return func(args []string) error { return e.upgrade(&o, args) }
	},
}

type upgradeOptions struct {
	from, to string
	objects  []string
	audit    auditOptions // of the objects
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
	// Objects is what the audit of the objects found, if there are any.
	Objects *auditDetails `json:"objects,omitempty"`
}

func (e *env) upgrade(o *upgradeOptions, args []string) error {
	if o.from == "" || o.to == "" {
		return usageError("which versions? Give -from and -to")
	}
	for _, version := range []string{o.from, o.to} {
		if err := checkKubernetes("objects", version); err != nil && len(o.objects) > 0 {
			return err
		}
	}
	definitions, err := e.readDefinitions("upgrade", args)
	if err != nil {
		return err
	}
	details := make([]upgradeDetails, len(definitions))
	results := make([]*result, len(definitions))
	parallel(len(definitions), func(i int) { results[i], details[i] = definitions[i].upgrade(o.from, o.to) })
	for _, r := range results {
		e.addFindings(r)
	}
	setDetails(e, details, (*upgradeDetails).text)
	if len(o.objects) > 0 {
		return e.upgradeObjects(o, definitions, details)
	}
	return nil
}

// upgradeObjects audits objects, and adds what it finds to the details of their definitions.
func (e *env) upgradeObjects(o *upgradeOptions, definitions []*definition, details []upgradeDetails) error {
	e.report.Finish() // to count the definitions that are refused
	refused := e.report.Summary.Refused
	files := e.report.Summary.Files
	o.audit.kubernetes, o.audit.oldKubernetes = o.to, o.from
	audits := o.audit.compile(e, e.distinct(definitions), nil)
	if !e.auditDumps(audits, o.objects) && e.report.Summary.Unreadable == 0 && !e.allowEmpty {
		return errEmpty
	}
	e.report.Summary.Files = files // without dumps
	of := map[*definition]*upgradeDetails{}
	for i, d := range definitions {
		of[d] = &details[i]
	}
	for _, a := range audits {
		d := of[a.d]
		a.server = d.server()
		found := a.details()
		d.Objects = &found
		refused += int(a.report.New)
		e.addAudit(a)
		d.Differs = d.Differs || slices.ContainsFunc(a.report.Findings, func(g audit.Group) bool { return g.Before < g.Objects })
	}
	e.report.SetRefused(refused)
	return nil
}

// server returns the name of the newer version.
func (u *upgradeDetails) server() string {
	name := "Kubernetes " + u.To
	if u.Prerelease != "" {
		name += " (as of " + u.Prerelease + ")"
	}
	return name
}

// upgrade returns what one version of Kubernetes says about d and another one does not.
func (d *definition) upgrade(from, to string) (*result, upgradeDetails) {
	all := newResult(d.document)
	details := upgradeDetails{Definition: d.crd.Name(), From: from, To: to}
	if d.refuseRemoved(all) {
		return all, details
	}
	before, after, err := kubeversion.Compare(d.crd, from, to)
	if err != nil {
		return all, details // Invariant: they are of knownVersions
	}
	details.Prerelease = after.Prerelease
	name := details.server()
	seen := map[string]bool{}
	for _, e := range after.Errors {
		ofAll := e.Cause().Keyword == origin.Validations && e.Cause().Rule < 0 // of all rules together, which are said already
		if slices.ContainsFunc(before.Errors, func(o *field.Error) bool { return o.Field == e.Field }) ||
			seen[e.Field] || ofAll && len(seen) > 0 {
			continue
		}
		seen[e.Field] = true
		_, hints := explain.NewerHints(before.Checked(), e)
		all.Error(e, explain.DocumentPath(d.crd, e.Path.Segments()), hints...)
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
	warned := before.Warnings()
	for _, w := range after.Warnings() {
		path := w.Path.String()
		if slices.ContainsFunc(warned, func(o crdcheck.Warning) bool { return o.Text == w.Text && o.Path.String() == path }) {
			continue
		}
		p := field.PathOf(explain.DocumentPath(d.crd, w.Path.Segments())...)
		f := finding.Finding{Severity: finding.Warning, Code: finding.Warned, Message: name + " warns about " + p.String() + ": " + w.Text, Path: p.String()}
		f.Pointer = (&field.Error{Path: p}).Pointer()
		all.Add(f, all.Nearest(p.Segments()))
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
	if u.Objects != nil {
		u.Objects.text(w)
	}
}
