// Package openapi writes the OpenAPI documents that an API server publishes for CustomResourceDefinitions: what kubectl explain
// prints, what kubectl looks into before it creates or applies an object, and what generators of clients read.
//
//	v3, err := openapi.V3(d, "v1")           // GET /openapi/v3/apis/GROUP/VERSION, for one kind
//	v2, err := openapi.V2(defs...)           // GET /openapi/v2, for all versions that are served
//	docs, err := openapi.V3All(defs...)      // all documents of GET /openapi/v3/..., by their keys
//	index := openapi.Index(docs)             // GET /openapi/v3
//
// [MergeV3] and [MergeV2] put documents together with others, as a server does that has more than custom resources.
//
// A [Document] is finished bytes with their hash. OpenAPI 3.0 says all that a schema says; version 2 has no words for alternatives
// and null, and loses what kubectl's reader of it does not bear (PV2-001).
//
// # What is published
//
// Each document has the paths of the resource with all operations and parameters, the kind, the kind of its list, and the definitions of
// what these refer to: ObjectMeta, Status, DeleteOptions and their like, and Scale where there is that subresource. A schema that is not
// structural is no reason for an error: then the kind is a bare object (PV3-006).
//
// Names are those that the spec asks for, also where a status has accepted others (PV3-003). Whether a definition is established, and
// so published at all, is for the caller to know.
//
// # Mutation and aliasing
//
// Definitions are not modified, and a Document keeps nothing of them.
//
// # Errors
//
// A version that a definition does not have is an error with the server's text. Definitions made in Go can hold what no document can:
// values under default, example or enum that are no JSON, or numbers that are not finite. That is an error with the place of the value.
// Errors of merging are those of a server.
//
// # Concurrency
//
// A Document is safe for concurrent use by multiple goroutines.
//
// # Cost
//
// Building takes time linear in the definition, but for sorting its properties, and mostly copies prepared text. The document of a small
// definition has about 40 kB. [Document.AppendJSON] copies it, and [Document.WriteTo] does not even do that; json.Marshal reads it once
// more and takes longer than to build it.
//
// # Parity
//
// This package follows Kubernetes 1.37. Its clauses are those of the families PV3 and PV2: docs/behaviour.md in the repository lists them
// with their tests. Documents are equal byte for byte, but for these:
//
//   - Descriptions of what does not come from the definition (parameters, ObjectMeta and the other definitions of Kubernetes) are
//     written for this package, so that hashes are never those of a server.
//   - The names of the shared parameters of version 2 are a server's, which it makes from its own descriptions.
//   - A version that is no longer served has no document in [V3All]. A server keeps it until the definition is gone (PV3-005).
//   - A merge fails on less: [MergeV2] leaves out each path that is there already, and unites kinds where it can (PV2-014); [V3All] leaves
//     out what is in conflict.
//   - The documents are JSON. The protobuf form, for kubectl 1.28 and older, is not there.
package openapi
