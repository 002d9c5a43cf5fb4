package engine

import (
	"errors"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/resource"
)

// A definition is a validated text.
type definition struct {
	data string
	*text
	crd      *crd.CustomResourceDefinition // nil if it cannot be read
	checked  *crdcheck.Checked
	resource *resource.Resource // nil unless a server accepts the definition
}

// definition validates a definition, and keeps the result for the next question.
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
	d.checked, d.resource = d.Definition(parsed, unknown, nil, "")
	d.side.Verdict = verdictRefused
	if d.resource != nil {
		d.side.Verdict = verdictAccepted
	}
	return d
}

// parse returns the definition with its unknown and duplicate fields. If the text is not a definition, it adds a
// finding and returns nil.
func (d *definition) parse() (parsed *crd.CustomResourceDefinition, findings []string) {
	if d.side.Verdict == verdictEmpty {
		return nil, nil
	}
	// The conversion to JSON, as kubectl does it, takes longer than everything else. It is needed only for the findings
	// of a text that is not a definition or has duplicate keys.
	if parsed, findings, err := crd.ParseStrict(d.Part.Text); err == nil && !slices.ContainsFunc(findings, isDuplicate) {
		return parsed, findings
	}
	if d.convert(); d.body == nil {
		return nil, nil
	}
	parsed, findings, err := crd.ParseStrict(d.body)
	if err != nil {
		d.ParseError(err)
		last := &d.Findings[len(d.Findings)-1]
		last.Message = strings.TrimPrefix(last.Message, "crd: ")
		return nil, nil
	}
	return parsed, findings
}

// isDuplicate reports whether a finding of strict decoding is about a duplicate key.
func isDuplicate(finding string) bool { return !strings.HasPrefix(finding, "unknown field ") }

// errUnread is the error of views for a definition that cannot be read.
var errUnread = errors.New("the definition cannot be read yet: see its errors")
