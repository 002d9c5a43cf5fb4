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
// [Compile] prepares a CustomResourceDefinition, [CompileChecked] one that package crdcheck has checked. [Resource.Version] has the answers
// of one of its versions, and [Version.With] sets what else a request has. There is a method for each request:
//
//   - [Version.Create] and [Version.CreateBody]: POST;
//   - [Version.Read]: GET, of an object stored under an older schema or in another version;
//   - [Version.Update] and [Version.Patch]: PUT, and PATCH with a merge or a JSON patch;
//   - [Version.UpdateStatus] and [Version.PatchStatus]: the same on /status;
//   - [Version.Scale], [Version.UpdateScale] and [Version.PatchScale]: GET, PUT and PATCH of /scale;
//   - [Version.Delete]: DELETE;
//   - [Version.Selector]: which objects a list, a watch or the deletion of a collection is about.
//
// [Version.Decode] is what they have in common: the way from a body to an object. [Result.Patch] makes an admission webhook's answer of a
// Result.
//
// [Version.Table], [Version.List] and [PartialMetadata] are other forms of an answer. Package protocol has what else a server needs that
// embeds this package: discovery, content negotiation, Warning headers, and the refusals of what it checks itself.
//
// # Order
//
// A create decodes the object, prunes it, drops nulls and fills in the defaults of the request's version. Then come the metadata that a
// server sets, validation, and the rules of the schema; then the object is converted to the storage version, stored, and read back, which is
// the answer. An update does the same with the new object, and reads the old one as Read does, from which it takes what an update must
// not change: the status where that is a subresource, uid, timestamps, and the generation, which it counts up for a change outside of the
// metadata. What was wrong in the old object and did not change is forgiven (see package ratchet); rules that fail on such are
// warnings. A patch is applied to the text of the old object as Read shows it, and what comes out goes on as a new object. An update of
// the status takes nothing but the status, one of the scale nothing but the replicas.
//
// # What is left to the caller
//
// The library makes up no uid, creationTimestamp, resourceVersion or name, and stores nothing: [Result.Stored] is what to store, and
// [Result.Deleted] says that the object is to go. A name that is still to be made of a generateName is no error and stays absent; it is
// judged with five letters x behind it. Whether the definition is established or being deleted, and whether an object of that name is there
// already, nobody asks.
//
// The old object of a request is the one that is stored, in any version. Result.Object is as good if it is of the storage version. One of
// another version is not: it would be read as if it had been stored in that version, with the defaults of that.
//
// With the conversion strategy Webhook, requests that need a conversion are refused unless [Resource.WithConverter] says who does it.
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
// [Version.Settled] and its like answer for the text of an object, without decoding it, in a fraction of the time that encoding/json takes to
// decode it; [Version.CreateBody] asks first. They allocate nothing if there are no rules.
//
// An object that is valid, and complete as it is, costs one walk and the copy of the metadata that changes; an update that changes nothing
// about such an object allocates nothing, if there are no rules. All else costs a walk for each step. Ratcheting looks at the old object
// only where something is wrong, or a rule asks for it. Rules are compiled when the first object needs them: a fraction of a millisecond
// each. Versions share what they have in common.
//
// # Security considerations
//
// Bodies and patches have a server's limits: 3 MiB, 10,000 levels, 10,000 operations, 3 MiB of copies (DEC-016). A Go value that is too
// large is an error: more than 128 MiB, with everything counted in each place where it stands, where a value counts 32 bytes, a map 192
// more, and each byte of a text 8. No body of 3 MiB decodes to that. Warnings may have line breaks in them, where a key has:
// [protocol.WarningHeaders] leaves those out, as a server does.
//
// # Parity
//
// This package follows Kubernetes 1.37. Its clauses are those of the families DEC, ORD, STR, DEL, SCL, SUB, PAT, CNV, SEL, RAT, MET, OME,
// GEN, TAB, DSC and KCT: docs/behaviour.md in the repository lists them with their tests. Deviations:
//
//   - Field managers are not tracked: metadata.managedFields is read and written back like the rest of metadata, not made. Package apply does that.
//   - Server-side apply is refused like an unknown content type (ORD-007). Package apply has it.
//   - There is no admission between decoding and validation. What is added to an object after [Version.Decode] is decoded once more by the
//     request, so that unknown fields are pruned and nulls dropped; a server would validate and store them, and prune them in the answer
//     (ORD-003).
//   - resourceVersion and uid are asked for only where the old object has them (STR-007), and are never set: where 007 was sent for 7,
//     007 stays.
//   - With preserveUnknownFields: true, a schema that has what no structural schema can say ($ref, patternProperties, items that are an
//     array ...) is refused; a server that has such a definition from old times goes on with parts of it (PUF-001).
//   - A map that the caller made may have strings that are no UTF-8. They are judged as they are; in a body they would be mended first.
//   - Rules (x-kubernetes-validations) have the deviations of package cel.
//   - In the JSONPath of a printer column, a wildcard visits the keys of a map in order, where a server's order is random, and range yields
//     nothing. One path yields a million values at most.
package resource
