// Package crd reads CustomResourceDefinition documents, of version v1 and v1beta1, as an API server does before it validates them.
//
//	d, err := crd.Parse(file)                   // JSON or YAML, one document
//	all, err := crd.ParseBundle(manifest)       // the definitions among other objects
//	d, findings, err := crd.ParseStrict(file)   // and what `kubectl apply` would complain about
//	props, err := d.Lookup().Schema("v1")
//
// It is about what the document says, not about whether a server would take it: that is package crdcheck's question. Package resource
// compiles it to work with custom objects.
//
// # The model
//
// [CustomResourceDefinition] is one Go type for both versions, in the layout of the server's unversioned form. What a document says
// stays where the document says it, so that nothing is lost for those who judge it: v1beta1 has fields of its own at the top of
// [Spec], v1 has all in its [Version]s. Three views lead on from there:
//
//   - for a version: [CustomResourceDefinition.Lookup], with its schema, subresources, columns, selectable fields and deprecation warning
//   - as a v1 document: [CustomResourceDefinition.V1], and [CustomResourceDefinition.Value] or json.Marshal to write it
//   - as a server validates and compares it: [CustomResourceDefinition.Unversioned]
//
// The steps of reading: package unstructured makes generic values of the text, bind.go sorts them into the types of
// definition.go (package schema does so with schemas), and default.go sets defaults. Of the status, accept.go has the steps, conditions.go
// and approval.go single conditions, storedversions.go the stored versions, serving.go what is served.
//
// # The status
//
// What a server writes into the status by itself can be asked for: which names are accepted beside those of other definitions, and the
// conditions ([CustomResourceDefinition.Settle] does all steps; [CustomResourceDefinition.AcceptNames],
// [CustomResourceDefinition.Establish], [CustomResourceDefinition.ApprovalCondition] and [CustomResourceDefinition.NonStructuralCondition]
// are the single ones), and the versions that objects may be stored in ([CustomResourceDefinition.StoredVersionsAfter], with
// RemovableVersions, VersionsToMigrate and Migrated for who wants to be rid of one). [CustomResourceDefinition.Answers] tells which
// requests are served then.
//
// # Mutation and aliasing
//
// No function modifies its arguments. A definition shares nothing with the text it was parsed from. The views share with it what their
// docs say.
//
// # Errors
//
// Errors of parsing are [*ParseError]s, whose texts start with `crd: ` and name the path of the offending key. A server's texts for
// such documents are those of its Go decoder; ours are for people. The findings of strict decoding are the server's, byte for byte.
//
// # Concurrency
//
// A definition that nobody modifies may be used by multiple goroutines.
//
// # Cost
//
// Parsing takes time linear in the document: most of it is the JSON decoder's, or the YAML reader's. Making a [Lookup] takes time linear in
// the number of versions, and asking it constant time.
//
// # Parity
//
// This package follows Kubernetes 1.37. Its clauses are those of the families TYP, CDC, DFT, BET, VER, DPR, DIS, NAM, EST, NSC, APP, CVL
// and PRE: docs/behaviour.md in the repository lists them with their tests. Deviations:
//
//   - Of two equal keys in JSON the last one counts. A server's decoder merges their values if these are objects, and minds the
//     type of both.
//   - A number beyond float64 (1e400) is refused everywhere, also as the value of an unknown key.
//   - Looking something up for a version that is not declared is always an error. A server's helpers for the unversioned form
//     answer for any name if nothing differs between versions.
//   - A second document in YAML is an error. A server ignores it.
//   - Keys of apiVersion and kind in another case (Kind) are found, as in a server. If both spellings are there, the right one
//     counts, wherever it stands.
package crd
