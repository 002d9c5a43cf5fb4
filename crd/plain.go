package crd

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/keyword"
	"github.com/crdkit/crdkit/internal/schemadoc"
	"github.com/crdkit/crdkit/schema"
)

// A plain text is decoded directly into the types of this package, by the table of their keys. A text that is not plain
// is read again from the beginning into generic values, so that only the binder reports errors. FuzzPlain compares the
// two ways. With generic values for all but the schemas, a check of a small definition took 1.1 times as long.

// A plainDocument is a definition from a plain text.
type plainDocument struct {
	*CustomResourceDefinition
	text     []byte         // its JSON
	metadata map[string]any // as in the text
	unknown  int            // keys outside of the metadata that strict decoding reports
}

// parsePlain returns the definition in data, or nil if data is not one plain document or has errors.
func parsePlain(data []byte) (doc *plainDocument) {
	ok := eachPlain(data, func(text []byte) bool {
		if doc != nil {
			return false
		}
		doc = readPlain(text)
		return doc != nil
	})
	if !ok {
		return nil
	}
	return doc
}

// findings returns the findings of strict decoding. It reports false if they may be incomplete or out of order.
func (d *plainDocument) findings() (findings []string, all bool) {
	if d.unknown > 1 {
		return nil, false
	}
	text := d.text
	if d.unknown == 0 {
		var err error
		if text, err = json.Marshal(map[string]any{"metadata": d.metadata}); err != nil {
			return nil, false
		}
	}
	// A plain text has no duplicate keys. With a single finding, the order of the keys does not matter.
	findings, err := keyword.Findings(text, knownKeys(d.APIVersion))
	return findings, err == nil && len(findings) <= 1
}

// parsePlainAll returns the definitions of all documents in data. It reports false if one is not plain or has errors.
func parsePlainAll(data []byte, others bool) (all []*CustomResourceDefinition, ok bool) {
	p := parser{others: others}
	ok = eachPlain(data, func(text []byte) bool {
		if doc := readPlain(text); doc != nil {
			p.all = append(p.all, doc.CustomResourceDefinition)
			return true
		}
		s := jsonscan.New(text)
		defer s.Release()
		obj := s.Map()
		return s.End() && p.document(obj, objectType{}) == nil
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
	r := jsonscan.NewYAML(data)
	for text, ok := r.Next(); ok; text, ok = r.Next() {
		if !f(text) {
			return false
		}
	}
	return !r.Declined()
}

// readPlain returns the definition in text, which is JSON, or nil if it is not plain or has errors.
func readPlain(text []byte) *plainDocument {
	s := jsonscan.New(text)
	defer s.Release()
	r := plainReader{Scanner: s, schemas: schemadoc.NewReader(s)}
	defer r.schemas.Release()
	d := new(CustomResourceDefinition)
	r.definition(d)
	if !s.End() {
		return nil
	}
	if d.Metadata == nil {
		d.Metadata = map[string]any{}
	}
	d.setDefaults()
	return &plainDocument{d, text, r.metadata, r.unknown + r.schemas.Unknown()}
}

// A plainReader reads one definition. Like the [binder], it takes a null for an absent key or an empty list element. It
// declines the text where the binder reports an error.
type plainReader struct {
	*jsonscan.Scanner
	schemas  *schemadoc.Reader
	old      bool           // v1beta1
	metadata map[string]any // with the keys that the definition does not keep
	unknown  int            // keys outside of the metadata and of schemas
}

// definition reads a document. It declines one that does not begin with the type of a definition.
func (r *plainReader) definition(d *CustomResourceDefinition) {
	kind, seen := "", uint64(0)
	isOne := func() bool { return (objectType{d.APIVersion, kind}).check() == nil }
	for key, ok := r.FirstKey(); ok; key, ok = r.NextKey() {
		switch {
		case key == "apiVersion" && d.APIVersion == "":
			d.APIVersion = r.Own()
		case key == "kind" && kind == "":
			kind = r.Own()
		case strings.EqualFold(key, "apiVersion") || strings.EqualFold(key, "kind") || !isOne():
			r.Decline()
		default:
			r.old = d.APIVersion == APIVersionV1beta1
			r.field(reflect.ValueOf(d).Elem(), key, &seen)
		}
	}
	if !isOne() {
		r.Decline()
	}
}

// fields reads an object into a struct.
func (r *plainReader) fields(into reflect.Value) {
	var seen uint64 // a bit for each field
	for key, ok := r.FirstKey(); ok; key, ok = r.NextKey() {
		r.field(into, key, &seen)
	}
}

// field reads the value of a key into the field of a struct. The value of an unknown key is dropped (CDC-003).
func (r *plainReader) field(into reflect.Value, key string, seen *uint64) {
	i := slices.Index(layouts[into.Type()].keys(r.old), key)
	if i < 0 || key == "" {
		r.unknown++
		r.Value()
		return
	}
	if *seen&(1<<i) != 0 {
		r.Decline()
	}
	*seen |= 1 << i
	r.read(into.Field(i))
}

// read reads the next value.
func (r *plainReader) read(into reflect.Value) {
	if r.Kind() == jsonscan.Null {
		r.Null()
		return
	}
	switch p := into.Addr().Interface().(type) {
	case *string:
		*p = r.Own()
		return
	case *bool:
		*p = r.Bool()
		return
	case **schema.JSONSchemaProps:
		*p = r.schemas.Schema()
		return
	case *map[string]any:
		r.metadata = r.Map()
		r.bind(p, r.metadata)
		return
	case *ServiceReference:
		p.Port = defaultPort
	case *Conversion:
		if !r.old {
			var c conversionV1
			r.fields(reflect.ValueOf(&c).Elem())
			*p = c.conversion()
			return
		}
	}
	switch {
	case layouts[into.Type()] != nil:
		r.fields(into)
	case into.Kind() == reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		r.read(into.Elem())
	case into.Kind() == reflect.Slice && into.Type().Elem().Kind() != reflect.Uint8:
		into.Set(reflect.MakeSlice(into.Type(), 0, 1))
		for ok := r.FirstItem(); ok; ok = r.NextItem() {
			into.Set(reflect.Append(into, reflect.Zero(into.Type().Elem())))
			r.read(into.Index(into.Len() - 1))
		}
	default:
		r.bind(into.Addr().Interface(), r.Value())
	}
}

// bind sets what into points to from v, as the binder does.
func (r *plainReader) bind(into, v any) {
	b := binder{old: r.old}
	if b.decode(into, v); b.wrong != nil {
		r.Decline()
	}
}
