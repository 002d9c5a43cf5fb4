package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/report"
	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/tool/explain"
	"github.com/crdkit/crdkit/internal/tool/finding"
	"github.com/crdkit/crdkit/internal/tool/yamltext"
)

var compatCommand = command{
	name:  "compat",
	args:  "[-objects DUMP]... [-accept FINDING]... OLD NEW | -old-git REF NEW | -versions NAME",
	short: "whether a change of definitions breaks anything, with the object that shows it",
	long: `OLD and NEW are files, directories, patterns, git://REF?path=PATH, or - for standard input. Definitions are
compared by name. What breaks or loses data is an error, other values and open questions are warnings, and
what is accepted now and was refused before is a note. With -versions, the served versions of each definition are
compared with each other: what the conversion None loses.`,
	setup: func(e *env, flags *flag.FlagSet) func([]string) error {
		var o compatOptions
		listFlag(flags, &o.objects, "objects", "objects that people have, which are asked about, too: `DUMP` is as for audit; may be repeated")
		flags.Func("accept", "`FINDING` that is meant, by its name, such as 'v1 required spec.owner'; may be repeated", func(name string) error {
			o.accepted = append(o.accepted, name)
			return nil
		})
		flags.BoolVar(&o.versions, "versions", false, "compare the versions of definitions with each other")
		flags.BoolVar(&o.harmless, "harmless", false, "list what is proved to change nothing, too")
		kubernetesFlag(flags, &o.kubernetes)
		flags.StringVar(&o.ref, "old-git", "", "the commit `REF` has the old definitions, at the name of the new ones, which is the only argument")
		e.inputFlags(flags)
		e.outputFlag(flags)
		return func(args []string) error { return e.compat(&o, args) }
	},
}

type compatOptions struct {
	objects  []string
	accepted []string
	harmless bool
	ref      string
	versions bool

	kubernetes string // the version of the server; empty for the newest release
}

// compatDetails are the details of the report for one definition.
type compatDetails struct {
	Definition string          `json:"definition"`
	Report     json.RawMessage `json:"report"` // of package compat
}

func (e *env) compat(o *compatOptions, args []string) error {
	if err := checkKubernetes("kubernetes", o.kubernetes); err != nil {
		return err
	}
	switch {
	case o.versions && o.ref != "":
		return usageError("-versions and -old-git cannot be used together")
	case o.versions && len(args) != 1:
		return usageError("which definitions? Name files or directories")
	case o.ref != "" && len(args) != 1:
		return usageError("which definitions? With -old-git, name the new ones")
	case o.ref != "":
		args = []string{fmt.Sprintf("git://%s?path=%s", o.ref, args[0]), args[0]}
	case !o.versions && len(args) != 2:
		return usageError("which definitions? Name the old ones and the new ones")
	}
	e.report = report.New("compat")
	var old []*definition
	complete := !o.versions // otherwise nothing is known to be gone
	if complete {
		old, _ = e.splitDefinitions(e.read(args[0]))
		if len(old) == 0 && e.report.Summary.Unreadable+e.report.Summary.Definitions == 0 {
			return fmt.Errorf("no definitions in %s", args[0])
		}
		complete = e.report.Summary.Definitions == 0                // otherwise a definition has been reported
		e.report.Summary.Files, e.report.Summary.Definitions = 0, 0 // only the new files count
		old = e.distinct(old)
	}
	name := args[len(args)-1]
	definitions, err := e.countDefinitions(e.read(name))
	if err != nil {
		return err
	}
	// Otherwise a missing definition may be in what cannot be read.
	complete = complete && e.report.Summary.Unreadable == 0 && e.report.Summary.Definitions == len(definitions)
	definitions = e.distinct(definitions)
	e.report.SetRefused(0)
	objects := e.readObjects(o.objects)

	oldByName := map[string]*definition{}
	for _, d := range old {
		oldByName[d.crd.Name()] = d
	}
	reports := make([]*compat.Report, len(definitions))
	accepted := make([]map[string]bool, len(definitions)) // by name, those of o.accepted that are findings
	var tasks []func() *result
	for i, d := range definitions {
		was := oldByName[d.crd.Name()]
		delete(oldByName, d.crd.Name())
		tasks = append(tasks, func() *result {
			r := newResult(d.document)
			d.refuseRemoved(r)
			switch {
			case o.versions:
				reports[i], accepted[i] = o.compare(r, nil, d, objects)
			case was != nil:
				reports[i], accepted[i] = o.compare(r, was.crd, d, objects)
			case complete:
				r.Say(finding.Note, finding.Added, "there is no old definition of that name")
			}
			return r
		})
	}
	e.runTasks(tasks, nil)
	for _, d := range old {
		if complete && oldByName[d.crd.Name()] == d {
			e.addFinding(d.document, finding.Error, finding.Breaks, "the definition is gone")
		}
	}
	for _, meant := range o.accepted {
		if !slices.ContainsFunc(accepted, func(names map[string]bool) bool { return names[meant] }) {
			e.report.Add(finding.Finding{File: name, Severity: finding.Error, Code: finding.Undefined, Message: fmt.Sprintf("no error has the name %q", meant)})
		}
	}
	details := []compatDetails{}
	for i, d := range definitions {
		if reports[i] != nil {
			details = append(details, compatDetails{d.crd.Name(), reports[i].JSON()})
		}
	}
	e.report.Details = details
	return nil
}

// compatEffort returns the effort of a comparison: the default of package compat, plus a number for each object.
func compatEffort(objects int) int { return 30_000 + 20*objects }

// compatFindings are how findings are reported, by their verdict.
var compatFindings = map[compat.Verdict]finding.Finding{
	compat.Breaks:    {Severity: finding.Error, Code: finding.Breaks},
	compat.LosesData: {Severity: finding.Error, Code: finding.LosesData},
	compat.Changes:   {Severity: finding.Warning, Code: finding.Changes},
	compat.Unknown:   {Severity: finding.Warning, Code: finding.Unproved},
	compat.Loosens:   {Severity: finding.Note, Code: finding.Loosens},
	compat.Harmless:  {Severity: finding.Note, Code: finding.Harmless},
}

// compare adds the findings of package compat to r: those of a change from old, or those of the versions of d if old is
// nil. It returns the report, and the names of accepted findings.
func (o *compatOptions) compare(r *result, old *crd.CustomResourceDefinition, d *definition, objects []map[string]any) (*compat.Report, map[string]bool) {
	options := &compat.Options{Objects: objects, Harmless: o.harmless, Effort: compatEffort(len(objects)), Kubernetes: o.kubernetes}
	var compared *compat.Report
	var err error
	if old == nil {
		compared, err = compat.Versions(context.Background(), d.crd, options)
	} else {
		compared, err = compat.Compare(context.Background(), old, d.crd, options)
	}
	if err != nil {
		r.Say(finding.Error, finding.Refused, err.Error())
		return nil, nil
	}
	accepted := map[string]bool{}
	for i := range compared.Findings {
		f := &compared.Findings[i]
		reported := compatFindings[f.Verdict]
		name := f.Name()
		reported.Message, reported.Path, reported.Example = f.String(), f.Path, witnessText(f)
		// The same change at a field of the same name is mostly that of a type which is used at several places.
		field := f.Path[strings.LastIndexByte(f.Path, '.')+1:]
		reported.Name, reported.Group = name, strings.Join([]string{string(f.Verdict), f.Request, f.Check, field, f.Before, f.After}, "\x00")
		if reported.Severity == finding.Error && slices.Contains(o.accepted, name) {
			accepted[name] = true
			reported.Severity, reported.Hints = finding.Note, []string{"it is accepted"}
		}
		r.Add(reported, d.compatPosition(f))
	}
	if compared.Unconverted {
		r.Add(finding.Finding{
			Severity: finding.Note, Code: finding.Unconverted, Path: "spec.conversion.strategy", Pointer: "/spec/conversion/strategy",
			Message: "what is stored is not compared: the definition has a conversion webhook, which is not called",
		}, d.nearestPosition("spec.conversion.strategy"))
	}
	return compared, accepted
}

// compatKeywords are the schema keywords of checks that are not named after their keyword.
var compatKeywords = map[string]string{
	"rule": "x-kubernetes-validations", "listType": "x-kubernetes-list-type", "mapType": "x-kubernetes-map-type",
	"embeddedResource": "x-kubernetes-embedded-resource", "existingFieldRemoval": "properties",
}

// compatPosition returns the position in the new definition that a finding is about.
func (d *definition) compatPosition(f *compat.Finding) yamltext.Position {
	version := f.Version
	if _, to, ok := strings.Cut(version, " to "); ok {
		version = to
	}
	switch {
	case version == "":
		return d.nearestPosition(explain.InDocument(f.Path))
	case f.Check == "subresource" || f.Check == "selectableField":
		if i := d.versionIndex(version); i >= 0 {
			return d.nearestPosition(fmt.Sprintf("spec.versions[%d].%s", i, f.Path))
		}
		return d.versionPosition(version)
	case f.Path == "" && f.Request == "definition":
		return d.versionPosition(version)
	}
	keyword := cmp.Or(compatKeywords[f.Check], f.Check)
	rule := ""
	if f.Check == "rule" {
		rule = f.After
	}
	return d.schemaPosition(version, f.Path, keyword, rule)
}

// nearestPosition returns the position of the key at a path. If the document does not have it, it returns that of its
// nearest parent.
func (d *definition) nearestPosition(text string) yamltext.Position {
	for text != "" {
		if path, ok := d.Path(text); ok {
			return d.Nearest(path)
		}
		text = text[:max(0, strings.LastIndexAny(text, ".["))]
	}
	return d.Start()
}

// maxExample is how many bytes of an example object are printed.
const maxExample = 4 << 10

// witnessText returns the example objects of a finding as YAML. It cuts long objects at the end of a line.
func witnessText(f *compat.Finding) string {
	if f.Witness == nil {
		return ""
	}
	var b strings.Builder
	part := func(title string, obj map[string]any) {
		text := yamlText(obj)
		if len(text) > maxExample {
			text = text[:strings.LastIndexByte(text[:maxExample], '\n')+1] + "...\n"
		}
		fmt.Fprintf(&b, "--- # %s\n%s", title, text)
	}
	if f.Witness.Stored != nil {
		part("stored", f.Witness.Stored)
	}
	part(f.Request, f.Witness.Object)
	return strings.TrimSuffix(b.String(), "\n")
}
