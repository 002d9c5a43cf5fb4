package cli

import (
	"errors"
	"fmt"
	"maps"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/input"
	"github.com/crdkit/crdkit/cmd/crdkit/internal/report"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/manifest"
	"github.com/crdkit/crdkit/internal/tool/finding"
)

// A definition is a document that is a CustomResourceDefinition.
type definition struct {
	*document
	crd     *crd.CustomResourceDefinition
	unknown []string       // warnings about unknown and duplicate fields
	decoded map[string]any // the document; see object
}

// isDefinition reports whether a document is a CustomResourceDefinition.
func (d *document) isDefinition() bool {
	return d.kind == crd.Kind && d.group() == crd.Group
}

func newDefinition(d *document) (*definition, error) {
	parsed, unknown, err := crd.ParseStrict(d.json())
	if err != nil {
		return nil, err
	}
	return &definition{document: d, crd: parsed, unknown: unknown}, nil
}

// readableDefinitions returns the definitions among documents, without those that cannot be parsed.
func readableDefinitions(documents []*document) (all []*definition) {
	for _, d := range documents {
		if !d.isDefinition() {
			continue
		}
		if parsed, err := newDefinition(d); err == nil {
			all = append(all, parsed)
		}
	}
	return all
}

// readDefinitions starts a report and returns the definitions in the files that args name. If files is not nil, these
// files have been read already.
func (e *env) readDefinitions(command string, args []string, files ...input.File) ([]*definition, error) {
	if len(args) == 0 {
		return nil, usageError("which definitions? Name files or directories, or - for standard input")
	}
	e.report = report.New(command)
	if files == nil {
		files = e.reader.Read(args...)
	}
	return e.countDefinitions(e.documents(files))
}

// readValidDefinitions is readDefinitions for a command that prints no report: if anything cannot be read, that is an
// error.
func (e *env) readValidDefinitions(command string, args []string) ([]*definition, error) {
	definitions, err := e.readDefinitions(command, args)
	if err != nil {
		return nil, err
	}
	r := e.report
	e.report = nil
	if r.ExitCode() != 0 {
		r.Finish()
		f := r.Findings[0]
		return nil, fmt.Errorf("%s: %s", report.Location(f), f.Message)
	}
	return definitions, nil
}

// countDefinitions returns the definitions among documents. It counts all documents.
func (e *env) countDefinitions(documents []*document) ([]*definition, error) {
	definitions, others := e.splitDefinitions(documents)
	for _, d := range definitions {
		e.countDefinition(d.document)
	}
	e.report.Summary.Others = len(others)
	if e.report.Summary.Definitions == 0 && e.report.Summary.Unreadable == 0 && !e.allowEmpty {
		return nil, errors.New("no definitions are there")
	}
	return definitions, nil
}

func (e *env) countDefinition(d *document) {
	e.report.Summary.Definitions++
	e.report.AddSubject(report.Subject{File: d.file, Name: d.title()})
}

// splitDefinitions returns the definitions among documents, and the other documents. A definition that cannot be parsed
// is counted and reported.
func (e *env) splitDefinitions(documents []*document) (definitions []*definition, others []*document) {
	for _, d := range documents {
		if !d.isDefinition() {
			others = append(others, d)
			continue
		}
		parsed, err := newDefinition(d)
		if err != nil {
			e.countDefinition(d)
			r := newResult(d)
			r.Keys(d.json())
			r.ParseError(err)
			e.addFindings(r)
			continue
		}
		definitions = append(definitions, parsed)
	}
	return definitions, others
}

// distinct returns the definitions without those that have the name or kind of another one before them. Such a
// definition is reported, unless the two have the same spec: copies of a definition in a chart often have other labels.
func (e *env) distinct(all []*definition) (distinct []*definition) {
	return e.prefer(all, nil)
}

// prefer is distinct for definitions that are used only if there is no other one of that name, too: of these, the report
// says that they are not used.
func (e *env) prefer(all, others []*definition) (distinct []*definition) {
	byName, byKind := map[string]*definition{}, map[groupKind]*definition{}
	add := func(d *definition, fallback bool) {
		name, kind := d.crd.Name(), groupKind{d.crd.Spec.Group, d.crd.AcceptedNames().Kind}
		other, what := byName[name], "the name "+name
		if other == nil {
			other, what = byKind[kind], fmt.Sprintf("the kind %s of the group %s", kind.kind, kind.group)
		}
		switch {
		case other == nil:
			byName[name], byKind[kind] = d, d
			distinct = append(distinct, d)
		case other.crd.Name() == name && jsonval.EqualTyped(&other.crd.Spec, &d.crd.Spec):
		case fallback && other.crd.Name() == name:
			e.addFinding(d.document, finding.Note, finding.Unused, fmt.Sprintf("the definition among the manifests is used: %s:%v", other.file, other.Start()))
		default:
			e.addFinding(d.document, finding.Error, finding.Refused, fmt.Sprintf("another definition has %s: %s:%v", what, other.file, other.Start()))
		}
	}
	for _, d := range all {
		add(d, false)
	}
	preferred := maps.Clone(byName)
	for _, d := range others {
		add(d, preferred[d.crd.Name()] != nil)
	}
	return distinct
}

// crds returns what package registry needs of definitions.
func crds(definitions []*definition) (all []*crd.CustomResourceDefinition) {
	for _, d := range definitions {
		all = append(all, d.crd)
	}
	return all
}

// refuseRemoved adds an error if no server accepts definitions of that version any longer.
func (d *definition) refuseRemoved(r *result) bool {
	message, hint := manifest.Removed(d.crd)
	if message == "" {
		return false
	}
	r.Add(finding.Finding{Severity: finding.Error, Code: finding.Refused, Message: message, Hints: []string{hint}, Path: "apiVersion", Pointer: "/apiVersion"}, r.At("apiVersion"))
	return true
}

// checkDefinition checks a definition: as an update of old or, if old is nil, as a create. kubernetes is the version of
// the server, empty for the newest release. It lints the definition unless lint is nil.
func checkDefinition(d *definition, old *crd.CustomResourceDefinition, kubernetes string, strict fieldValidation, lint *linting) *result {
	r := newResult(d.document)
	strict.set(&r.List)
	r.DuplicateKeys(d.duplicates)
	r.Keys(d.json())
	d.refuseRemoved(r)
	if checked, _ := r.Definition(d.crd, d.unknown, old, kubernetes); len(checked.Errors()) == 0 {
		r.stored = d.crd.Value()
		lint.add(r, checked)
	}
	return r
}
