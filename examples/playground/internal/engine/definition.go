package engine

import (
	"errors"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/internal/hint"
	"github.com/crdkit/crdkit/resource"
)

// A definition is a text that was validated.
type definition struct {
	data string
	*text
	crd      *crd.CustomResourceDefinition // nil if it cannot be read
	checked  *crdcheck.Checked
	resource *resource.Resource // nil unless a server takes the definition
}

// definition returns what there is to say of a definition, which is kept for the next question.
func (e *Engine) definition(data string) *definition {
	if e.last == nil || e.last.data != data {
		e.last = checkDefinition(data)
	}
	return e.last
}

func checkDefinition(data string) *definition {
	d := &definition{data: data, text: split(data)}
	parsed, unknown := d.parse()
	if parsed == nil {
		return d
	}
	d.crd, d.side.Name = parsed, parsed.Name()
	for _, text := range unknown {
		d.warning(text, hint.UnknownDefinitionField)
	}
	d.checked = crdcheck.Compile(parsed)
	errs := d.checked.Errors()
	var costs *crdcheck.CostReport
	for i, err := range errs {
		var hints []string
		if i < maxFindings {
			if strings.Contains(err.Detail, "exceeds budget") {
				if costs == nil {
					costs = d.checked.Costs()
				}
				hints = hint.Costs(costs, err.Field)
			}
			hints = append(hints, hint.Definition(err)...)
		}
		d.error(err, hint.DocumentPath(parsed, err.Path.Segments()), hints)
	}
	d.side.Verdict = verdictRefused
	if len(errs) == 0 {
		for _, text := range crdcheck.Warnings(parsed, nil) {
			d.warning(text, hint.UnknownDefinitionField)
		}
		var err error
		if d.resource, err = resource.CompileChecked(d.checked); err != nil {
			d.add(Finding{Severity: severityError, Message: err.Error()}, d.locate().Begin())
		} else {
			d.side.Verdict = verdictAccepted
		}
	}
	for _, text := range crdcheck.Hints(parsed) {
		f, at := Finding{Severity: severityNote, Message: text}, d.locate().Begin()
		if name, _, ok := strings.Cut(text, ": "); ok {
			if path, ok := d.locate().Path(name); ok {
				f.Path = name
				at = d.locate().Nearest(path)
			}
		}
		d.add(f, at)
	}
	return d
}

// parse returns the definition with its unknown and duplicate fields, or nil after adding why it is none.
func (d *definition) parse() (parsed *crd.CustomResourceDefinition, findings []string) {
	if d.side.Verdict == verdictEmpty {
		return nil, nil
	}
	// The conversion to JSON, as kubectl does it, takes longer than everything else. It is only needed for what there is to say
	// of a text that is no definition or has a key twice.
	if parsed, findings, err := crd.ParseStrict(d.part.Text); err == nil && !slices.ContainsFunc(findings, isDuplicate) {
		return parsed, findings
	}
	if d.convert(); d.body == nil {
		return nil, nil
	}
	parsed, findings, err := crd.ParseStrict(d.body)
	if err != nil {
		d.parseError(err)
		return nil, nil
	}
	return parsed, findings
}

// isDuplicate reports whether a finding of strict decoding is about a key that comes twice.
func isDuplicate(finding string) bool { return !strings.HasPrefix(finding, "unknown field ") }

// parseError adds why a document is no definition.
func (d *definition) parseError(err error) {
	f, at := Finding{Severity: severityError, Message: strings.TrimPrefix(err.Error(), "crd: ")}, d.locate().Begin()
	var parse *crd.ParseError
	if errors.As(err, &parse) {
		f.Path = parse.Path
		if path, ok := d.locate().Path(parse.Path); ok {
			at = d.locate().Nearest(path)
		}
	}
	d.add(f, at)
}

// errUnread is the answer of views to a definition that cannot be read.
var errUnread = errors.New("the definition cannot be read yet: see its errors")
