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
	obj = make(map[string]any)
	for key, ok := s.FirstKey(); ok; key, ok = s.NextKey() {
		if key == "spec" {
			s.Put(obj, key, specValue(s, schemas))
		} else {
			s.Put(obj, key, s.Value())
		}
	}
	if !s.End() {
		return nil, 0
	}
	return obj, schemas.Unknown()
}

// specValue reads the spec of a definition, or a value in it, with a plainSchema for each openAPIV3Schema. Where that is
// no key of a definition, its value is dropped like that of any other unknown key.
func specValue(s *jsonscan.Scanner, schemas *schemascan.Reader) any {
	switch s.Kind() {
	case jsonscan.Array:
		l := []any{}
		for ok := s.FirstItem(); ok; ok = s.NextItem() {
			l = append(l, specValue(s, schemas))
		}
		return l
	case jsonscan.Object:
		m := make(map[string]any)
		for key, ok := s.FirstKey(); ok; key, ok = s.NextKey() {
			if key == "openAPIV3Schema" && s.Kind() != jsonscan.Null {
				s.Put(m, key, plainSchema{schemas.Schema()})
			} else {
				s.Put(m, key, specValue(s, schemas))
			}
		}
		return m
	}
	return s.Value()
}
