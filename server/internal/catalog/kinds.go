package catalog

import (
	_ "embed"
	"encoding/json"
	"strings"
	"sync"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/unstructured"
)

// This file has the kinds that Kubernetes has and controllers write. Their objects are stored with the checks of metadata and of the types
// of fields, and without what Kubernetes knows of them besides: no defaults, no validation.

// kindsJSON is made by parity/cmd/builtins.
//
//go:embed kinds.json
var kindsJSON []byte

// A fact is what there is to know of a built-in kind.
type fact struct {
	Group, Version, Kind, Plural string
	ShortNames, Categories       []string
	Cluster, Status, Scale       bool
	Generation                   bool
	Versioned                    bool            // updates need a resourceVersion
	Segments                     bool            // names are segments of a path
	Initial                      json.RawMessage // the status of a new object, if it has one
	Selectable                   []string
	Type                         string
}

// A Field is a field of a [Struct].
type Field struct {
	Name    string   // empty: the fields of the type are in its place, in JSON
	Number  int      // in protobuf
	Type    string   // see [Types]
	List    string   // x-kubernetes-list-type; empty: atomic
	Keys    []string // of a list map
	Default any      // of a key of a list map
	Merge   bool     // a strategic merge patch merges the list
	Key     string   // ... by this field of its objects
	Retain  bool     // a strategic merge patch may say which keys are left
	Omit    bool     // a zero is left out of JSON, and is in protobuf nevertheless
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

// Types are the structs of built-in kinds, by name. The type of a field is one of these names or a word (string, bool, int, float, bytes, time,
// duration, quantity, intOrString, raw, and those of schemas: json, schemaOrBool, schemaOrArray, schemaOrStrings), with [] before it for a list and {} for a map of it.
type Types map[string]*Struct

// facts are what kindsJSON says.
var facts = sync.OnceValues(func() (f struct {
	Kinds []fact
	Types Types
}, err error) {
	err = json.Unmarshal(kindsJSON, &f)
	return f, err
})

// BuiltInTypes returns the structs of built-in kinds. They must not be modified.
func BuiltInTypes() Types {
	f, err := facts()
	if err != nil {
		panic(err) // a test has read them
	}
	return f.Types
}

// Field returns the field of that name, also from where another type stands in the place of a field, or nil.
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

// stockKinds returns the kinds of Kubernetes, each compiled when it is first needed.
var stockKinds = sync.OnceValues(func() (kinds []*Kind, err error) {
	f, err := facts()
	if err != nil {
		return nil, err
	}
	for i := range f.Kinds {
		of := &f.Kinds[i]
		d, err := of.definition(nil)
		if err != nil {
			return nil, err
		}
		compiled := sync.OnceValue(func() *Compiled {
			d, err := of.definition(f.Types)
			if err != nil {
				panic(err) // a test has compiled all of them
			}
			return mustCompile(d)
		})
		for _, k := range kindsOf(d, compiled, true) {
			k.Type, k.Generation, k.Unconditional, k.Segments = of.Type, of.Generation, !of.Versioned, of.Segments
			if of.Initial != nil {
				if k.Initial, err = unstructured.DecodeJSON(of.Initial); err != nil {
					return nil, err
				}
			}
			kinds = append(kinds, k)
		}
	}
	return kinds, nil
})

type document = map[string]any

// definition returns the kind in the form of a definition: with its schema, if there are types.
func (f *fact) definition(types Types) (*crd.CustomResourceDefinition, error) {
	schema := document{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
	if types != nil {
		schema = types.schema(f.Type)
		schema["properties"].(document)["metadata"] = document{"type": "object"}
	}
	subresources := document{}
	if f.Status {
		subresources["status"] = document{}
	}
	if f.Scale {
		subresources["scale"] = document{"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
	}
	scope := crd.NamespaceScoped
	if f.Cluster {
		scope = crd.ClusterScoped
	}
	selectable := []any{}
	for _, path := range f.Selectable {
		selectable = append(selectable, document{"jsonPath": path})
	}
	text, err := json.Marshal(document{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": document{"name": f.Plural + "." + f.Group},
		"spec": document{
			"group": f.Group, "scope": scope,
			"names": document{
				"plural": f.Plural, "singular": strings.ToLower(f.Kind), "kind": f.Kind, "listKind": f.Kind + "List",
				"shortNames": f.ShortNames, "categories": f.Categories,
			},
			"versions": []any{document{
				"name": f.Version, "served": true, "storage": true, "schema": document{"openAPIV3Schema": schema},
				"subresources": subresources, "selectableFields": selectable,
			}},
		},
	})
	if err != nil {
		return nil, err
	}
	return crd.Parse(text)
}

// schema returns the schema of a type.
func (t Types) schema(of string) document {
	if element, ok := strings.CutPrefix(of, "[]"); ok {
		return document{"type": "array", "items": t.schema(element)}
	}
	if element, ok := strings.CutPrefix(of, "{}"); ok {
		return document{"type": "object", "additionalProperties": t.schema(element)}
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
	out := document{"type": "object", "properties": t.properties(s)}
	if s.Atomic {
		out["x-kubernetes-map-type"] = "atomic"
	}
	return out
}

func (t Types) properties(s *Struct) document {
	out := document{}
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.Name == "" {
			for name, p := range t.properties(t[f.Type]) {
				out[name] = p
			}
			continue
		}
		p := t.schema(f.Type)
		if f.List != "" {
			p["x-kubernetes-list-type"] = f.List
		}
		if f.List == "map" {
			p["x-kubernetes-list-map-keys"] = f.Keys
		}
		if f.Default != nil {
			p["default"] = f.Default
		}
		out[f.Name] = p
	}
	return out
}
