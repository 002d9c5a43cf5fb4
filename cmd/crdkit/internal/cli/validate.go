package cli

import (
	"context"
	"flag"
	"fmt"
	"strings"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/output"
	"github.com/crdkit/crdkit/cmd/crdkit/internal/report"
	"github.com/crdkit/crdkit/internal/tool/explain"
	"github.com/crdkit/crdkit/internal/tool/finding"
	"github.com/crdkit/crdkit/registry"
)

var validateCommand = command{
	name:  "validate",
	args:  "[-crd NAME]... [FLAGS] NAME...",
	short: "what a server says of manifests",
	long: `NAME is a file, a directory with those below it, a pattern, git://REF?path=PATH, or - for standard input.
Definitions among the manifests are used, and validated as well. Objects of built-in kinds are skipped, and so
are documents with $patch. Objects of kinds without a definition are counted.`,
	setup: func(e *env, flags *flag.FlagSet) func([]string) error {
		var o validateOptions
		listFlag(flags, &o.definitions, "crd", "`NAME` of definitions, as for manifests; may be repeated")
		listFlag(flags, &o.templates, "crd-template", "`TEMPLATE` of the files of other kinds, as catalog/{group}/{kind}_{version}.json; may be repeated")
		flags.StringVar(&o.validator.namespace, "n", "", "`NAMESPACE` of objects that have none (default \"default\")")
		o.validator.strict.flags(flags)
		flags.BoolVar(&o.required, "require-definitions", false, "an object of a kind without a definition is an error")
		flags.BoolVar(&o.print, "print", false, "print the objects as a server would answer them, with defaults")
		kubernetesFlag(flags, &o.kubernetes)
		o.old.flags(flags)
		o.validator.flags(flags)
		e.inputFlags(flags)
		e.outputFlag(flags)
		return func(args []string) error { return e.validate(&o, args) }
	},
}

type validateOptions struct {
	definitions []string
	templates   []string
	required    bool
	print       bool
	kubernetes  string // the version of the server; empty for the newest release
	old         oldDocuments
	validator   validator
}

func (e *env) validate(o *validateOptions, args []string) error {
	if len(args) == 0 {
		return usageError("which manifests? Name files or directories, or - for standard input")
	}
	if err := checkTemplates(o.templates); err != nil {
		return err
	}
	if err := checkKubernetes("kubernetes", o.kubernetes); err != nil {
		return err
	}
	e.report = report.New("validate")
	others, _ := e.splitDefinitions(e.read(o.definitions...))
	definitions, objects := e.splitDefinitions(e.read(args...))
	old, update, err := o.old.read(e, args)
	if err != nil {
		return err
	}
	if len(definitions)+len(objects) == 0 && e.report.Summary.Unreadable+e.report.Summary.Definitions+e.report.Summary.Skipped == 0 && !e.allowEmpty {
		return errEmpty
	}
	if len(o.definitions) > 0 && len(others) == 0 && e.report.Summary.Unreadable+e.report.Summary.Definitions == 0 {
		return fmt.Errorf("no definitions in %s", strings.Join(o.definitions, ", "))
	}
	others = append(others, e.fromCatalogs(o.templates, objects, definitions, others)...)
	reg, _ := registry.New(crds(e.prefer(definitions, others))...) // Invariant: all names and kinds differ
	reg, _ = reg.For(o.kubernetes)                                 // which is known
	o.validator.registry = reg
	if update {
		o.validator.setOld(old)
	}

	var tasks []func() *result
	oldDefinitions := definitionsByName(old)
	for _, d := range definitions {
		e.countDefinition(d.document)
		tasks = append(tasks, func() *result {
			return checkDefinition(d, oldDefinitions[d.crd.Name()], o.kubernetes, o.validator.strict, nil)
		})
	}
	selected := e.selectObjects(objects, reg, o.required)
	unserved := e.unserved(reg, selected, others)
	for _, d := range selected {
		e.report.Summary.Objects++
		e.report.AddSubject(report.Subject{File: d.file, Name: d.title()})
		if unserved[groupKind{d.group(), d.kind}] {
			continue // the findings about its definition say why
		}
		tasks = append(tasks, func() *result { return o.validator.check(context.Background(), d) })
	}
	e.printsObjects = o.print
	unconverted := map[groupKind]bool{}
	accepted := []map[string]any{}
	e.runTasks(tasks, func(r *result) {
		if kind := (groupKind{r.d.group(), r.d.kind}); r.unconverted && !unconverted[kind] {
			unconverted[kind] = true
			e.noteUnconverted(r.d, reg.Find(r.d.apiVersion, r.d.kind).Name())
		}
		if o.print && r.stored != nil {
			accepted = append(accepted, r.stored)
		}
	})
	if !o.print {
		return nil
	}
	e.report.Details = accepted
	e.report.Text = func(w *output.Writer) {
		for _, obj := range accepted {
			w.Printf("---\n%s", output.Block{Text: yamlText(obj)})
		}
	}
	return nil
}

// maxSuggestions is how many unknown kinds are compared with those of their group.
const maxSuggestions = 1000

// selectObjects returns the objects whose kinds have a definition, and counts the others.
func (e *env) selectObjects(objects []*document, reg *registry.Registry, required bool) (selected []*document) {
	kinds, names := map[groupKind]bool{}, map[string][]string{} // and the names of a group's kinds
	for _, d := range reg.Definitions() {
		kinds[groupKind{d.Group(), d.Kind()}] = true
		names[d.Group()] = append(names[d.Group()], d.Kind())
	}
	suggestions := map[groupKind]string{}
	suggestion := func(d *document) string {
		kind := groupKind{d.group(), d.kind}
		text, known := suggestions[kind]
		if !known && len(suggestions) < maxSuggestions {
			text = explain.Suggestion(d.kind, names[d.group()])
			suggestions[kind] = text
		}
		return text
	}
	for _, d := range objects {
		switch {
		case d.patch:
			e.report.Summary.Patches++
		case kinds[groupKind{d.group(), d.kind}]:
			selected = append(selected, d)
		case builtinError(d.apiVersion, d.kind) != "":
			e.addFinding(d, finding.Error, finding.Undefined, builtinError(d.apiVersion, d.kind))
		case suggestion(d) != "":
			e.addFinding(d, finding.Error, finding.Undefined, fmt.Sprintf("no definition of %s in %s%s", d.kind, d.apiVersion, suggestion(d)))
		default:
			e.countUndefined(d.apiVersion, d.kind)
			if required && !isBuiltIn(d.apiVersion) {
				e.addFinding(d, finding.Error, finding.Undefined, fmt.Sprintf("no definition of %s in %s", d.kind, d.apiVersion))
			}
		}
	}
	return selected
}

// unserved returns the kinds of objects whose definitions cannot be compiled. It reports the errors of those among
// others, which are not validated themselves.
func (e *env) unserved(reg *registry.Registry, objects []*document, others []*definition) map[groupKind]bool {
	unserved, known := map[groupKind]bool{}, map[groupKind]bool{}
	for _, d := range objects {
		kind := groupKind{d.group(), d.kind}
		found := reg.Find(d.apiVersion, d.kind)
		if known[kind] || found == nil {
			continue
		}
		known[kind] = true
		_, err := found.Compile()
		if err == nil {
			continue
		}
		unserved[kind] = true
		for _, other := range others {
			if other.crd == found.CRD {
				r := newResult(other.document)
				r.CompileError(other.crd, err)
				e.addFindings(r)
			}
		}
	}
	return unserved
}
