package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/input"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/manifest"
	"github.com/crdkit/crdkit/internal/tool/finding"
	"github.com/crdkit/crdkit/internal/tool/yamltext"
	"github.com/crdkit/crdkit/unstructured"
)

// A document is one object in a file: a whole document of the file, or an item of a list in it.
type document struct {
	*source
	finding.Object
	listed     header   // of an item: what a list says about its items; empty for other documents
	body       []byte   // as JSON; nil if it is too long to keep: see json
	duplicates []string // errors of strict decoding about keys that the YAML has twice
	header
}

// A header has the members that identify an object.
type header struct {
	apiVersion, kind, name, generateName, namespace string

	patch       bool // it has $patch: it is a part of an object
	hasMetadata bool
}

// A source is a document of a file, or an item of a list in JSON.
type source struct {
	file  string
	data  []byte // of the whole file
	found bool   // in a directory: it need not be a manifest
	part  yamltext.Part

	mu      sync.Mutex
	located *yamltext.Document
	pending int  // how many of its objects are not done: located is kept until then
	other   bool // it is no manifest
}

// maxLocatedBytes is the size of the largest source whose positions are looked up, which takes about sixty times as
// much memory. No object that a server accepts is that large, and the items of a list in JSON are separate sources.
const maxLocatedBytes = 16 << 20

// locate parses the source again and returns its positions. It returns nil, which has no positions, for a very large
// source.
func (s *source) locate() *yamltext.Document {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.located == nil && len(s.part.Text) <= maxLocatedBytes {
		s.located, _ = yamltext.Locate(s.part)
	}
	return s.located
}

// release is called when one of the objects is done.
func (s *source) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pending--; s.pending <= 0 {
		s.located = nil
	}
}

func (d *document) group() string { return groupOf(d.apiVersion) }

// title returns the name of an object in reports, such as Widget.example.org default/a. For a definition it is only its
// name.
func (d *document) title() string {
	if d.isDefinition() && d.name != "" {
		return d.name
	}
	name := d.name
	if name == "" && d.generateName != "" {
		name = d.generateName + "*"
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
	converted, _ := unstructured.YAMLToJSON(d.Part.Text) // Invariant: it has been converted before
	return converted
}

// read returns the documents in the named files. Files that cannot be read are reported.
func (e *env) read(names ...string) []*document {
	return e.documents(e.reader.Read(names...))
}

// documents returns the documents in files. What cannot be read is reported.
func (e *env) documents(files []input.File) (all []*document) {
	type parsedFile struct {
		documents []*document
		errors    []finding.Finding
		others    int // documents that are no manifests
	}
	partial := patches(e.reader)
	parsed := make([]parsedFile, len(files))
	parallel(len(files), func(i int) {
		f := &files[i]
		if f.Err != nil {
			parsed[i].errors = []finding.Finding{unreadableFinding(f.Name, f.Err)}
			return
		}
		f.Data = manifest.UTF8(f.Data)
		for _, part := range yamltext.Split(f.Data) {
			s := &source{file: f.Name, data: f.Data, part: part, found: f.Found && !e.strictInput}
			documents, errs := s.documents()
			if len(documents) == 0 && errs == nil && s.other {
				parsed[i].others++
			}
			if partial[path.Clean(f.Name)] && f.Found {
				for _, d := range documents {
					d.patch = true
				}
				if documents == nil { // a JSON patch
					documents, errs, parsed[i].others = []*document{{source: s, header: header{patch: true}}}, nil, 0
				}
			}
			s.pending = len(documents)
			s.located = nil
			parsed[i].documents = append(parsed[i].documents, documents...)
			parsed[i].errors = append(parsed[i].errors, errs...)
		}
	})
	e.report.Summary.Files += len(files)
	for i, p := range parsed {
		e.report.File(files[i].Name)
		e.report.Summary.Unreadable += len(p.errors)
		for _, f := range p.errors {
			e.report.Add(f)
		}
		e.report.Summary.NotManifests += p.others
		for _, d := range p.documents {
			if e.skipped(d) {
				e.report.Summary.Skipped++
				continue
			}
			all = append(all, d)
		}
	}
	e.report.Summary.Templates, e.report.Summary.SkippedFiles = e.reader.Templates, e.reader.Skipped
	return all
}

func unreadableFinding(file string, err error) finding.Finding {
	return finding.Finding{File: file, Severity: finding.Error, Code: finding.Unreadable, Message: err.Error()}
}

// maxJSONGrowth is how many times as long as its YAML a document's JSON may be to be kept: aliases can make it a
// thousand times as long.
const maxJSONGrowth = 4

// documents returns the objects of a source: itself, or the items of a list. Errors are those of decoding it.
func (s *source) documents() ([]*document, []finding.Finding) {
	d := s.document(s.part.Text, nil)
	if s.part.JSON { // a server finds the duplicate keys of JSON
		return d.expand(d.body, 0)
	}
	converted, duplicates, err := unstructured.YAMLToJSONStrict(s.part.Text)
	if err != nil {
		if s.found && bytes.Contains(s.part.Text, []byte("{{")) && utf8.Valid(s.part.Text) {
			s.other = true // a template
			return nil, nil
		}
		r := newResult(d)
		r.Unreadable(err)
		return nil, s.inFile(r.Findings)
	}
	d.body, d.duplicates = converted, duplicates
	if len(converted) > maxJSONGrowth*len(s.part.Text)+1<<10 {
		d.body = nil
	}
	return d.expand(converted, 0)
}

// document returns the object in the source, or an item of the list that it is.
func (s *source) document(body []byte, item []field.Segment) *document {
	return &document{source: s, body: body, Object: finding.Object{Part: s.part, Item: item, Locate: s.locate}}
}

// inFile returns findings about the source with its file.
func (s *source) inFile(findings []finding.Finding) []finding.Finding {
	for i := range findings {
		f := &findings[i]
		f.File, f.Template, f.Source = s.file, s.part.Template, s.data
	}
	return findings
}

// maxListDepth is how deep lists may be nested.
const maxListDepth = 8

// expand returns the document itself or, if it is a list, its items. It returns nothing for null.
func (d *document) expand(body []byte, depth int) (all []*document, errs []finding.Finding) {
	if string(body) == "null" {
		return nil, nil
	}
	h, items, err := readHeader(body)
	if d.header = h; d.notManifest(err == nil) && !h.patch {
		d.other = true
		return nil, nil
	}
	if err != nil {
		return nil, d.unreadable(err.Error())
	}
	if h.kind == "" && d.listed.kind != "" && h.apiVersion == "" && !h.patch {
		// An API server leaves them out of the items of a list: the list says what they are.
		h.apiVersion, h.kind = d.listed.apiVersion, d.listed.kind
		d.body = withHeader(body, h)
	}
	d.header = h
	switch {
	case d.patch && (d.kind == "" || d.apiVersion == ""):
		return []*document{d}, nil
	case d.kind == "":
		return nil, d.unreadable("the document has no kind: it is no object")
	case d.apiVersion == "":
		return nil, d.unreadable("the document has no apiVersion: it is no object")
	case !strings.HasSuffix(d.kind, "List") || items == nil:
		return []*document{d}, nil
	case depth == maxListDepth:
		return nil, d.unreadable("lists are nested too deep")
	}
	sources := d.itemSources(body)
	for i, body := range items {
		var item *document
		if sources != nil {
			item = sources[i].document(body, nil)
		} else {
			item = d.document(body, append(slices.Clip(d.Item), field.Segment{Key: "items"}, field.Segment{Index: i, IsIndex: true}))
		}
		item.listed = d.header.ofItems()
		if i == 0 {
			item.duplicates = d.duplicates // of the whole list: nothing says in which item they are
		}
		documents, failed := item.expand(body, depth+1)
		all, errs = append(all, documents...), append(errs, failed...)
	}
	return all, errs
}

// ofItems returns what a list says about its items: those of a TapList are Taps. It says nothing if its kind is List.
func (h header) ofItems() header {
	return header{apiVersion: h.apiVersion, kind: strings.TrimSuffix(h.kind, "List")}
}

// withHeader returns an object in JSON, which has no apiVersion and kind, with those of h.
func withHeader(body []byte, h header) []byte {
	rest := bytes.TrimLeft(body, " \t\r\n")[1:]
	comma := ","
	if bytes.HasPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte("}")) {
		comma = ""
	}
	text := func(s string) []byte {
		quoted, _ := json.Marshal(s) // Invariant: a string can be encoded
		return quoted
	}
	return slices.Concat([]byte(`{"apiVersion":`), text(h.apiVersion), []byte(`,"kind":`), text(h.kind), []byte(comma), rest)
}

// unreadable returns the finding that the document is not an object.
func (d *document) unreadable(message string) []finding.Finding {
	r := newResult(d)
	r.Say(finding.Error, finding.Unreadable, message)
	return d.inFile(r.Findings)
}

// itemSources returns the items of a list in JSON as sources, so that each is parsed alone for its positions. It
// returns nil for YAML, and for a list that has items twice.
func (d *document) itemSources(body []byte) []*source {
	if !d.Part.JSON {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(body)) // Invariant: body has been decoded before, so it is valid JSON
	_, _ = decoder.Token()                            // the opening brace
	if !nextItems(decoder) {
		return nil
	}
	var all []*source
	line, column, from := d.Part.Line, d.Part.Column, 0
	for decoder.More() {
		var item json.RawMessage
		_ = decoder.Decode(&item)
		end := int(decoder.InputOffset())
		begin := end - len(item)
		line, column = manifest.Advance(line, column, body[from:begin])
		from = begin
		part := yamltext.Part{Position: yamltext.Position{Line: line, Column: column}, Text: body[begin:end], JSON: true, Template: d.Part.Template}
		all = append(all, &source{file: d.file, data: d.data, part: part, pending: 1})
	}
	_, _ = decoder.Token() // the closing bracket
	if nextItems(decoder) {
		return nil
	}
	return all
}

// nextItems moves a decoder inside an object to just after the opening bracket of the next member "items". It reports
// false if there is no such array.
func nextItems(decoder *json.Decoder) bool {
	for decoder.More() {
		if key, _ := decoder.Token(); key == "items" {
			bracket, _ := decoder.Token()
			return bracket == json.Delim('[')
		}
		var value json.RawMessage
		_ = decoder.Decode(&value)
	}
	return false
}

// readHeader reads the header of an object in JSON, and the elements of its array "items", if it has one. A member of
// the wrong type counts as missing; the decoder of the object reports it.
func readHeader(body []byte) (h header, items []json.RawMessage, err error) {
	if !bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("{")) {
		return h, nil, errors.New("the document is no object")
	}
	var object, meta map[string]json.RawMessage
	if err := json.Unmarshal(body, &object); err != nil {
		return h, nil, err
	}
	text := func(from json.RawMessage) (s string) {
		_ = json.Unmarshal(from, &s)
		return s
	}
	h.apiVersion, h.kind, h.patch = text(object["apiVersion"]), text(object["kind"]), object["$patch"] != nil
	h.hasMetadata = object["metadata"] != nil
	if json.Unmarshal(object["metadata"], &meta) == nil {
		h.name, h.generateName, h.namespace = text(meta["name"]), text(meta["generateName"]), text(meta["namespace"])
	}
	_ = json.Unmarshal(object["items"], &items) // nil if it is no array
	return h, items, nil
}
