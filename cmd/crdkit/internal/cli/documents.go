package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/input"
	"github.com/crdkit/crdkit/cmd/crdkit/internal/report"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/manifest"
	"github.com/crdkit/crdkit/position"
	"github.com/crdkit/crdkit/unstructured"
)

// A document is one object in a file: a document of the file, or an item of a list in it.
type document struct {
	*source
	base       []field.Segment // of an item: where it is in the document
	body       []byte          // as JSON; nil where that is much longer than the text: see json
	duplicates []string        // what strict decoding finds in the YAML: keys that come twice
	apiVersion string
	kind       string
	name       string // of metadata
	generate   string // generateName
	namespace  string
	patch      bool // it has $patch: a part of an object
}

// A source is a document of a file.
type source struct {
	file string
	data []byte // of the whole file
	part position.Part

	mu      sync.Mutex
	located *position.Document
	waiting int // the objects of the document that are still to be judged: the places are of use until then
}

// maxLocated is how many bytes a document may have whose places are looked for: that takes some sixty times as much memory. No object that a
// server takes is as large, and the items of a list in JSON are documents of their own.
const maxLocated = 16 << 20

// locate returns the places in the document, which is parsed again for that. A very large document has none.
func (s *source) locate() *position.Document {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.located == nil && len(s.part.Text) <= maxLocated {
		s.located, _ = position.Locate(s.part)
	}
	return s.located
}

// done says that one of the objects of the document was judged.
func (s *source) done() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting--; s.waiting <= 0 {
		s.located = nil
	}
}

// content returns where the text of the document begins that is no blank and no comment.
func (s *source) content() position.Position {
	at := s.part.Position
	for l := range bytes.Lines(s.part.Text) {
		text := bytes.TrimLeft(l, " \t\r\n")
		if len(text) > 0 && text[0] != '#' {
			at.Column += utf8.RuneCount(l) - utf8.RuneCount(text)
			return at
		}
		at = position.Position{Line: at.Line + 1, Column: 1}
	}
	return s.part.Position
}

// group returns the API group of the object.
func (d *document) group() string { return groupOf(d.apiVersion) }

// title returns what reports call an object: Widget.example.org default/a, or the name of a definition.
func (d *document) title() string {
	if d.isDefinition() && d.name != "" {
		return d.name
	}
	name := d.name
	if name == "" && d.generate != "" {
		name = d.generate + "*"
	}
	if d.namespace != "" {
		name = d.namespace + "/" + name
	}
	kind := d.kind
	if group := d.group(); group != "" {
		kind += "." + group
	}
	return strings.TrimSpace(kind + " " + name)
}

// json returns the object as JSON.
func (d *document) json() []byte {
	if d.body != nil {
		return d.body
	}
	converted, err := unstructured.YAMLToJSON(d.part.Text) // as it was before, without an error
	if err != nil {
		return nil
	}
	return converted
}

// read returns the documents in the files that names stand for. What cannot be read is in the report.
func (e *env) read(names ...string) []*document {
	return e.documents(e.reader.Read(names...))
}

// documents returns the documents in files.
func (e *env) documents(files []input.File) (all []*document) {
	type outcome struct {
		documents []*document
		findings  []report.Finding
	}
	outcomes := make([]outcome, len(files))
	parallel(len(files), func(i int) {
		f := &files[i]
		if f.Err != nil {
			outcomes[i].findings = []report.Finding{unreadable(f.Name, position.Position{}, f.Err.Error())}
			return
		}
		for _, part := range position.Split(f.Data) {
			s := &source{file: f.Name, data: f.Data, part: part}
			found, failed := s.documents()
			s.waiting = len(found)
			s.located = nil
			outcomes[i].documents = append(outcomes[i].documents, found...)
			outcomes[i].findings = append(outcomes[i].findings, failed...)
		}
	})
	e.report.Summary.Files += len(files)
	for i, o := range outcomes {
		e.report.File(files[i].Name)
		e.report.Summary.Unreadable += len(o.findings)
		for _, f := range o.findings {
			e.report.Add(f)
		}
		all = append(all, o.documents...)
	}
	return all
}

func unreadable(file string, at position.Position, message string) report.Finding {
	return report.Finding{File: file, Position: at, Severity: report.Error, Code: report.CodeUnreadable, Message: message}
}

var yamlLine = regexp.MustCompile(`^yaml: line (\d+): `)

// keepJSON is how much longer than a document its JSON may be, to be kept: aliases can make it a thousand times as long.
const keepJSON = 4

// documents returns the objects of a document: itself, or the items of a list. Errors are those of decoding it.
func (s *source) documents() ([]*document, []report.Finding) {
	body := s.part.Text
	var duplicates []string
	converted := body
	if !s.part.JSON { // which has been parsed, and whose duplicates a server finds in the body
		var err error
		if converted, duplicates, err = unstructured.YAMLToJSONStrict(body); err != nil {
			return nil, []report.Finding{s.refused(err)}
		}
	}
	d := &document{source: s, body: converted, duplicates: duplicates}
	if len(converted) > keepJSON*len(body)+1<<10 {
		d.body = nil
	}
	return d.expand(converted, 0)
}

// refused returns what is wrong with a document that cannot be decoded.
func (s *source) refused(err error) report.Finding {
	at, text := s.part.Position, err.Error()
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil && n > 1 {
			at = position.Position{Line: s.part.Line + n - 1, Column: 1}
		}
		text = "yaml: " + text[len(m[0]):]
	}
	f := unreadable(s.file, at, text)
	f.Template, f.Source = s.part.Template, s.data
	if strings.Contains(string(s.part.Text), "{{") {
		f.Hints = append(f.Hints, "{{ begins a template, of Helm for example, which is not YAML: validate what the template makes (helm template)")
	}
	return f
}

// maxLists is how deep lists may be in lists.
const maxLists = 8

// expand returns the document itself, or, of a list, the items.
func (d *document) expand(body []byte, depth int) (all []*document, failed []report.Finding) {
	if string(body) == "null" {
		return nil, nil
	}
	fail := func(message string) []report.Finding {
		at := d.begin()
		f := unreadable(d.file, at, message)
		f.Template, f.Source = d.part.Template, d.data
		return []report.Finding{f}
	}
	head, err := headOf(body)
	if err != nil {
		return nil, fail(err.Error())
	}
	d.apiVersion, d.kind, d.name, d.generate, d.namespace, d.patch = head.apiVersion, head.kind, head.name, head.generate, head.namespace, head.patch
	switch {
	case d.kind == "" || d.apiVersion == "":
		if d.patch {
			return []*document{d}, nil
		}
		missing := "kind"
		if d.kind != "" {
			missing = "apiVersion"
		}
		return nil, fail(fmt.Sprintf("the document has no %s: it is no object", missing))
	case !strings.HasSuffix(d.kind, "List") || head.items == nil:
		return []*document{d}, nil
	case depth == maxLists:
		return nil, fail("lists are nested too deep")
	}
	places := d.itemSources(body, len(head.items))
	for i, item := range head.items {
		below := &document{source: d.source, body: item, base: append(d.base[:len(d.base):len(d.base)], field.Segment{Key: "items"}, field.Segment{Index: i, IsIndex: true})}
		if places != nil {
			below.source, below.base = places[i], nil
		}
		if i == 0 {
			below.duplicates = d.duplicates // of the whole list: nothing says in which item they are
		}
		found, more := below.expand(item, depth+1)
		all, failed = append(all, found...), append(failed, more...)
	}
	return all, failed
}

// itemSources returns the n items of a list in JSON as documents of their own, of which each is parsed alone for its places. It returns nil for
// YAML.
func (d *document) itemSources(body []byte, n int) []*source {
	if !d.part.JSON {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	skip := func() (err error) {
		_, err = decoder.Token()
		return err
	}
	var all []*source
	line, column, from := d.part.Line, d.part.Column, 0
	for err := skip(); err == nil && decoder.More(); { // the brace, then keys
		var key json.Token
		if key, err = decoder.Token(); err != nil {
			break
		}
		if key != "items" || all != nil {
			var value json.RawMessage
			err = decoder.Decode(&value)
			continue
		}
		for err = skip(); err == nil && decoder.More(); { // the bracket, then items
			var item json.RawMessage
			if err = decoder.Decode(&item); err != nil {
				break
			}
			end := int(decoder.InputOffset())
			begin := end - len(item)
			line, column = manifest.Advance(line, column, body[from:begin])
			from = begin
			part := position.Part{Position: position.Position{Line: line, Column: column}, Text: body[begin:end], JSON: true, Template: d.part.Template}
			all = append(all, &source{file: d.file, data: d.data, part: part, waiting: 1})
		}
		if err == nil {
			err = skip()
		}
	}
	if len(all) != n { // keys that come twice
		return nil
	}
	return all
}

// A head is what a document says about itself.
type head struct {
	apiVersion, kind, name, generate, namespace string
	patch                                       bool
	items                                       []json.RawMessage // of a list; nil for others
}

// headOf reads what matters of an object.
func headOf(body []byte) (h head, err error) {
	if trimmed := bytes.TrimLeft(body, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' {
		return h, errors.New("the document is no object")
	}
	var object, meta map[string]json.RawMessage
	if err := json.Unmarshal(body, &object); err != nil {
		return h, err
	}
	text := func(from json.RawMessage) (s string) {
		_ = json.Unmarshal(from, &s) // whatever is no text is as good as missing, here: who decodes the object says so
		return s
	}
	h.apiVersion, h.kind, h.patch = text(object["apiVersion"]), text(object["kind"]), object["$patch"] != nil
	if json.Unmarshal(object["metadata"], &meta) == nil {
		h.name, h.generate, h.namespace = text(meta["name"]), text(meta["generateName"]), text(meta["namespace"])
	}
	if err := json.Unmarshal(object["items"], &h.items); err != nil {
		h.items = nil // no list of objects
	}
	return h, nil
}
