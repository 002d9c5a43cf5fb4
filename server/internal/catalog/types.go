package catalog

import (
	"maps"
	"strings"
)

// A Field is a field of a [Struct].
type Field struct {
	Name    string   // empty: the type is embedded
	Number  int      // the field number in protobuf
	Type    string   // see [Types]
	Go      string   // the name of the Go type; empty: see usualName
	List    string   // x-kubernetes-list-type; empty: atomic
	Keys    []string // of a list map
	Default any      // of a list map key
	Merge   bool     // a strategic merge patch merges the list
	Key     string   // by this field of its objects, if it is not empty
	Retain  bool     // a strategic merge patch may have $retainKeys
	Omit    bool     // JSON omits a zero value or an empty list or map (protobuf does not)
	Atomic  bool     // x-kubernetes-map-type of a map is atomic
	Always  any      // what JSON has if nothing is set: an empty struct, or a zero scalar; nil: nothing
	Fill    *Fill    // from defaults.json; nil: none
}

// A Fill is a default that does not depend on other fields.
type Fill struct {
	Value any
	Zero  bool // it replaces a zero value
}

// A Struct is a type with fields.
type Struct struct {
	Atomic bool
	Fields []Field
}

// DefinitionType is the type of definitions, and SchemaType that of their schemas.
const (
	DefinitionType = apiextensions + "CustomResourceDefinition"
	SchemaType     = apiextensions + "JSONSchemaProps"
	apiextensions  = "apiextensions-apiserver.pkg.apis.apiextensions.v1."
)

// Types are the structs of built-in kinds, by name. The type of a field is one of these names or one of string, bool,
// int, float, bytes, time, duration, quantity, intOrString, raw and, in schemas, json, schemaOrBool, schemaOrArray and
// schemaOrStrings. A list has the prefix [], a map the prefix {}.
type Types map[string]*Struct

// Field returns the field with a name, or nil. It may be a field of an embedded type.
func (t Types) Field(of, name string) *Field {
	s := t[of]
	if s == nil {
		return nil
	}
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.Name == name {
			return f
		}
		if f.Name == "" {
			if inner := t.Field(f.Type, name); inner != nil {
				return inner
			}
		}
	}
	return nil
}

// schema returns the schema of a type. It has formats if it is for a document: a server's decoder checks these, and not
// its validation.
func (t Types) schema(of string, formats bool) document {
	if element, ok := strings.CutPrefix(of, "[]"); ok {
		return document{"type": "array", "items": t.schema(element, formats)}
	}
	if element, ok := strings.CutPrefix(of, "{}"); ok {
		return document{"type": "object", "additionalProperties": t.schema(element, formats)}
	}
	if format := map[string]string{"bytes": "byte", "time": "date-time"}[of]; format != "" && formats {
		return document{"type": "string", "format": format}
	}
	switch of {
	case "bool":
		return document{"type": "boolean"}
	case "int":
		return document{"type": "integer"}
	case "float":
		return document{"type": "number"}
	case "quantity", "intOrString":
		return document{"x-kubernetes-int-or-string": true}
	case "raw":
		return document{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
	}
	s := t[of]
	if s == nil { // string, bytes, time, duration
		return document{"type": "string"}
	}
	out := document{"type": "object", "properties": t.properties(s, formats)}
	if s.Atomic {
		out["x-kubernetes-map-type"] = "atomic"
	}
	return out
}

func (t Types) properties(s *Struct, formats bool) document {
	out := document{}
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.Name == "" {
			maps.Copy(out, t.properties(t[f.Type], formats))
			continue
		}
		p := t.schema(f.Type, formats)
		if f.List != "" {
			p["x-kubernetes-list-type"] = f.List
		}
		if f.List == "map" {
			p["x-kubernetes-list-map-keys"] = f.Keys
		}
		if f.Default != nil {
			p["default"] = f.Default
		}
		if f.Atomic {
			p["x-kubernetes-map-type"] = "atomic"
		}
		out[f.Name] = p
	}
	return out
}
