package crdcheck

import (
	"encoding/json"
	"reflect"
	"slices"
	"sort"
	"strconv"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/schema"
)

// If a schema or a version is a bad value, a server prints it as its own Go type, with all fields (EMD-003). Our types
// have fields of the same names, but marshal as documents. The types of this file marshal as a server prints them.

// A propsValue is a schema as a bad value. It embeds the schema so that callers can read it.
type propsValue struct{ *schema.JSONSchemaProps }

// An itemsValue is the value of items.
type itemsValue struct{ *schema.SchemaOrArray }

// A versionsValue is a list of versions.
type versionsValue []crd.Version

// MarshalJSON writes a schema as a server prints it.
func (v propsValue) MarshalJSON() ([]byte, error) { return marshalFields(v.JSONSchemaProps) }

// MarshalJSON writes the value of items as a server prints it.
func (v itemsValue) MarshalJSON() ([]byte, error) { return marshalFields(v.SchemaOrArray) }

// MarshalJSON writes versions as a server prints them.
func (v versionsValue) MarshalJSON() ([]byte, error) { return marshalFields([]crd.Version(v)) }

// marshalFields returns v as JSON, with the Go names of struct fields.
func marshalFields(v any) ([]byte, error) { return appendFields(nil, reflect.ValueOf(v)) }

func appendFields(b []byte, v reflect.Value) (_ []byte, err error) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if v.IsNil() {
			return append(b, "null"...), nil
		}
	}
	switch v.Kind() {
	case reflect.Pointer:
		return appendFields(b, v.Elem())
	case reflect.Struct:
		b = append(b, '{')
		for i, name := range fieldNames(v.Type()) {
			printed := name
			if name == "Schemas" {
				printed = "JSONSchemas" // the server's name in SchemaOrArray
			}
			b = append(strconv.AppendQuote(separate(b, i), printed), ':')
			if b, err = appendFields(b, v.FieldByName(name)); err != nil {
				return nil, err
			}
		}
		return append(b, '}'), nil
	case reflect.Slice:
		b = append(b, '[')
		for i := range v.Len() {
			if b, err = appendFields(separate(b, i), v.Index(i)); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	case reflect.Map:
		keys := v.MapKeys()
		sort.Slice(keys, func(i, j int) bool { return keys[i].String() < keys[j].String() })
		b = append(b, '{')
		for i, k := range keys {
			name, err := json.Marshal(k.String())
			if err != nil {
				return nil, err
			}
			b = append(append(separate(b, i), name...), ':')
			if b, err = appendFields(b, v.MapIndex(k)); err != nil {
				return nil, err
			}
		}
		return append(b, '}'), nil
	}
	text, err := json.Marshal(v.Interface()) // scalars and JSON values
	return append(b, text...), err
}

// printedBefore has the fields that a server prints before the bools of a schema. Ours are declared last, to
// keep the struct small.
var printedBefore = map[string]string{"Nullable": "Type", "ExclusiveMaximum": "Maximum", "ExclusiveMinimum": "Minimum", "UniqueItems": "MinItems",
	"XEmbeddedResource": "XPreserveUnknownFields", "XIntOrString": "XEmbeddedResource"}

// fieldNames returns the fields of a struct in the server's order.
func fieldNames(typ reflect.Type) (names []string) {
	for i := range typ.NumField() {
		name, at := typ.Field(i).Name, i
		if f := printedBefore[name]; f != "" {
			at = slices.Index(names, f) + 1
		}
		names = slices.Insert(names, at, name)
	}
	return names
}

// separate appends a comma before all elements but the first.
func separate(b []byte, i int) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	return b
}
