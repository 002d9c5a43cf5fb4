package cli

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/report"
	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/hint"
	"github.com/crdkit/crdkit/position"
)

var compatCommand = command{
	name:  "compat",
	args:  "[-objects DUMP]... [-accept FINDING]... OLD NEW",
	short: "whether a change of definitions breaks anything, with the object that shows it",
	long: `OLD and NEW are files, directories, patterns, git://REF?path=PATH, or - for standard input. Definitions are
compared by name. What breaks or loses data is an error, other values and open questions are warnings, and
what is accepted now and was refused before is a note.`,
	setup: func(e *env, flags *flag.FlagSet) func([]string) error {
		var c comparison
		names(flags, &c.objects, "objects", "objects that people have, which are asked about, too: `DUMP` is as for audit; may be repeated")
		flags.Func("accept", "`FINDING` that is meant, by its name, such as 'v1 required spec.owner'; may be repeated", func(name string) error {
			c.accepted = append(c.accepted, name)
			return nil
		})
		flags.BoolVar(&c.harmless, "harmless", false, "list what is proved to change nothing, too")
		e.inputFlags(flags)
		e.outputFlag(flags)
		return func(args []string) error { return e.compat(&c, args) }
	},
}

// A comparison is what compat is asked for.
type comparison struct {
	objects  []string
	accepted []string
	harmless bool
}

// compatOf is what there is to say of a definition in the place of an old one.
type compatOf struct {
	Definition string          `json:"definition"`
	Report     json.RawMessage `json:"report"` // of package compat
}

func (e *env) compat(c *comparison, args []string) error {
	if len(args) != 2 {
		return usageError("which definitions? Name the old ones and the new ones")
	}
	e.report = report.New("compat")
	old, _ := e.definitions(e.read(args[0]))
	if len(old) == 0 && e.report.Summary.Unreadable == 0 {
		return fmt.Errorf("no definitions in %s", args[0])
	}
	e.report.Summary.Files = 0 // what was before is not judged
	definitions, err := e.definitionsOf(e.read(args[1]))
	if err != nil {
		return err
	}
	if _, err := e.register(definitions); err != nil {
		return err
	}
	before := map[string]*definition{}
	for _, d := range old {
		before[d.crd.Name()] = d
	}
	complete := e.report.Summary.Unreadable == 0 // otherwise what is missing may be in what cannot be read
	e.report.SetRefused(0)
	objects := e.held(c.objects)

	found := make([]*compat.Report, len(definitions))
	used := make([]map[string]bool, len(definitions)) // the accepted names
	var work []func() *verdict
	for i, d := range definitions {
		was := before[d.crd.Name()]
		delete(before, d.crd.Name())
		work = append(work, func() *verdict {
			v := &verdict{d: d.document}
			if was == nil && complete {
				v.add(report.Finding{Severity: report.Note, Code: report.CodeHint, Message: "there is no old definition of that name"}, d.begin())
			}
			if was == nil {
				return v
			}
			found[i], used[i] = c.compare(v, was.crd, d, objects)
			return v
		})
	}
	e.judge(work, nil)
	for _, d := range old {
		if complete && before[d.crd.Name()] == d {
			v := &verdict{d: d.document}
			v.add(report.Finding{Severity: report.Error, Code: report.CodeBreaks, Message: "the definition is gone"}, d.begin())
			e.judged(v)
		}
	}
	for _, name := range c.accepted {
		if !slices.ContainsFunc(used, func(names map[string]bool) bool { return names[name] }) {
			e.report.Add(report.Finding{File: args[1], Severity: report.Error, Code: report.CodeUndefined, Message: fmt.Sprintf("no error has the name %q", name)})
		}
	}
	all := []compatOf{}
	for i, d := range definitions {
		if found[i] != nil {
			all = append(all, compatOf{d.crd.Name(), found[i].JSON()})
		}
	}
	e.report.Details = all
	return nil
}

// What one comparison may try: as much as package compat does by itself, and some more for each object that people have.
const (
	compatEffort    = 20_000
	effortForObject = 20
)

// compare adds what package compat finds, and returns it with the accepted names that are among it.
func (c *comparison) compare(v *verdict, old *crd.CustomResourceDefinition, d *definition, objects []map[string]any) (*compat.Report, map[string]bool) {
	o := &compat.Options{Objects: objects, Harmless: c.harmless, Effort: compatEffort + effortForObject*len(objects)}
	r, err := compat.Compare(context.Background(), old, d.crd, o)
	if err != nil {
		v.add(report.Finding{Severity: report.Error, Code: report.CodeRefused, Message: err.Error()}, d.begin())
		return nil, nil
	}
	used := map[string]bool{}
	for i := range r.Findings {
		f := &r.Findings[i]
		found := report.Finding{Message: f.String(), Path: f.Path, Example: witnessText(f)}
		switch f.Verdict {
		case compat.Breaks:
			found.Severity, found.Code = report.Error, report.CodeBreaks
		case compat.LosesData:
			found.Severity, found.Code = report.Error, report.CodeLosesData
		case compat.Changes:
			found.Severity, found.Code = report.Warning, report.CodeChanges
		case compat.Unknown:
			found.Severity, found.Code = report.Warning, report.CodeUnproved
		case compat.Loosens:
			found.Severity, found.Code = report.Note, report.CodeLoosens
		default:
			found.Severity, found.Code = report.Note, report.CodeHarmless
		}
		if name := f.Name(); found.Severity == report.Error && slices.Contains(c.accepted, name) {
			used[name] = true
			found.Severity, found.Hints = report.Note, []string{"it is accepted"}
		}
		v.add(found, d.compatPlace(f))
	}
	return r, used
}

// compatKeywords are the keywords that checks are about which have other names.
var compatKeywords = map[string]string{
	"rule": "x-kubernetes-validations", "listType": "x-kubernetes-list-type", "mapType": "x-kubernetes-map-type",
	"embeddedResource": "x-kubernetes-embedded-resource", "existingFieldRemoval": "properties",
}

// compatPlace returns the place that a finding is about in the new definition.
func (d *definition) compatPlace(f *compat.Finding) position.Position {
	switch {
	case f.Version == "":
		return d.nearestPlace(hint.InDocument(f.Path))
	case f.Check == "subresource" || f.Check == "selectableField":
		if i := d.versionIndex(f.Version); i >= 0 {
			return d.nearestPlace(fmt.Sprintf("spec.versions[%d].%s", i, f.Path))
		}
		return d.versionPlace(f.Version)
	case f.Path == "" && f.Request == compat.Definition:
		return d.versionPlace(f.Version)
	}
	keyword := f.Check
	if k := compatKeywords[keyword]; k != "" {
		keyword = k
	}
	rule := ""
	if f.Check == "rule" {
		rule = f.After
	}
	return d.schemaPlace(f.Version, f.Path, keyword, rule)
}

// nearestPlace returns the place of the key at a path that is a text, or of what is around it as far as it is there.
func (d *definition) nearestPlace(text string) position.Position {
	for text != "" {
		if path, ok := d.path(text); ok {
			return d.keyPlace(path)
		}
		text = text[:max(0, strings.LastIndexAny(text, ".["))]
	}
	return d.begin()
}

// maxExample is how many bytes of an object that shows a finding are printed.
const maxExample = 4 << 10

// witnessText returns the objects that show a finding as YAML, cut at the end of a line.
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
