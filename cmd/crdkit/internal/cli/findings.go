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

// A verdict is what there is to say about a document.
type verdict struct {
	d        *document
	findings []report.Finding
	stored   map[string]any // what a server would store; nil if it refuses
}

// add adds a finding at a place of the document, or at its beginning if there is no place.
func (v *verdict) add(f report.Finding, at position.Position) {
	if at.Line == 0 {
		at = v.d.content()
	}
	f.File, f.Position, f.Object, f.Template = v.d.file, at, v.d.title(), v.d.part.Template
	f.Source = v.d.data
	v.findings = append(v.findings, f)
}

// begin returns where the object begins.
func (d *document) begin() position.Position {
	if d.base != nil {
		if located := d.locate(); located != nil {
			return located.Nearest(d.base)
		}
	}
	return d.content()
}

// whole returns the place of a path in the object: where that is in the document.
func (d *document) whole(path []field.Segment) []field.Segment {
	return append(slices.Clip(d.base), path...)
}

// error adds an error of the object. Its path in the document may differ from that of the error.
func (v *verdict) error(e *field.Error, path []field.Segment, hints ...string) {
	at := v.d.locate().Nearest(v.d.whole(path))
	if p, ok := v.d.locate().Value(v.d.whole(path)); ok && e.Type != field.ErrorTypeRequired {
		at = p
	}
	if len(path) == 0 && e.Type != field.ErrorTypeRequired {
		at = v.d.begin()
	}
	code := report.Code(strings.TrimPrefix(string(e.Type), "FieldValue"))
	v.add(report.Finding{Severity: report.Error, Code: code, Message: e.Error(), Hints: hints, Path: e.Field, Pointer: e.Pointer()}, at)
}

// refusal adds a refusal without a list of errors.
func (v *verdict) refusal(s *field.Status) {
	v.add(report.Finding{Severity: report.Error, Code: report.CodeRefused, Message: s.Message}, v.d.begin())
}

var (
	unknownField   = regexp.MustCompile(`^unknown field "(.*)"$`)
	duplicateField = regexp.MustCompile(`^duplicate field "(.*)"$`)
	duplicateKey   = regexp.MustCompile(`line (\d+): (key .* already set in map)`)
)

// warning adds a server's warning. Strict validation makes errors of those about unknown and duplicate fields. What hints say of an unknown
// field is asked for with its path.
func (v *verdict) warning(text string, strict bool, hints func(path []field.Segment) []string) {
	f := report.Finding{Severity: report.Warning, Code: report.CodeWarning, Message: text}
	at := v.d.begin()
	unknown := unknownField.FindStringSubmatch(text)
	named := unknown
	if named == nil {
		named = duplicateField.FindStringSubmatch(text)
	}
	if named != nil {
		f.Code, f.Path = report.CodeDuplicate, named[1]
		if unknown != nil {
			f.Code = report.CodeUnknownField
		}
		if strict {
			f.Severity, f.Message = report.Error, "strict decoding error: "+text
		}
		if path, ok := v.d.path(named[1]); ok {
			f.Pointer = (&field.Error{Path: field.PathOf(path...)}).Pointer()
			if p, ok := v.d.locate().Key(v.d.whole(path)); ok {
				at = p
			}
			if unknown != nil && hints != nil {
				f.Hints = hints(path)
			}
		}
	}
	v.add(f, at)
}

// duplicateKeys adds the keys that come twice in the YAML, at their lines.
func (v *verdict) duplicateKeys(strict bool) {
	if v.d.duplicates == nil {
		return
	}
	lines := bytes.Split(v.d.part.Text, []byte("\n"))
	for _, text := range v.d.duplicates {
		for _, m := range duplicateKey.FindAllStringSubmatch(text, -1) {
			f := report.Finding{Severity: report.Warning, Code: report.CodeDuplicate, Message: m[2]}
			if strict {
				f.Severity, f.Message = report.Error, "strict decoding error: "+m[2]
			}
			at := v.d.part.Position
			if n, err := strconv.Atoi(m[1]); err == nil && n > 0 && n <= len(lines) {
				text := lines[n-1]
				at = position.Position{Line: v.d.part.Line + n - 1, Column: 1 + len(text) - len(bytes.TrimLeft(text, " \t-"))}
			}
			v.add(f, at)
		}
	}
}

// path returns the path in the object that a text stands for.
func (d *document) path(text string) ([]field.Segment, bool) {
	prefix := ""
	for _, s := range d.base {
		if s.IsIndex {
			prefix += "[" + strconv.Itoa(s.Index) + "]"
		} else if prefix == "" {
			prefix = s.Key
		} else {
			prefix += "." + s.Key
		}
	}
	if prefix != "" {
		prefix += "."
	}
	found, ok := d.locate().Path(prefix + text)
	if !ok || len(found) < len(d.base) {
		return nil, false
	}
	return found[len(d.base):], true
}

// plain returns the text of the value at a path of the object, if it is written in YAML without quotes.
func (d *document) plain(path []field.Segment) (string, bool) {
	if d.part.JSON {
		return "", false
	}
	return d.locate().Plain(d.whole(path))
}
