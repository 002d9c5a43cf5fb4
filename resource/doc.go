// Package resource answers requests for custom objects as a Kubernetes API server does. It is the main entry point of
// this module.
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
// [Compile] prepares a CustomResourceDefinition, and [CompileChecked] one that package crdcheck has checked.
// [Resource.Version] returns one of its versions, and [Version.With] sets the options of a request. There is a method
// for each kind of request:
//
//   - [Version.Create] and [Version.CreateBody]: POST;
//   - [Version.Read]: GET, of an object that was stored under an older schema or in another version;
//   - [Version.Update] and [Version.Patch]: PUT, and PATCH with a merge patch or a JSON patch;
//   - [Version.UpdateStatus] and [Version.PatchStatus]: the same for /status;
//   - [Version.Scale], [Version.UpdateScale] and [Version.PatchScale]: GET, PUT and PATCH of /scale;
//   - [Version.Delete]: DELETE;
//   - [Version.Selector]: the objects that a list, a watch or the deletion of a collection selects.
//
// [Resource.For] returns the same definition as servers of other minor versions of Kubernetes answer.
//
// [Version.Decode] is the first step of all of them: from a body to an object. [Result.Patch] turns a Result into the
// answer of an admission webhook.
//
// [Version.Table], [Version.List] and [PartialMetadata] are other forms of an answer. Package protocol has what else a
// server needs that embeds this package: discovery, content negotiation, Warning headers, and refusals for the server's
// own checks.
//
// # Order
//
// A create decodes the object, prunes it, drops nulls and fills in the defaults of the request's version. Then it sets
// the metadata that a server sets, validates, and evaluates the rules of the schema. Finally it converts the object to
// the storage version, stores it, and reads it back; the result is the answer.
//
// An update does the same with the new object. It reads the old one as Read does, and takes from it what an update must
// not change: the status if that is a subresource, the uid, timestamps, and the generation, which is incremented if
// anything outside the metadata changes. Errors in unchanged parts of the old object are ignored (see package ratchet);
// rules that fail for such parts are warnings. A patch is applied to the text of the old object as Read shows it, and
// the result is treated as a new object. An update of the status changes only the status, an update of the scale only
// the replicas.
//
// # What is left to the caller
//
// The library generates no uid, creationTimestamp, resourceVersion or name, and stores nothing. [Result.Stored] is what
// to store, and [Result.Deleted] says that the object is to be deleted. A name that is still to be generated from a
// generateName is not an error and stays absent; it is validated as if five letters x were appended. The library does
// not check whether the definition is established or being deleted, nor whether an object of that name already exists.
//
// The old object of a request is the stored one, in any version. Result.Object can be passed instead if it is in the
// storage version. In another version it cannot: it would be read as if it had been stored in that version, with the
// defaults of that version.
//
// With the conversion strategy Webhook and without a converter ([Resource.WithConverter]), requests in a version other
// than the storage version are validated, and their results are [Result.Unconverted]: what is stored and answered is
// not known. An object that is stored in another version than that of the request cannot be read.
//
// # Values
//
// Objects are maps as package unstructured decodes them. Numbers of other Go types are treated as the decoded form of
// their JSON. Values that JSON does not have (NaN, a struct, a map that contains itself) are errors of type Invalid
// with their path.
//
// # Mutation and aliasing
//
// No function modifies its arguments. A result shares unchanged parts with them, so neither may be modified while the
// other is in use. A result never aliases the definition.
//
// # Errors
//
// [Result.Errors] are the errors of a 422, in the server's order of checks; [Result.Failure] is any other refusal.
// Texts are the server's, byte for byte.
//
// # Concurrency
//
// A Resource and its Versions are safe for concurrent use by multiple goroutines.
//
// # Cost
//
// [Version.Settled], [Version.SettledUpdate] and [Version.SettledStored] work on the text of an object without decoding
// it, in a fraction of the time that encoding/json takes to decode it. They allocate nothing if there are no rules.
// [Version.CreateBody] decodes a body, fills in the defaults and checks the object in one walk, if there is nothing to
// drop. Only the metadata, the scale and the rules are left to check.
//
// An object that is valid and complete costs one walk and a copy of the metadata that changes. An update that changes
// nothing in such an object allocates nothing, if there are no rules. Other requests cost one walk for each step.
// Ratcheting reads the old object only where there is an error or a rule needs it. Rules are compiled when the first
// object needs them, in a fraction of a millisecond each. Versions share what they have in common.
//
// # Security considerations
//
// Bodies and patches have a server's limits: 3 MiB, 10,000 levels, 10,000 operations, 3 MiB of copies (DEC-016). A Go
// value that is too large is an error. The limit is 128 MiB, counting shared parts once for each place where they
// occur: a value counts 32 bytes, a map 192 more, and each byte of text 8. No body of 3 MiB decodes to that. Warnings
// may contain line breaks if a key does; like a server, package server/protocol leaves those out.
//
// # Parity
//
// This package follows Kubernetes 1.37, or the version of [Resource.For]. Its clauses are those of the families DEC,
// ORD, STR, DEL, SCL, SUB, PAT, CNV, SEL, RAT, MET, OME, GEN, TAB, DSC and KCT: docs/internals/behaviour.md in the
// repository lists them with their tests. Deviations:
//
//   - Field managers are not tracked: metadata.managedFields is read and written back like the rest of metadata, and is
//     not computed. Package apply does that.
//   - Server-side apply is refused like an unknown content type (ORD-007). Package apply has it.
//   - There is no admission between decoding and validation, except [RequestOptions.Admit]. The request decodes again
//     what is added to an object after [Version.Decode], so that unknown fields are pruned and nulls dropped. A server
//     would validate and store them, and prune them in the answer (ORD-003).
//   - resourceVersion and uid are required only if the old object has them (STR-007), and are never set: if 007 was
//     sent for 7, it stays 007.
//   - With preserveUnknownFields: true, a schema with keywords that a structural schema cannot have ($ref,
//     patternProperties, items as an array ...) is refused. A server that has such a definition from earlier times uses
//     parts of it (PUF-001).
//   - A map that the caller built may have strings that are not valid UTF-8. They are validated as they are; in a body
//     they would be repaired first.
//   - Rules (x-kubernetes-validations) have the deviations of package cel.
//   - In the JSONPath of a printer column, a wildcard visits the keys of a map in order, where a server's order is
//     random, and range yields nothing. A path yields a million values at most.
package resource
