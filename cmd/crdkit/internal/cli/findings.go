package cli

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/report"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/position"
)

// A result has the findings about a document.
type result struct {
	d        *document
	findings []report.Finding
	stored   map[string]any // the object or definition as a server answers it; nil if it is refused
}

// add adds a finding at a position, or at the start of the document if the position is zero.
func (r *result) add(f report.Finding, at position.Position) {
	if at.Line == 0 {
		at = r.d.contentStart()
	}
	f.File, f.Position, f.Object, f.Template = r.d.file, at, r.d.title(), r.d.part.Template
	f.Source = r.d.data
	r.findings = append(r.findings, f)
}

// start returns the position where the object starts.
func (d *document) start() position.Position {
	if d.itemPath != nil {
		if located := d.locate(); located != nil {
			return located.Nearest(d.itemPath)
		}
	}
	return d.contentStart()
}

// pathInDocument returns the path in the source of a path in the object.
func (d *document) pathInDocument(path []field.Segment) []field.Segment {
	return append(slices.Clip(d.itemPath), path...)
}

// error adds an error at a path in the object, which may differ from the path of the error.
func (r *result) error(e *field.Error, path []field.Segment, hints ...string) {
	at := r.d.locate().Nearest(r.d.pathInDocument(path))
	if p, ok := r.d.locate().Value(r.d.pathInDocument(path)); ok && e.Type != field.ErrorTypeRequired {
		at = p
	}
	if len(path) == 0 && e.Type != field.ErrorTypeRequired {
		at = r.d.start()
	}
	code := report.Code(strings.TrimPrefix(string(e.Type), "FieldValue"))
	r.add(report.Finding{Severity: report.Error, Code: code, Message: e.Error(), Hints: hints, Path: e.Field, Pointer: e.Pointer()}, at)
}

// refusal adds a refusal without a list of errors.
func (r *result) refusal(s *field.Status) {
	r.add(report.Finding{Severity: report.Error, Code: report.CodeRefused, Message: s.Message}, r.d.start())
}

var (
	unknownFieldText   = regexp.MustCompile(`^unknown field "(.*)"$`)
	duplicateFieldText = regexp.MustCompile(`^duplicate field "(.*)"$`)
	duplicateKeyText   = regexp.MustCompile(`line (\d+): (key .* already set in map)`)
)

// warning adds a server's warning. If strict is set, a warning about an unknown or duplicate field becomes an error. hints, if it is not nil,
// returns the hints for an unknown field.
func (r *result) warning(text string, strict bool, hints func(path []field.Segment) []string) {
	f := report.Finding{Severity: report.Warning, Code: report.CodeWarning, Message: text}
	at := r.d.start()
	unknown := unknownFieldText.FindStringSubmatch(text)
	named := unknown
	if named == nil {
		named = duplicateFieldText.FindStringSubmatch(text)
	}
	if named != nil {
		f.Code, f.Path = report.CodeDuplicate, named[1]
		if unknown != nil {
			f.Code = report.CodeUnknownField
		}
		if strict {
			f.Severity, f.Message = report.Error, "strict decoding error: "+text
		}
		if path, ok := r.d.parsePath(named[1]); ok {
			f.Pointer = (&field.Error{Path: field.PathOf(path...)}).Pointer()
			if p, ok := r.d.locate().Key(r.d.pathInDocument(path)); ok {
				at = p
			}
			if unknown != nil && hints != nil {
				f.Hints = hints(path)
			}
		}
	}
	r.add(f, at)
}

// duplicateKeys adds a finding for each key that the YAML has twice.
func (r *result) duplicateKeys(strict bool) {
	if r.d.duplicates == nil {
		return
	}
	lines := bytes.Split(r.d.part.Text, []byte("\n"))
	for _, text := range r.d.duplicates {
		for _, m := range duplicateKeyText.FindAllStringSubmatch(text, -1) {
			f := report.Finding{Severity: report.Warning, Code: report.CodeDuplicate, Message: m[2]}
			if strict {
				f.Severity, f.Message = report.Error, "strict decoding error: "+m[2]
			}
			at := r.d.part.Position
			if n, err := strconv.Atoi(m[1]); err == nil && n > 0 && n <= len(lines) {
				text := lines[n-1]
				at = position.Position{Line: r.d.part.Line + n - 1, Column: 1 + len(text) - len(bytes.TrimLeft(text, " \t-"))}
			}
			r.add(f, at)
		}
	}
}

// parsePath parses a path in the object, such as spec.items[0].name. It reports false if the document does not have it.
func (d *document) parsePath(text string) ([]field.Segment, bool) {
	if d.itemPath != nil {
		text = field.PathOf(d.itemPath...).String() + "." + text
	}
	path, ok := d.locate().Path(text)
	if !ok || len(path) < len(d.itemPath) {
		return nil, false
	}
	return path[len(d.itemPath):], true
}

// plainScalar returns the text of the value at a path of the object, if it is a plain scalar: YAML without quotes.
func (d *document) plainScalar(path []field.Segment) (string, bool) {
	if d.part.JSON {
		return "", false
	}
	return d.locate().Plain(d.pathInDocument(path))
}
