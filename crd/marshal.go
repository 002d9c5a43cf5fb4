package crd

import (
	"encoding/base64"
	"encoding/json"
	"reflect"
	"time"

	"github.com/crdkit/crdkit/schema"
)

// Value returns the definition as generic values: a v1 document with the keys that a server writes. A v1beta1
// definition is converted as by [CustomResourceDefinition.V1]. Empty fields are omitted as in a server; `conditions`,
// `acceptedNames`, `storedVersions`, `versions` and `conversionReviewVersions` are always present, null if necessary.
//
// The maps and lists are new, except Metadata and the values of default, example and enum in schemas: these belong to
// d, and must not be modified while d is in use.
func (d *CustomResourceDefinition) Value() map[string]any {
	m := objectValue(reflect.ValueOf(d.V1()).Elem())
	m["apiVersion"], m["kind"] = APIVersionV1, Kind
	return m
}

// MarshalJSON writes the [CustomResourceDefinition.Value] of d, with sorted keys.
func (d CustomResourceDefinition) MarshalJSON() ([]byte, error) { return json.Marshal(d.Value()) }

// UnmarshalJSON is [Parse] for encoding/json. An error leaves d unchanged, and so does a JSON null.
func (d *CustomResourceDefinition) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	parsed, err := Parse(data)
	if err != nil {
		return err
	}
	*d = *parsed
	return nil
}

// objectValue returns the fields of a struct by their keys in v1.
func objectValue(s reflect.Value) map[string]any {
	m := map[string]any{}
	l := layouts[s.Type()]
	for i, key := range l.v1 {
		if f := s.Field(i); key != "" && !(l.omitEmpty[i] && isEmpty(f)) {
			m[key] = valueOf(f)
		}
	}
	return m
}

func valueOf(v reflect.Value) any {
	switch x := v.Interface().(type) {
	case int32:
		return int64(x)
	case []byte:
		return base64.StdEncoding.EncodeToString(x)
	case time.Time:
		if x.IsZero() {
			return nil
		}
		return x.UTC().Format(time.RFC3339)
	case map[string]any: // the metadata
		if x == nil {
			return map[string]any{}
		}
	case *schema.JSONSchemaProps:
		return x.Value()
	case Conversion:
		return objectValue(reflect.ValueOf(x.v1()))
	}
	switch v.Kind() {
	case reflect.Struct:
		return objectValue(v)
	case reflect.Pointer:
		return valueOf(v.Elem())
	case reflect.Slice:
		if v.IsNil() {
			return nil
		}
		l := make([]any, v.Len())
		for i := range l {
			l[i] = valueOf(v.Index(i))
		}
		return l
	}
	return v.Interface()
}

// isEmpty reports whether a server omits a value. A pointer to false counts as empty: the only *bool here is
// PreserveUnknownFields, which is a plain bool in the server's v1 type.
func isEmpty(v reflect.Value) bool {
	if b, ok := v.Interface().(*bool); ok {
		return b == nil || !*b
	}
	return v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0
}
