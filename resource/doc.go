// Package resource answers requests for custom objects as a Kubernetes API server does. It is the front door of this module.
//
//	d, err := crd.Parse(document)
//	r, err := resource.Compile(d)
//	v := r.Version("v1")
//	result := v.CreateBody(ctx, body)
//	if err := result.Err(); err != nil {
//		// what kubectl would print
//	}
//	// result.Object is what the server would answer with
//
// [Compile] prepares a CustomResourceDefinition. [Version.Create] does what happens between the arrival of an object and its
// storage: decoding's checks, pruning, nulls, defaults, metadata, validation, rules, in the server's order, with its errors and
// warnings. [Version.CreateBody] begins with a request's body, JSON or YAML; [Version.Decode] is the first half of that.
// [Version.With] sets what else a request has.
//
// # What is left to the caller
//
// The library makes up no uid, creationTimestamp, resourceVersion or name, and stores nothing. A name that is still to be made of a
// generateName is no error and stays absent; rules see it with five letters x behind it. Whether the definition is established, and whether an object of that name is there
// already, nobody asks.
//
// # Values
//
// Objects are maps as package unstructured decodes them. Numbers of other Go types are taken as what their JSON would be decoded
// to; what no JSON has (NaN, a struct, a map that contains itself) is an error of type Invalid with its path.
//
// # Mutation and aliasing
//
// No function modifies its arguments. A result shares with them what did not change, so neither may be modified while the other is
// in use. A result never aliases the definition.
//
// # Errors
//
// [Result.Errors] are those of a 422, in the server's order of checks; [Result.Failure] is any other refusal. Texts are the
// server's, byte for byte.
//
// # Concurrency
//
// A Resource and its Versions are safe for concurrent use by multiple goroutines.
//
// # Cost
//
// An object that is valid, and complete as it is, costs one walk and the copy of the metadata that changes. All else costs a walk
// for each step. Rules are compiled when the first object needs them: a fraction of a millisecond each. Versions share what they
// have in common.
//
// # Parity
//
// Kubernetes 1.37, clauses DEC, ORD, STR, MET, OME and GEN. Deviations:
//
//   - Field managers are not tracked: metadata.managedFields is read and written back like the rest of metadata, not made.
//   - With preserveUnknownFields: true, a schema that has what no structural schema can say ($ref, patternProperties, items that are an
//     array ...) is refused; a server that has such a definition from old times goes on with parts of it (PUF-001).
//   - A map that the caller made may have strings that are no UTF-8. They are judged as they are; in a body they would be mended first.
//   - Rules (x-kubernetes-validations) have the deviations of package cel.
package resource
