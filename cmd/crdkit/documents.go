package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/crdkit/crdkit/unstructured"
)

// A document is an object in a file: the body of a request.
type document struct {
	objectType
	file        string
	body        []byte // as it is in the file, since decoding reports duplicate fields
	contentType string
}

// Documents are those of a file, as they are read.
type documents struct {
	file string
	list []document
}

var separator = regexp.MustCompile(`(?m)^---([ \t\r]|$)`)

// split returns the documents of a file: a stream of YAML, or JSON objects one after another. A List stands for its items.
func split(file string, data []byte) ([]document, error) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	found := documents{file: file}
	start, line := 0, 0
	for _, end := range append(separator.FindAllIndex(data, -1), []int{len(data), len(data)}) {
		text := data[start:end[0]]
		var err error
		if objects := jsonObjects(text); objects != nil {
			err = found.addJSON(objects)
		} else {
			// Empty lines in front let errors count the lines of the whole file.
			err = found.addYAML(append(bytes.Repeat([]byte("\n"), line), text...))
		}
		if err != nil {
			return nil, fmt.Errorf("error parsing %s: %w", file, err)
		}
		start, line = end[1], line+bytes.Count(text, []byte("\n"))
	}
	return found.list, nil
}

// jsonObjects returns the objects of a text that is JSON, and none if it is not: YAML may begin with a brace, too.
func jsonObjects(text []byte) (objects []json.RawMessage) {
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return nil
	}
	for decoder := json.NewDecoder(bytes.NewReader(text)); ; {
		var object json.RawMessage
		switch err := decoder.Decode(&object); {
		case err == io.EOF:
			return objects
		case err != nil:
			return nil
		}
		objects = append(objects, object)
	}
}

func (d *documents) addJSON(objects []json.RawMessage) error {
	for _, body := range objects {
		t, err := typeOf(body)
		if err != nil {
			return err
		}
		if t != listType {
			d.list = append(d.list, document{t, d.file, body, "application/json"})
			continue
		}
		var list struct{ Items []json.RawMessage }
		if err := json.Unmarshal(body, &list); err != nil {
			return err
		}
		if err := d.addJSON(list.Items); err != nil {
			return err
		}
	}
	return nil
}

func (d *documents) addYAML(body []byte) error {
	object, duplicates, err := unstructured.YAMLToJSONStrict(body)
	if err != nil || string(object) == "null" {
		return err
	}
	t, err := typeOf(object)
	switch {
	case err != nil:
		return err
	case t != listType:
		d.list = append(d.list, document{t, d.file, body, "application/yaml"})
		return nil
	case duplicates != nil: // the items, as JSON, do not have them
		return fmt.Errorf("a List in which keys occur twice: %s", strings.Join(duplicates, ", "))
	}
	return d.addJSON([]json.RawMessage{object})
}

// An objectType is what an object says about itself.
type objectType struct{ apiVersion, kind string }

var listType = objectType{"v1", "List"}

func typeOf(object []byte) (t objectType, err error) {
	t.apiVersion, t.kind, err = unstructured.DecodeTypeMeta(object)
	return t, err
}
