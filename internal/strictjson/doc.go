// Package strictjson finds the unknown and duplicate keys in a document, which strict decoding refuses.
//
//	findings, err := strictjson.Findings(data, new(knownKeys)) // unknown field "spec.colour"
//
// Packages schema and crd each pass a struct whose JSON tags are the keys of their documents. [SchemaKeys] is that of a
// schema.
//
// # Mutation, concurrency and cost
//
// [Findings] modifies only the struct that it fills. It takes time linear in data.
//
// # Parity
//
// Kubernetes 1.37. Clauses CDC-003, CDC-004: the findings are the server's, byte for byte, because they come from the
// server's decoder.
package strictjson
