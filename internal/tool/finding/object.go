package finding

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/tool/yamltext"
)

// An Object is a document, or an object in it: an item of a list.
type Object struct {
	Part   yamltext.Part
	Item   []field.Segment           // the path of the list's item; nil for a whole document
	Locate func() *yamltext.Document // returns the positions in Part; may return nil, which has none

	content yamltext.Position // what contentStart returns, once it is known
}

// Start returns the position where the object starts.
func (o *Object) Start() yamltext.Position {
	if o.Item != nil {
		if located := o.Locate(); located != nil {
			return located.Nearest(o.Item)
		}
	}
	return o.contentStart()
}

// contentStart returns the position of the first byte of the document that is neither white space nor in a comment.
func (o *Object) contentStart() yamltext.Position {
	if o.content.Line > 0 {
		return o.content
	}
	o.content = o.Part.Position
	at := o.Part.Position
	for l := range bytes.Lines(o.Part.Text) {
		text := bytes.TrimLeft(l, " \t\r\n")
		if len(text) > 0 && text[0] != '#' {
			at.Column += utf8.RuneCount(l) - utf8.RuneCount(text)
			o.content = at
			break
		}
		at = yamltext.Position{Line: at.Line + 1, Column: 1}
	}
	return o.content
}

// inDocument returns the path in the document of a path in the object.
func (o *Object) inDocument(path []field.Segment) []field.Segment {
	return append(slices.Clip(o.Item), path...)
}

// Key returns the position of the key at a path in the object, if there is one.
func (o *Object) Key(path []field.Segment) (yamltext.Position, bool) {
	return o.Locate().Key(o.inDocument(path))
}

// Nearest returns the position of the key at a path in the object, or of the nearest one around it.
func (o *Object) Nearest(path []field.Segment) yamltext.Position {
	return o.Locate().Nearest(o.inDocument(path))
}

// Plain returns the text of the value at a path of the object, if it is a plain scalar: YAML without quotes.
func (o *Object) Plain(path []field.Segment) (string, bool) {
	if o.Part.JSON {
		return "", false
	}
	return o.Locate().Plain(o.inDocument(path))
}

// Path parses a path in the object, such as spec.items[0].name. It reports false if the document does not have it.
func (o *Object) Path(text string) ([]field.Segment, bool) {
	if o.Item != nil {
		text = field.PathOf(o.Item...).String() + "." + text
	}
	path, ok := o.Locate().Path(text)
	if !ok || len(path) < len(o.Item) {
		return nil, false
	}
	return path[len(o.Item):], true
}

// At returns the position of the key at a path such as spec.versions[0].name, or of the object if it has no such key.
func (o *Object) At(text string) yamltext.Position {
	if path, ok := o.Path(text); ok {
		if at, ok := o.Key(path); ok {
			return at
		}
	}
	return o.Start()
}
