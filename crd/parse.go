package crd

import (
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/internal/keyword"
	"github.com/crdkit/crdkit/unstructured"
)

// Parse returns the CustomResourceDefinition in data: one document, JSON or YAML, of version v1 or v1beta1, with the
// defaults that a server sets after reading it. Additional documents without content are ignored.
//
// [schema.Decode] describes how text, keys, nulls and numbers are handled: unknown keys are dropped, the last of
// several duplicate keys is used ([ParseStrict] reports both), and a value of a wrong type is an error. Parse does not
// check whether the definition is valid.
//
// An error is a [*ParseError], always the same one for the same data. Errors are: data that is not JSON or YAML, no
// document or more than one, another kind or apiVersion, and a value that does not fit the definition.
func Parse(data []byte) (*CustomResourceDefinition, error) {
	if doc := parsePlain(data); doc != nil {
		return doc.CustomResourceDefinition, nil
	}
	return parse(data)
}

// parse is Parse for any text.
func parse(data []byte) (*CustomResourceDefinition, error) {
	obj, err := unstructured.Decode(data)
	if err != nil {
		return nil, unreadable(err)
	}
	t, wrong := typeOf(obj)
	if wrong != nil {
		return nil, wrong
	}
	d, wrong := bind(obj, t)
	if wrong != nil {
		return nil, wrong
	}
	return d, nil
}

// ParseStrict is [Parse], and also returns the findings of strict decoding, with the server's texts and in its order:
//
//	unknown field "spec.versions[0].schema.openAPIV3Schema.properties.a.readOnly"
//	duplicate field "spec.group"
//
// A server with strict field validation answers with `strict decoding error: ` and these texts, joined by a comma and a
// space. A server that warns (the default) sends a warning for each. [schema.DecodeStrict] says which findings there
// are: each once, at most a hundred, and none inside the values of items and additionalProperties. If there is an
// error, findings is nil.
func ParseStrict(data []byte) (d *CustomResourceDefinition, findings []string, err error) {
	if doc := parsePlain(data); doc != nil {
		d = doc.CustomResourceDefinition
		if findings, all := doc.findings(); all {
			return d, findings, nil
		}
	} else if d, err = parse(data); err != nil {
		return nil, nil, err
	}
	if findings, err = keyword.Findings(data, knownKeys(d.APIVersion)); err != nil {
		return nil, nil, unreadable(err)
	}
	return d, findings, nil
}

// ParseAll returns the definitions of all documents in data, in order: of a YAML stream with documents separated by
// `---`, or of consecutive JSON objects. A list, of kind List or CustomResourceDefinitionList, is replaced by its
// items. Documents without content are left out; the result is nil if no document has any.
//
// Any other document is an error that names its kind: [ParseBundle] is for files with other objects. If data cannot be
// read, the error says so. Otherwise it is the error of the first document that has one, with its number. It is a
// [*ParseError].
func ParseAll(data []byte) ([]*CustomResourceDefinition, error) { return parseAll(data, false) }

// ParseBundle is [ParseAll] for a file that also has other objects: an installation manifest, or the output of a
// generator. Documents of other kinds are left out. One without kind or apiVersion is still an error, and so is an
// unknown kind in the group apiextensions.k8s.io, which is probably a misspelled definition.
func ParseBundle(data []byte) ([]*CustomResourceDefinition, error) { return parseAll(data, true) }

// A ParseError reports what is wrong with a document as a CustomResourceDefinition.
type ParseError struct {
	// Document is the number of the document among those with content, from 1. It is 0 from Parse and ParseStrict, and
	// for data that cannot be read.
	Document int
	Path     string // of the offending key: spec.versions[0].name; empty for the whole document
	Detail   string // must be a string, not a list
}

// Error returns `crd: `, the number of the document if there is one, the path and the detail.
func (e *ParseError) Error() string {
	text := "crd: "
	if e.Document > 0 {
		text += "document " + strconv.Itoa(e.Document) + ": "
	}
	if e.Path != "" {
		text += e.Path + ": "
	}
	return text + e.Detail
}

// unreadable converts an error of package unstructured to one of this package.
func unreadable(err error) *ParseError {
	return &ParseError{Detail: strings.TrimPrefix(err.Error(), "unstructured: ")}
}

func parseAll(data []byte, others bool) ([]*CustomResourceDefinition, error) {
	if all, ok := parsePlainAll(data, others); ok {
		return all, nil
	}
	objects, err := unstructured.DecodeAll(data)
	if err != nil {
		return nil, unreadable(err)
	}
	p := parser{others: others}
	for i, obj := range objects {
		if wrong := p.document(obj, objectType{}); wrong != nil {
			wrong.Document = i + 1
			return nil, wrong
		}
	}
	return p.all, nil
}

// A parser collects definitions.
type parser struct {
	others bool // leave out other kinds
	all    []*CustomResourceDefinition
}

// document adds the definition v, or the items of the list v. An item without apiVersion and kind has the type of its
// list.
func (p *parser) document(v any, item objectType) *ParseError {
	t, wrong := typeOf(v)
	if wrong != nil {
		if m, ok := v.(map[string]any); !ok || item == (objectType{}) || m["kind"] != nil || m["apiVersion"] != nil {
			return wrong
		}
		t = item
	}
	switch {
	case t == objectType{"v1", "List"}:
		return p.items(v, objectType{})
	case t.isOurs() && t.kind == Kind+"List":
		return p.items(v, objectType{t.apiVersion, Kind})
	case p.others && !strings.HasPrefix(t.apiVersion, Group+"/"):
		return nil
	}
	d, wrong := bind(v, t)
	if wrong == nil {
		p.all = append(p.all, d)
	}
	return wrong
}

func (p *parser) items(list any, of objectType) *ParseError {
	var items []any
	switch x := list.(map[string]any)["items"].(type) {
	case nil:
	case []any:
		items = x
	default:
		return &ParseError{Path: "items", Detail: expected("a list", x)}
	}
	for i, item := range items {
		if wrong := p.document(item, of); wrong != nil {
			wrong.Path = joinPath("items["+strconv.Itoa(i)+"]", wrong.Path)
			return wrong
		}
	}
	return nil
}

func joinPath(a, b string) string {
	if a == "" || b == "" || b[0] == '[' {
		return a + b
	}
	return a + "." + b
}

// An objectType is the type of an object.
type objectType struct{ apiVersion, kind string }

func (t objectType) isOurs() bool {
	return t.apiVersion == APIVersionV1 || t.apiVersion == APIVersionV1beta1
}

// check reports a type that is not that of a definition (CDC-005).
func (t objectType) check() *ParseError {
	switch {
	case t.isOurs() && t.kind == Kind:
		return nil
	case t.isOurs() || !strings.HasPrefix(t.apiVersion, Group+"/"):
		return &ParseError{Path: "kind", Detail: "must be " + Kind + " of " + Group + ", not " + strconv.Quote(t.kind) +
			" of " + strconv.Quote(t.apiVersion)}
	}
	return &ParseError{Path: "apiVersion", Detail: "must be " + APIVersionV1 + " or " + APIVersionV1beta1 + ", not " +
		strconv.Quote(t.apiVersion)}
}

// typeOf returns the type of an object, which must have one. A server finds the two keys in any case; here, the exact
// spelling has priority.
func typeOf(v any) (t objectType, wrong *ParseError) {
	m, ok := v.(map[string]any)
	if !ok {
		return t, &ParseError{Detail: expected("an object", v)}
	}
	if t.kind, wrong = typeText(m, "kind"); wrong == nil {
		t.apiVersion, wrong = typeText(m, "apiVersion")
	}
	return t, wrong
}

// typeText returns the text of a key in any case. The exact spelling has priority, followed by the others in sorted
// order; empty texts are ignored.
func typeText(m map[string]any, key string) (text string, wrong *ParseError) {
	spellings := make([]string, 0, 4)
	for k, v := range m {
		if v != nil && strings.EqualFold(k, key) {
			spellings = append(spellings, k)
		}
	}
	slices.SortFunc(spellings, func(a, b string) int {
		switch {
		case a == key:
			return -1
		case b == key:
			return 1
		}
		return strings.Compare(a, b)
	})
	for _, k := range spellings {
		s, ok := m[k].(string)
		if !ok {
			return "", &ParseError{Path: k, Detail: expected("a string", m[k])}
		}
		if text == "" {
			text = s
		}
	}
	if text == "" {
		return "", &ParseError{Path: key, Detail: "is missing"}
	}
	return text, nil
}
