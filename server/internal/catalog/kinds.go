package catalog

import (
	_ "embed"
	"encoding/json"
	"maps"
	"strings"
	"sync"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/unstructured"
)

// This file has the built-in kinds that controllers write. The server checks the metadata of their objects and the
// types of their fields. It sets no defaults and does not validate values.

// kindsJSON is made by parity/cmd/builtins.
//
//go:embed kinds.json
var kindsJSON []byte

// A builtInKind describes a built-in kind.
type builtInKind struct {
	Group, Version, Kind, Plural string
	ShortNames, Categories       []string
	Cluster, Status, Scale       bool
	Generation                   bool
	Versioned                    bool            // updates must have a resourceVersion
	Segments                     bool            // names are path segments
	Initial                      json.RawMessage // the status of a new object, if it has one
	Selectable                   []string
	Type                         string
}

// readBuiltInKinds decodes kindsJSON.
var readBuiltInKinds = sync.OnceValue(func() (table struct {
	Kinds []builtInKind
	Types Types
}) {
	if err := json.Unmarshal(kindsJSON, &table); err != nil {
		panic(err)
	}
	maps.Copy(table.Types, requestTypes)
	return table
})

// BuiltInTypes returns the structs of built-in kinds. They must not be modified.
func BuiltInTypes() Types { return readBuiltInKinds().Types }

// kubernetesKinds returns the built-in kinds. Each is compiled when it is first needed.
var kubernetesKinds = sync.OnceValues(func() (kinds []*Kind, err error) {
	table := readBuiltInKinds()
	for i := range table.Kinds {
		b := &table.Kinds[i]
		d, err := b.definition(nil)
		if err != nil {
			return nil, err
		}
		compiled := sync.OnceValue(func() *Compiled {
			d, err := b.definition(table.Types)
			if err != nil {
				panic(err) // a test compiles all of them
			}
			return mustCompile(d)
		})
		for _, k := range kindsOf(d, compiled, true) {
			k.Type, k.Generation, k.Unconditional, k.Segments = b.Type, b.Generation, !b.Versioned, b.Segments
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

type document = map[string]any

// definition returns a definition for the kind, with a schema if types is not nil.
func (b *builtInKind) definition(types Types) (*crd.CustomResourceDefinition, error) {
	schema := document{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
	if types != nil {
		schema = types.schema(b.Type)
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
