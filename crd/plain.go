package crd

import (
	"bytes"
	"encoding/json"

	"github.com/crdkit/crdkit/internal/blockyaml"
	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/schemascan"
	"github.com/crdkit/crdkit/internal/strictjson"
	"github.com/crdkit/crdkit/schema"
)

// A definition consists mostly of schemas, and schemas mostly of descriptions. So the schemas of a plain text are
// decoded directly into their structs, and the rest, which is small, is decoded into generic values as for all
// documents. A text that is not plain is read again from the beginning, so that only one place reports errors.

// parsePlain returns the definition in data, or nil if data is not one plain document or has errors. It calls strict,
// unless that is nil, with the text of the document, its generic values without its schemas, and the number of unknown
// keys in the schemas.
func parsePlain(data []byte, strict func(text []byte, obj map[string]any, unknown int)) (d *CustomResourceDefinition) {
	ok := eachPlain(data, func(text []byte) bool {
		if d != nil {
			return false
		}
		obj, unknown := scan(text)
		if obj == nil {
			return false
		}
		t, wrong := typeOf(obj)
		if wrong == nil {
			d, wrong = bind(obj, t)
		}
		if wrong == nil && strict != nil {
			strict(text, obj, unknown)
		}
		return wrong == nil
	})
	if !ok {
		return nil
	}
	return d
}

// parsePlainStrict is parsePlain with the findings of strict decoding. It reports false if there may be others.
func parsePlainStrict(data []byte) (d *CustomResourceDefinition, findings []string, all bool) {
	d = parsePlain(data, func(text []byte, obj map[string]any, unknown int) {
		t, _ := typeOf(obj)
		if all = unknown == 0 && known(obj, t); !all && unknown <= 1 {
			// No key comes twice. With one finding, the order of the keys in the text is not relevant either.
			var err error
			findings, err = strictjson.Findings(text, knownKeys(t.apiVersion))
			all = err == nil && len(findings) <= 1
		}
	})
	return d, findings, d != nil && all
}

// parsePlainAll returns the definitions of all documents in data. It reports false if one is not plain or has errors.
func parsePlainAll(data []byte, others bool) (all []*CustomResourceDefinition, ok bool) {
	p := parser{others: others}
	ok = eachPlain(data, func(text []byte) bool {
		obj, _ := scan(text)
		return obj != nil && p.document(obj, objectType{}) == nil
	})
	return p.all, ok
}

// eachPlain calls f with the JSON of each document in data that has content, until f returns false. It reports whether
// f never returned false and all documents could be split.
func eachPlain(data []byte, f func(text []byte) bool) bool {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if begin := bytes.TrimLeft(data, " \t\r\n"); len(begin) > 0 && begin[0] == '{' {
		return f(begin)
	}
	r := blockyaml.New(data)
	for text, ok := r.Next(); ok; text, ok = r.Next() {
		if !f(text) {
			return false
		}
	}
	return !r.Declined()
}

// known reports whether strict decoding has no findings for an object, apart from its schemas.
func known(obj map[string]any, t objectType) bool {
	text, err := json.Marshal(obj)
	if err != nil {
		return false
	}
	findings, err := strictjson.Findings(text, knownKeys(t.apiVersion))
	return err == nil && len(findings) == 0
}

// A plainSchema is a schema in place of its generic value.
type plainSchema struct{ *schema.JSONSchemaProps }

// MarshalJSON writes an empty schema: the content has been checked already.
func (plainSchema) MarshalJSON() ([]byte, error) { return []byte("{}"), nil }

// scan returns the object in data, a JSON text, with a plainSchema for each schema, and the number of unknown keys in
// the schemas. The object is nil if the text is not plain.
func scan(data []byte) (obj map[string]any, unknown int) {
	s := jsonscan.New(data)
	defer s.Release()
	schemas := schemascan.New(s)
	defer schemas.Release()
	r := planReader{s, schemas}
	obj = r.object(r.document)
	if !s.End() {
		return nil, 0
	}
	return obj, schemas.Unknown()
}

// A planReader reads the levels of a definition that lead to its schemas, and its metadata. Each method returns the
// value of a key.
type planReader struct {
	s       *jsonscan.Scanner
	schemas *schemascan.Reader
}

// object reads the next object, using value for its values.
func (r planReader) object(value func(key string) any) map[string]any {
	m := make(map[string]any)
	for key, ok := r.s.FirstKey(); ok; key, ok = r.s.NextKey() {
		r.s.Put(m, key, value(key))
	}
	return m
}

// below reads the next value, using value for the values of its keys if it is an object.
func (r planReader) below(value func(key string) any) any {
	if r.s.Kind() != jsonscan.Object {
		return r.s.Value()
	}
	return r.object(value)
}

func (r planReader) document(key string) any {
	switch key {
	case "spec":
		return r.below(r.spec)
	case "metadata":
		return r.below(r.value)
	}
	return r.s.Value()
}

func (r planReader) spec(key string) any {
	switch {
	case key == "names":
		return r.below(r.value)
	case key == "validation":
		return r.below(r.validation)
	case key != "versions" || r.s.Kind() != jsonscan.Array:
		return r.s.Value()
	}
	versions := []any{}
	for ok := r.s.FirstItem(); ok; ok = r.s.NextItem() {
		versions = append(versions, r.below(r.version))
	}
	return versions
}

func (r planReader) value(string) any { return r.s.Value() }

func (r planReader) version(key string) any {
	if key != "schema" {
		return r.s.Value()
	}
	return r.below(r.validation)
}

func (r planReader) validation(key string) any {
	if key != "openAPIV3Schema" || r.s.Kind() == jsonscan.Null {
		return r.s.Value()
	}
	return plainSchema{r.schemas.Schema()}
}
