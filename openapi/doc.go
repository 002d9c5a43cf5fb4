// Package openapi writes the OpenAPI documents that an API server publishes for CustomResourceDefinitions. kubectl
// explain prints them, kubectl checks objects against them before it creates or applies one, and client generators read
// them.
//
//	v3, err := openapi.V3(d, "v1")           // GET /openapi/v3/apis/GROUP/VERSION, for one kind
//	v2, err := openapi.V2(defs...)           // GET /openapi/v2, for all versions that are served
//	docs, err := openapi.V3All(defs...)      // all documents of GET /openapi/v3/..., by their keys
//	index := openapi.Index(docs)             // GET /openapi/v3
//
// [MergeV3] and [MergeV2] combine these documents with others, for servers that have more than custom resources.
//
// A [Document] holds finished bytes and their hash. OpenAPI 3.0 can express everything in a schema. Version 2 cannot
// express alternatives or null, and also leaves out what kubectl's reader of version 2 cannot handle (PV2-001).
//
// # What is published
//
// Each document has the paths of the resource with all operations and parameters, the kind, its list kind, and the
// definitions that they refer to: ObjectMeta, Status, DeleteOptions and others, and Scale if the resource has that
// subresource. A schema that is not structural is not an error: its kind is published as a bare object (PV3-006).
//
// Names are those in the spec, even if the status has accepted others (PV3-003). The caller decides whether a
// definition is established, and thus whether it is published at all.
//
// # Mutation and aliasing
//
// Definitions are not modified, and a Document does not retain any part of them.
//
// # Errors
//
// A version that a definition does not have is an error with the server's text. Definitions built in Go can hold values
// that no document can: values under default, example or enum that are not JSON, or numbers that are not finite. These
// are errors that give the path of the value. Merge errors are the server's.
//
// # Concurrency
//
// A Document is safe for concurrent use by multiple goroutines.
//
// # Cost
//
// Building takes time linear in the definition, except for sorting its properties, and mostly copies prepared text. The
// document of a small definition has about 40 kB. [Document.AppendJSON] copies it, [Document.WriteTo] does not.
// json.Marshal reads it once more, which takes longer than building it.
//
// # Parity
//
// This package follows Kubernetes 1.37. Its clauses are those of the families PV3 and PV2: docs/internals/behaviour.md
// in the repository lists them with their tests. Documents are equal to the server's byte for byte, with these
// exceptions:
//
//   - Descriptions that do not come from the definition (of parameters, ObjectMeta and the other Kubernetes
//     definitions) are written for this package, so hashes never equal those of a server.
//   - The names of the shared parameters of version 2 are the server's. The server derives them from its own
//     descriptions.
//   - A version that is no longer served has no document in [V3All]. A server keeps it until the definition is deleted
//     (PV3-005).
//   - Merging fails less often: [MergeV2] leaves out each path that already exists, and merges kinds where it can
//     (PV2-014); [V3All] leaves out conflicting definitions.
//   - Version 3 is available only in JSON. Version 2 is JSON or protobuf ([Document.AppendProtobuf]). The YAML of
//     extensions in protobuf has the same value, but not always the same text.
package openapi
