package schema

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/crdkit/crdkit/internal/keyword"
)

// Value returns the schema as generic values, the reverse of [FromValue]: an openAPIV3Schema with the keys that a
// server writes. Empty strings, lists and maps, false and nil are omitted, and so are `nullable: false`, `required: []`
// and `properties: {}`. Values behind pointers are always written, such as `minimum: 0` and `$ref: ""`. The value of
// items without a schema is null.
//
// The maps and lists are new, except for the values of default, example and enum: these are shared with p, and must not
// be modified while p is in use. The value of a nil p is nil. p must not contain itself.
func (p *JSONSchemaProps) Value() any {
	if p == nil {
		return nil
	}
	return members(reflect.ValueOf(p).Elem(), keywords)
}

// MarshalJSON writes the result of [JSONSchemaProps.Value], with sorted keys.
func (p JSONSchemaProps) MarshalJSON() ([]byte, error) { return json.Marshal(p.Value()) }

// UnmarshalJSON is [Decode] for encoding/json. An error or a JSON null leaves p unchanged.
func (p *JSONSchemaProps) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	decoded, err := Decode(data)
	if err != nil {
		return err
	}
	*p = *decoded
	return nil
}

// members returns the keywords of the struct s that are set, with their values.
func members(s reflect.Value, t *keyword.Table) map[string]any {
	m := make(map[string]any)
	for i, name := range t.Names {
		if s.Field(i).IsZero() {
			continue
		}
		if v, ok := valueOf(keyword.Field(s, i)); ok {
			m[name] = v
		}
	}
	return m
}

// valueOf returns the value of a non-zero field, given by a pointer. The second result is false for empty lists and
// maps.
func valueOf(field any) (v any, ok bool) {
	switch f := field.(type) {
	case *string:
		return *f, true
	case **string:
		return **f, true
	case *bool:
		return *f, true
	case **bool:
		return **f, true
	case **int64:
		return **f, true
	case **float64:
		return **f, true
	case *[]string:
		return textValues(*f), len(*f) > 0
	case *any:
		return *f, true
	case *[]any:
		return slices.Clip(*f), len(*f) > 0
	case **JSONSchemaProps:
		return (*f).Value(), true
	case *[]*JSONSchemaProps:
		return schemaValues(*f), len(*f) > 0
	case *map[string]*JSONSchemaProps:
		out := make(map[string]any, len(*f))
		for k, p := range *f {
			out[k] = p.Value()
		}
		return out, len(out) > 0
	case **SchemaOrBool:
		if s := *f; s.Schema == nil {
			return s.Allows, true
		}
		return (*f).Schema.Value(), true
	case **SchemaOrArray:
		if s := *f; len(s.Schemas) > 0 {
			return schemaValues(s.Schemas), true
		}
		return (*f).Schema.Value(), true
	case *map[string]SchemaOrStrings:
		out := make(map[string]any, len(*f))
		for k, s := range *f {
			if len(s.Property) > 0 {
				out[k] = textValues(s.Property)
			} else {
				out[k] = s.Schema.Value()
			}
		}
		return out, len(out) > 0
	case **ExternalDocumentation:
		return members(reflect.ValueOf(*f).Elem(), docsKeywords), true
	case *[]ValidationRule:
		out := make([]any, len(*f))
		for i := range *f {
			rule := members(reflect.ValueOf(&(*f)[i]).Elem(), ruleKeywords)
			if _, ok := rule["rule"]; !ok {
				rule["rule"] = "" // is always written
			}
			out[i] = rule
		}
		return out, len(out) > 0
	}
	return nil, false
}

func schemaValues(l []*JSONSchemaProps) []any {
	out := make([]any, len(l))
	for i, p := range l {
		out[i] = p.Value()
	}
	return out
}

func textValues(l []string) []any {
	out := make([]any, len(l))
	for i, s := range l {
		out[i] = s
	}
	return out
}
