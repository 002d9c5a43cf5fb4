package cli

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/report"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/internal/hint"
	"github.com/crdkit/crdkit/registry"
	"github.com/crdkit/crdkit/resource"
)

// A definition is a document that defines a kind.
type definition struct {
	*document
	crd     *crd.CustomResourceDefinition
	unknown []string // unknown and duplicate fields, in a server's words
	checked *crdcheck.Checked
	decoded map[string]any // the document; see object
}

// isDefinition reports whether a document is a CustomResourceDefinition.
func (d *document) isDefinition() bool {
	return d.kind == crd.Kind && d.group() == crd.Group
}

// check returns the judgement of the definition as a new one, which is made once. It is not for several goroutines.
func (d *definition) check() *crdcheck.Checked {
	if d.checked == nil {
		d.checked = crdcheck.Compile(d.crd)
	}
	return d.checked
}

// definitions returns the definitions among documents, and the other documents. One that cannot be read is in the report.
func (e *env) definitions(documents []*document) (found []*definition, others []*document) {
	for _, d := range documents {
		if !d.isDefinition() {
			others = append(others, d)
			continue
		}
		def, err := newDefinition(d)
		if err != nil {
			e.report.Summary.Definitions++
			e.report.Judged(report.Subject{File: d.file, Name: d.title()})
			v := &verdict{d: d}
			f := report.Finding{Severity: report.Error, Code: report.CodeRefused, Message: err.Error()}
			at := d.begin()
			var parse *crd.ParseError
			if errors.As(err, &parse) {
				f.Path = parse.Path
				if path, ok := d.path(parse.Path); ok {
					at, _ = d.locate().Value(d.whole(path))
				}
			}
			v.add(f, at)
			e.judged(v)
			continue
		}
		found = append(found, def)
	}
	return found, others
}

func newDefinition(d *document) (*definition, error) {
	parsed, unknown, err := crd.ParseStrict(d.json())
	if err != nil {
		return nil, err
	}
	return &definition{document: d, crd: parsed, unknown: unknown}, nil
}

// register returns a registry of definitions. Two of one name, or of one kind, are a finding at the second, unless they are equal.
func (e *env) register(all []*definition) (*registry.Registry, error) {
	type key struct{ group, kind string }
	byName, byKind := map[string]*definition{}, map[key]*definition{}
	var taken []*crd.CustomResourceDefinition
	for _, d := range all {
		k := key{d.crd.Spec.Group, d.crd.Spec.Names.Kind}
		other, what := byName[d.crd.Name()], "the name "+d.crd.Name()
		if other == nil {
			other, what = byKind[k], fmt.Sprintf("the kind %s of the group %s", k.kind, k.group)
		}
		if other != nil {
			if !bytes.Equal(other.json(), d.json()) {
				v := &verdict{d: d.document}
				v.add(report.Finding{Severity: report.Error, Code: report.CodeRefused,
					Message: fmt.Sprintf("another definition has %s: %s:%v", what, other.file, other.begin())}, d.begin())
				e.judged(v)
			}
			continue
		}
		byName[d.crd.Name()], byKind[k] = d, d
		taken = append(taken, d.crd)
	}
	return registry.New(taken...)
}

// judgeDefinition says what a server would say of a definition: of a new one, or of one in the place of old.
func judgeDefinition(d *definition, old *crd.CustomResourceDefinition, strict bool) *verdict {
	v := &verdict{d: d.document}
	v.duplicateKeys(strict)
	for _, text := range d.unknown {
		v.warning(text, strict, hint.UnknownDefinitionField)
	}
	checked := d.check()
	if old != nil {
		checked = crdcheck.CompileUpdate(d.crd, old)
	}
	errs := checked.Errors()
	var costs *crdcheck.CostReport
	for _, err := range errs {
		path := hint.DocumentPath(d.crd, err.Path.Segments())
		var hints []string
		if strings.Contains(err.Detail, "exceeds budget") {
			if costs == nil {
				costs = checked.Costs()
			}
			hints = hint.Costs(costs, err.Field)
		}
		hints = append(hints, hint.Definition(err)...)
		v.error(err, path, hints...)
	}
	if len(errs) == 0 {
		for _, text := range crdcheck.Warnings(d.crd, old) {
			v.warning(text, false, nil)
		}
		if _, err := resource.CompileChecked(d.check()); err != nil && old == nil {
			v.add(report.Finding{Severity: report.Error, Code: report.CodeRefused, Message: err.Error()}, d.begin())
		}
	}
	for _, text := range crdcheck.Hints(d.crd) {
		f := report.Finding{Severity: report.Note, Code: report.CodeHint, Message: text}
		at := d.begin()
		if name, _, ok := strings.Cut(text, ": "); ok {
			if path, ok := d.path(name); ok {
				f.Path = name
				at, _ = d.locate().Key(d.whole(path))
			}
		}
		v.add(f, at)
	}
	if len(errs) == 0 {
		v.stored = d.crd.Value()
	}
	return v
}

var errNoDefinitions = errors.New("no definitions are there")
