package unstructured

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v2"
	kjson "sigs.k8s.io/json"

	"github.com/crdkit/crdkit/internal/jsonscan"
)

// Decode returns the object that data holds as JSON or YAML.
//
// A text that starts with { is read as JSON if possible: a YAML reader would turn a U+0085 in a string into a space.
// Any other text is read as YAML. Both may have a byte order mark, and documents that are empty or null or have only
// comments. Of duplicate keys the last value is used; [DecodeStrict] reports them. The object needs no kind, unlike a
// server's.
//
// No object, more than one object, and a document that is not an object are errors: nothing in data is silently
// ignored.
func Decode(data []byte) (map[string]any, error) {
	d, err := readOne(data, false)
	return d.object, err
}

// DecodeStrict is [Decode] with the findings of strict decoding: duplicate keys. In JSON each is one finding, at most
// 100 of them:
//
//	duplicate field "spec.i"
//
// In YAML all of them are one finding of several lines:
//
//	yaml: unmarshal errors:
//	  line 3: key "kind" already set in map
//
// Findings are nil if there are none or if there is an error.
func DecodeStrict(data []byte) (obj map[string]any, findings []string, err error) {
	d, err := readOne(data, true)
	return d.object, d.findings, err
}

// DecodeAll returns the objects of all documents in data, in their order: a YAML stream, or JSON objects one after
// another, with or without lines of three dashes between them. Each is read as by [Decode]. Documents that are empty or
// null are left out, so the result may be nil. An object of kind List stays one object. An error names the document,
// counted from 1, and the line in data if known; in that case no objects are returned.
func DecodeAll(data []byte) ([]map[string]any, error) {
	documents, err := read(data, false)
	if err != nil {
		return nil, fmt.Errorf("unstructured: %w", err)
	}
	var objects []map[string]any
	for _, d := range documents {
		objects = append(objects, d.object)
	}
	return objects, nil
}

// A document is a decoded object, with the findings of strict decoding.
type document struct {
	object   map[string]any
	findings []string
}

func readOne(data []byte, strict bool) (document, error) {
	documents, err := read(data, strict)
	switch {
	case err != nil:
		return document{}, fmt.Errorf("unstructured: %w", err)
	case len(documents) == 0:
		return document{}, errors.New("unstructured: no object: the text is empty or null")
	case len(documents) > 1:
		return document{}, fmt.Errorf("unstructured: %d objects instead of one", len(documents))
	}
	return documents[0], nil
}

func read(data []byte, strict bool) ([]document, error) {
	text := bytes.TrimPrefix(data, []byte("\uFEFF"))
	switch begin := skipBlanks(text); {
	case len(begin) == 0:
		return nil, nil
	case begin[0] != '{':
		return readYAML(data, strict)
	}
	documents, err := readJSON(text, strict)
	var noJSON *syntaxError
	if !errors.As(err, &noJSON) {
		return documents, err
	}
	documents, err = readYAML(data, strict)
	if err != nil {
		return nil, fmt.Errorf("neither JSON (%w) nor YAML (%w)", noJSON, err)
	}
	return documents, nil
}

// A syntaxError reports where a text is not JSON.
type syntaxError struct {
	document, line int
	text           string
}

func (e *syntaxError) Error() string {
	return fmt.Sprintf("document %d: line %d: %s", e.document, e.line, e.text)
}

// readJSON reads consecutive objects. It returns a *syntaxError if the text is not JSON, and another error if it is
// JSON that a server cannot decode.
func readJSON(text []byte, strict bool) ([]document, error) {
	// There is nearly always one object. Only otherwise look for the ends of several.
	d, err := fromJSON(text, strict)
	if err == nil {
		return []document{d}, nil
	}
	if isSyntax, _ := kjson.SyntaxErrorOffset(err); !isSyntax {
		return nil, fmt.Errorf("document 1: %w", err)
	}

	var documents []document
	for rest := skipSeparators(text); len(rest) > 0; rest = skipSeparators(rest) {
		n := len(documents) + 1
		lineAt := func(offset int64) int {
			end := len(text) - len(rest) + int(offset)
			return 1 + bytes.Count(text[:min(end, len(text))], []byte("\n"))
		}
		if rest[0] != '{' {
			return nil, &syntaxError{n, lineAt(0), fmt.Sprintf("invalid character %q looking for an object", rest[0])}
		}
		decoder := json.NewDecoder(bytes.NewReader(rest))
		var object json.RawMessage
		if err := decoder.Decode(&object); err != nil {
			isSyntax, offset := kjson.SyntaxErrorOffset(err)
			if !isSyntax { // the text ended too early, for which only the stream decoder has another error
				return nil, &syntaxError{n, lineAt(int64(len(rest))), "unexpected end of JSON input"}
			}
			return nil, &syntaxError{n, lineAt(offset), err.Error()}
		}
		d, err := fromJSON(object, strict)
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", n, err)
		}
		documents = append(documents, d)
		rest = rest[decoder.InputOffset():]
	}
	return documents, nil
}

func fromJSON(data []byte, strict bool) (d document, err error) {
	if strict {
		d.object, d.findings, err = DecodeJSONStrict(data)
	} else {
		d.object, err = DecodeJSON(data)
	}
	return d, err
}

// skipBlanks returns text without leading JSON whitespace.
func skipBlanks(text []byte) []byte { return bytes.TrimLeft(text, " \t\r\n") }

// skipSeparators returns text without leading white space and YAML document separators, which some put between JSON
// documents.
func skipSeparators(text []byte) []byte {
	for {
		text = skipBlanks(text)
		rest, ok := bytes.CutPrefix(text, []byte("---"))
		if !ok || len(rest) > 0 && len(skipBlanks(rest)) == len(rest) {
			return text
		}
		text = rest
	}
}

// readPlainYAML returns the objects in data if package jsonscan can read it.
func readPlainYAML(data []byte) (documents []document, ok bool) {
	r := jsonscan.NewYAML(data)
	for text, ok := r.Next(); ok; text, ok = r.Next() {
		obj := jsonscan.DecodeObject(text)
		if obj == nil { // probably duplicate keys
			return nil, false
		}
		documents = append(documents, document{object: obj})
	}
	return documents, !r.Declined()
}

func readYAML(data []byte, strict bool) ([]document, error) {
	if documents, ok := readPlainYAML(data); ok {
		return documents, nil
	}
	if err := checkYAML(data); err != nil {
		return nil, err
	}
	var documents []document
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	// A strict decoder keeps the first of two keys, so its objects cannot be used. A second decoder reads the objects.
	var strictDecoder *yaml.Decoder
	if strict {
		strictDecoder = yaml.NewDecoder(bytes.NewReader(data))
		strictDecoder.SetStrict(true)
	}
	for n := 1; ; n++ {
		var v any
		err := decoder.Decode(&v)
		if err == io.EOF {
			return documents, nil
		}
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", n, err)
		}
		var findings []string
		if strict {
			var unused any
			if err := strictDecoder.Decode(&unused); err != nil {
				findings = []string{err.Error()}
			}
		}
		if v == nil {
			continue
		}
		converted, err := encodeYAML(v)
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", n, err)
		}
		if converted[0] != '{' {
			return nil, fmt.Errorf("document %d is %s, not an object", n, describe(converted))
		}
		object, err := DecodeJSON(converted)
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", n, err)
		}
		documents = append(documents, document{object, findings})
	}
}

// describe returns the kind of a JSON text that is not an object.
func describe(text []byte) string {
	switch text[0] {
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}
