// Package crd reads CustomResourceDefinition documents, of version v1 and v1beta1, as an API server does before it
// validates them.
//
//	d, err := crd.Parse(file)                   // JSON or YAML, one document
//	all, err := crd.ParseBundle(manifest)       // the definitions among other objects
//	d, findings, err := crd.ParseStrict(file)   // and the warnings of `kubectl apply`
//	props, err := d.Lookup().Schema("v1")
//
// This package is about the content of a document. Package crdcheck checks whether a server would accept it. Package
// resource compiles it to handle custom objects.
//
// # The model
//
// [CustomResourceDefinition] is one Go type for both versions, in the layout of the server's unversioned form.
// Everything stays where the document has it, so that no information is lost for validation: v1beta1 has its own fields
// at the top of [Spec], v1 has everything in its [Version]s. There are three views of it:
//
//   - for a version: [CustomResourceDefinition.Lookup], with its schema, subresources, columns, selectable fields and
//     deprecation warning
//   - as a v1 document: [CustomResourceDefinition.V1], and [CustomResourceDefinition.Value] or json.Marshal to write it
//   - as a server validates and compares it: [CustomResourceDefinition.Unversioned]
//
// # The status
//
// The package computes what a server itself writes into the status: which names are accepted, given those of other
// definitions; the conditions ([CustomResourceDefinition.Settle]); and the versions that objects may be stored in
// ([CustomResourceDefinition.StoredVersionsAfter]).
//
// # Mutation and aliasing
//
// No function modifies its arguments. A definition shares nothing with the text it was parsed from. The views share
// parts with it, as their docs say.
//
// # Errors
//
// Parse errors are [*ParseError]s. Their texts start with `crd: ` and contain the path of the offending key. They are
// written for people; a server has the texts of its Go decoder instead. The findings of strict decoding are the
// server's, byte for byte.
//
// # Concurrency
//
// A definition may be used by multiple goroutines as long as it is not modified.
//
// # Cost
//
// Parsing takes time linear in the document, most of it in the JSON decoder or the YAML reader. Making a [Lookup] takes
// time linear in the number of versions; its methods take constant time.
//
// # Parity
//
// This package follows Kubernetes 1.37. Its clauses are those of the families TYP, CDC, DFT, BET, VER, DPR, DIS,
// NAM, EST, NSC, APP, CVL and PRE: docs/internals/behaviour.md in the repository lists them with their tests.
// Deviations:
//
//   - If JSON has duplicate keys, the last value is used. A server's decoder merges the values if they are objects, and
//     checks the types of both.
//   - A number beyond float64 (1e400) is refused everywhere, even as the value of an unknown key.
//   - Looking something up for a version that is not declared is always an error. A server's helpers for the
//     unversioned form return a result for any name if nothing differs between versions.
//   - A second document in YAML is an error. A server ignores it.
//   - If a schema has several things that no structural schema can express, such as definitions, the message of
//     NonStructuralSchema has the first in the order of [schema.Violations]. A server picks any.
//   - The keys apiVersion and kind are found in any case (Kind), as in a server. If there are several spellings, the
//     exact one wins, whatever its position.
package crd

// A document is read in these steps: package unstructured decodes the text into generic values, bind.go decodes these
// into the types of definition.go (package schema does the same for schemas), and default.go sets defaults. The tags of
// the types are the list of all keys: keys.go makes a table of it. For the status, accept.go has the steps,
// conditions.go the single conditions, and storedversions.go the stored versions.
