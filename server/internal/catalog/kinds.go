package catalog

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"strings"
	"sync"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/internal/fill"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/since"
	"github.com/crdkit/crdkit/openapi"
	"github.com/crdkit/crdkit/unstructured"
)

// This file has the built-in kinds. The server checks the metadata of their objects and the types of their fields, and
// sets their defaults.

// kindsJSON is made by parity/cmd/builtins.
//
//go:embed kinds.json
var kindsJSON []byte

// defaultsJSON is made by parity/defaults. By type and field, it has the defaults that do not depend on other fields.
//
//go:embed defaults.json
var defaultsJSON []byte

// A builtInKind describes a built-in kind.
type builtInKind struct {
	Group, Version, Kind, Plural string
	ShortNames, Categories       []string
	Cluster, Status, Scale       bool
	Generation                   bool
	Versioned                    bool            // updates must have a resourceVersion
	Segments                     bool            // names are path segments
	Initial                      json.RawMessage // the status of a new object, if it has one
	CreatesStatus                bool            // a create may set the status
	ReturnsDeleted               bool            // the answer to a DELETE is the object
	Keeps                        []string        // metadata that a write to the status does not change
	Selectable                   []string
	Type                         string
	DeprecatedIn                 since.Minor
	Deprecation                  string
}

// readBuiltInKinds decodes kindsJSON and defaultsJSON.
var readBuiltInKinds = sync.OnceValue(func() (table struct {
	Kinds []builtInKind
	Types Types
}) {
	var defaults map[string]map[string]Fill
	if err := cmp.Or(decodeTable(kindsJSON, &table), decodeTable(defaultsJSON, &defaults)); err != nil {
		panic(err) // a test reads them
	}
	for of, fields := range defaults {
		for name, fill := range fields {
			table.Types.Field(of, name).Fill = &fill
		}
	}
	return table
})

// decodeTable decodes JSON. Numbers are as in objects.
func decodeTable(text []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(to)
}

// BuiltInTypes returns the structs of built-in kinds. They must not be modified.
func BuiltInTypes() Types { return readBuiltInKinds().Types }

// kubernetesKinds returns the built-in kinds. Each is compiled when it is first needed.
var kubernetesKinds = sync.OnceValues(func() (kinds []*Kind, err error) {
	table := readBuiltInKinds()
	for i := range table.Kinds {
		b := &table.Kinds[i]
		d, err := b.definition(nil, false)
		if err != nil {
			return nil, err
		}
		of := &plan.BuiltIn{
			StatusKeeps: b.Keeps, CreatesStatus: b.CreatesStatus, Fields: selectableFields[b.Type], UnknownField: unknownFields[b.Type],
			Registry: registryOf(b.Group, b.Plural), ScaleSelector: scaleSelector,
			Complete: func(obj map[string]any, values int) (map[string]any, bool) {
				return defaultBuiltIn(b.Type, obj, values)
			},
			DecodeError: func(text []byte) error { return table.Types.DecodeError(b.Type, text) },
		}
		compiled := sync.OnceValue(func() *Compiled {
			d, err := b.definition(table.Types, false)
			if err != nil {
				panic(err) // a test compiles all of them
			}
			return mustCompile(d, of, table.Types.structOf(b.Type))
		})
		for _, k := range kindsOf(d, compiled, true) {
			k.Type, k.Generation, k.Unconditional, k.Segments = b.Type, b.Generation, !b.Versioned, b.Segments
			k.Lists = table.Types.lists(b.Type)
			k.ReturnsDeleted = b.ReturnsDeleted
			k.DeprecatedIn, k.Deprecation = b.DeprecatedIn, b.Deprecation
			if b.Initial != nil {
				if k.Initial, err = unstructured.DecodeJSON(b.Initial); err != nil {
					return nil, err
				}
			}
			kinds = append(kinds, k)
		}
	}
	return kinds, nil
})

// coreDocument is the key of the OpenAPI document of the core group.
var coreDocument = openapi.Key("", "v1")

// kubernetesDocuments returns the OpenAPI documents of version 3 for the built-in kinds and namespaces, by key. Their
// schemas have no descriptions and no names: the types of fields are repeated where they are used.
var kubernetesDocuments = sync.OnceValue(func() map[string]*openapi.Document {
	own, err := serverKinds()
	all := make([]*crd.CustomResourceDefinition, 0, len(own))
	for _, k := range own {
		if k.Group == "" {
			all = append(all, k.Definition)
		}
	}
	table := readBuiltInKinds()
	for i := range table.Kinds {
		d, invalid := table.Kinds[i].definition(table.Types, true)
		err = cmp.Or(err, invalid)
		all = append(all, d)
	}
	docs, conflict := openapi.V3All(all...)
	if err = cmp.Or(err, conflict); err != nil {
		panic(err) // a test makes them
	}
	return docs
})

// defaultBuiltIn returns an object of a built-in type with its defaults. Each object that is decoded passes through it:
// what a client has sent, the result of a patch, and what admission returns. It does not modify obj. It reports false
// if it would add more than that number of values.
func defaultBuiltIn(of string, obj map[string]any, values int) (map[string]any, bool) {
	return BuiltInTypes().Complete(of, obj, values)
}

// Decoded returns an object of a built-in kind as the decoder of a server gives it, with its defaults. Definitions and
// namespaces are returned as they are. It does not modify obj.
func (k *Kind) Decoded(obj map[string]any) (map[string]any, error) {
	if k.Described() {
		return obj, nil
	}
	out, ok := BuiltInTypes().Complete(k.Type, obj, fill.MaxValues)
	if !ok {
		return nil, &defaulting.LimitError{Limit: defaulting.Limit{Values: fill.MaxValues, Bytes: fill.MaxBytes}}
	}
	return out, nil
}

type document = map[string]any

// definition returns a definition for the kind, with a schema if types is not nil, and with formats in it.
func (b *builtInKind) definition(types Types, formats bool) (*crd.CustomResourceDefinition, error) {
	schema := document{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
	if types != nil {
		schema = types.schema(b.Type, formats)
		schema["properties"].(document)["metadata"] = document{"type": "object"}
	}
	subresources := document{}
	if b.Status {
		subresources["status"] = document{}
	}
	if b.Scale {
		subresources["scale"] = document{"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
	}
	scope := crd.NamespaceScoped
	if b.Cluster {
		scope = crd.ClusterScoped
	}
	selectable := []any{}
	for _, path := range b.Selectable {
		selectable = append(selectable, document{"jsonPath": path})
	}
	text, _ := json.Marshal(document{ // cannot fail: it has only strings, lists and documents
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": document{"name": b.Plural + "." + b.Group},
		"spec": document{
			"group": b.Group, "scope": scope,
			"names": document{
				"plural": b.Plural, "singular": strings.ToLower(b.Kind), "kind": b.Kind, "listKind": b.Kind + "List",
				"shortNames": b.ShortNames, "categories": b.Categories,
			},
			"versions": []any{document{
				"name": b.Version, "served": true, "storage": true, "schema": document{"openAPIV3Schema": schema},
				"subresources": subresources, "selectableFields": selectable,
			}},
		},
	})
	return crd.Parse(text)
}
