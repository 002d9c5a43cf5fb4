// Package objectmeta knows the metadata of objects: how a server reads and writes it back, which rules hold for it on create and
// update and in embedded resources, and what a server does to it besides.
//
// # Reading
//
// A server decodes metadata into a Go struct and writes that back, so that metadata that was sent comes out changed: unknown keys and
// zero values are gone, times are in UTC. [Read] does this, with the server's errors; [ReadDropping] is its way with what it finds in
// its storage, where it drops what it cannot read. [Canonical] is the verdict that there is nothing to do:
//
//	if !objectmeta.Canonical(obj["metadata"]) {
//		meta, _, err := objectmeta.Read(obj["metadata"])
//		// refuse, or go on with meta; objectmeta.Unknown has what strict decoding would report
//	}
//
// The root's metadata is read so, and that of each embedded resource.
//
// # Rules
//
// [ValidateCreate], [ValidateUpdate] and [ValidateEmbedded] return what is wrong; [ValidCreate], [ValidUpdate] and [ValidEmbedded] say
// only whether anything is, and allocate nothing. They want what Read returned. Other metadata is judged as the server judges what
// admission has made of an object: it may be refused as a whole (MET-000).
//
// Which of them a request asks for, and in which order, is its part (STR-011 for a create): a create first [ValidateCreate] with
// [Subdomain], [Deduplicate]d, and if nothing at all is wrong with the object, again with [PathSegment]; an update [ValidateCreate] with
// PathSegment and [ValidateUpdate], and then ValidateUpdate once more, deduplicated. [ManagedFields] has the managed fields to judge.
//
// # Preparation
//
// [PrepareCreate], [Retain] and [WithGeneration] take out and put back what requests do not decide, [RepairGeneration] what was never
// stored. [DeduplicateOwners] and [AppendFinalizerWarnings] have the warnings that are about metadata.
//
// # Values
//
// The types that JSON decoding gives: nil, bool, int64, float64, string, []any, map[string]any. A nil map or list is like nil, except
// that the functions that take a metadata as a map take nil for an empty one. A value of another Go type is refused where it is read:
// "json: cannot unmarshal Go int into Go struct field ObjectMeta.generation of type int64". So are floats that JSON does not
// have. What is dropped anyway is not looked at.
//
// # Mutation and aliasing
//
// No function modifies its arguments. Results share with them what did not change, errors' bad values too.
//
// # Errors
//
// [Read] and [ReadDropping] return errors with the text of the server's decoder; its callers know where the metadata stands. The rules
// return field errors in the server's order; within labels and annotations, where the server has none, in the order of the keys.
//
// # Concurrency
//
// All functions are pure.
//
// # Cost
//
// Linear in the metadata, and so is the text of all errors. Values may be cyclic or nested to any depth: a fieldsV1 nested deeper than a server can decode is an
// error, all else has a depth of its own.
//
// # Parity
//
// Kubernetes 1.37. Clauses DEC-013, DEC-020 to DEC-023, OME-001 to OME-005, OME-020, EMB-003 to EMB-006, MET-000 to MET-023, STR-001,
// STR-003, STR-009, STR-016. Deliberately different:
//
//   - A resourceVersion and an unchanged uid are asked for only where the old object has one.
//   - A name that a server would still make up is judged with five letters x, and only if the generateName it is made of is in order.
//   - Times are written as the server writes them also where it could not read them again: 9999-12-31T23:59:59-23:59 becomes a time in
//     the year 10000. The rules then refuse the metadata as a whole, the server's generic ones do not.
//   - Of the errors that each print the same value as a whole, which the server has one of for each unprintable character of a manager, and
//     for each owner reference that is one controller too many, there are only the first ten: the server's answer to a request of some
//     kilobytes can have many megabytes.
//   - Unknown keys do not count for the decoder's limit to nesting. A request that is decoded at all keeps it.
package objectmeta
