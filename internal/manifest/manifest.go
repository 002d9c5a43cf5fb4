package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path"
	"strings"
	"unicode/utf8"
)

// A Document is a part of a file.
type Document struct {
	// Line and Column are where Text begins, both from 1. The column counts characters.
	Line, Column int
	Text         []byte
	// JSON says that the text is one JSON object. It is YAML otherwise, or neither.
	JSON bool
	// Template is the name in a comment "# Source: NAME" before the document, which helm template writes; empty without
	// one.
	Template string
}

// IsName reports whether a file with that name in a directory is read.
func IsName(name string) bool {
	ext := path.Ext(name)
	return ext == ".json" || (ext == ".yaml" || ext == ".yml") && strings.TrimSuffix(name, ext) != "kustomization"
}

// Split returns the documents of a file in order, without those that have only white space and comments. Lines that
// begin with three dashes separate documents; a document may begin after the dashes. A byte order mark at the beginning
// is left out. The documents of a file in UTF-16 with such a mark are in UTF-8.
func Split(data []byte) []Document {
	data = UTF8(data)
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	s := splitter{data: data, line: 1, column: 1, current: 1}
	for begin := 0; begin < len(data); {
		end := len(data)
		if i := bytes.IndexByte(data[begin:], '\n'); i >= 0 {
			end = begin + i + 1
		}
		s.add(begin, end)
		begin = end
		s.current++
	}
	s.finish(len(data))
	return s.found
}

type splitter struct {
	data         []byte
	found        []Document
	start        int // of the current document
	line, column int // of start
	current      int // the line that is being added
	content      bool
	template     string
}

// add processes one line.
func (s *splitter) add(begin, end int) {
	text := s.data[begin:end]
	if rest, ok := bytes.CutPrefix(text, []byte("---")); ok && (len(rest) == 0 || strings.IndexByte(" \t\r\n", rest[0]) >= 0) {
		s.finish(begin)
		s.start, s.line, s.column, s.content, s.template = begin+3, s.current, 4, false, ""
		if text = bytes.TrimSpace(rest); len(text) == 0 || text[0] == '#' {
			s.start, s.line, s.column = end, s.current+1, 1
			return
		}
	}
	text = bytes.TrimSpace(text)
	switch {
	case len(text) == 0:
	case text[0] != '#':
		s.content = true
	case !s.content && s.template == "":
		if name, ok := bytes.CutPrefix(text, []byte("# Source: ")); ok {
			s.template = string(name)
		}
	}
}

// finish ends the current document.
func (s *splitter) finish(end int) {
	if !s.content {
		return
	}
	d := Document{Line: s.line, Column: s.column, Text: s.data[s.start:end], Template: s.template}
	if objects := jsonObjects(d); objects != nil {
		s.found = append(s.found, objects...)
		return
	}
	s.found = append(s.found, d)
}

// jsonObjects returns the objects of a document that consists of JSON objects, and nil for any other: YAML may begin
// with a brace, too.
func jsonObjects(d Document) (objects []Document) {
	line, column, from := d.Line, d.Column, 0
	decoder := json.NewDecoder(bytes.NewReader(d.Text))
	for {
		var object json.RawMessage
		switch err := decoder.Decode(&object); {
		case errors.Is(err, io.EOF):
			return objects
		case err != nil || object[0] != '{':
			return nil
		}
		end := int(decoder.InputOffset())
		begin := end - len(object)
		line, column = Advance(line, column, d.Text[from:begin])
		from = begin
		objects = append(objects, Document{Line: line, Column: column, Text: d.Text[begin:end], JSON: true, Template: d.Template})
	}
}

// Advance returns the line and the column after a text that begins at a line and a column. Lines end with "\n".
func Advance(line, column int, text []byte) (int, int) {
	if i := bytes.LastIndexByte(text, '\n'); i >= 0 {
		line += bytes.Count(text, []byte("\n"))
		column, text = 1, text[i+1:]
	}
	return line, column + utf8.RuneCount(text)
}
