// Package strictjson finds what strict decoding refuses in a document: unknown keys and duplicate keys.
//
//	findings, err := strictjson.Findings(data, new(knownKeys)) // unknown field "spec.colour"
//
// Packages schema and crd each pass a struct whose JSON tags are the keys of their documents. [SchemaKeys] is that of a
// schema.
//
// # Mutation, concurrency and cost
//
// [Findings] does not modify data, modifies only the struct that it fills, and takes time linear in data.
//
// # Parity
//
// Kubernetes 1.37. Clauses CDC-003, CDC-004: the findings are the server's, byte for byte, because they come from the
// server's decoder.
package strictjson
