package finding

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/manifest"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/tool/explain"
	"github.com/crdkit/crdkit/internal/tool/yamltext"
	"github.com/crdkit/crdkit/unstructured"
)

// Metadata adds a finding for each value of an object's metadata that a server cannot read. The server refuses the
// object because of one of them: that finding has its message. Metadata returns the object with null in the place of
// these values, and a function that reports whether an error at a path is about such a null. It returns nil if all can
// be read.
func (l *List) Metadata(obj map[string]any, refusal string) (rest map[string]any, about func(path []field.Segment) bool) {
	_, _, first := objectmeta.Read(obj["metadata"], false)
	if first == nil {
		return nil, nil
	}
	rest = unstructured.Clone(obj)
	var parts [][]field.Segment // paths of values whose errors are about the null
	for _, u := range objectmeta.Unreadables(obj["metadata"]) {
		path := append([]field.Segment{{Key: "metadata"}}, u.Path...)
		at := field.PathOf(path...)
		f := Finding{Severity: Error, Code: "TypeInvalid", Path: at.String(), Pointer: (&field.Error{Path: at}).Pointer()}
		f.Message = f.Path + ": must be " + u.Want
		if first != nil && u.Err.Error() == first.Error() {
			f.Message, f.Hints, first = refusal, []string{f.Message}, nil
		}
		if text, plain := l.Plain(path); plain && u.Want == "a string" {
			if h := explain.Quote(text); h != "" {
				f.Hints = append(f.Hints, h)
			}
		}
		place, _ := l.Locate().Value(l.inDocument(path))
		l.Add(f, place)
		setNull(rest, path)
		if !u.Alone {
			parts = append(parts, path[:min(len(path), 2)])
		}
	}
	return rest, func(path []field.Segment) bool {
		return slices.ContainsFunc(parts, func(p []field.Segment) bool { return len(path) >= len(p) && slices.Equal(path[:len(p)], p) })
	}
}

// setNull sets the value at a path, which exists.
func setNull(obj map[string]any, path []field.Segment) {
	var at any = obj
	for i, s := range path {
		last := i == len(path)-1
		switch x := at.(type) {
		case map[string]any:
			if at = x[s.Key]; last {
				x[s.Key] = nil
			}
		case []any:
			if at = x[s.Index]; last {
				x[s.Index] = nil
			}
		}
	}
}

// Number adds the refusal of an object in JSON that has a number too large to be read, at that number. It reports false
// if there is none.
func (l *List) Number(refusal string) bool {
	if !l.Part.JSON {
		return false
	}
	decoder := json.NewDecoder(bytes.NewReader(l.Part.Text))
	decoder.UseNumber()
	for {
		token, err := decoder.Token()
		if err != nil {
			return false
		}
		n, ok := token.(json.Number)
		if !ok {
			continue
		}
		if _, err := n.Float64(); err != nil {
			begin := int(decoder.InputOffset()) - len(n)
			line, column := manifest.Advance(l.Part.Line, l.Part.Column, l.Part.Text[:begin])
			l.Add(Finding{Severity: Error, Code: Refused, Message: refusal}, yamltext.Position{Line: line, Column: column})
			return true
		}
	}
}
