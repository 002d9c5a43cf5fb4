// Package objectmeta implements what an API server does with the metadata of objects: it reads metadata and writes it
// back, validates it on create and update and in embedded resources, and sets what clients cannot set.
//
// [Metadata] is a table of the members of metadata: their types, their rules, and what a create and an update do with
// them.
//
// A server decodes metadata into a Go struct and encodes it again, which may change it. [Read] does the same, and
// [Canonical] reports that it would change nothing. This applies to the metadata of the object and of each embedded
// resource. Before that, [DecodeType] finds the apiVersion and the kind in the text of a request.
//
// A create calls [PrepareCreate], then [ValidateCreate] with [Subdomain], and, if there are no errors in the whole
// object, with [PathSegment] (STR-011). An update calls [Retain], [WithManagedFields] and [ValidateUpdate]. Validation
// allocates nothing if there are no errors and the metadata is canonical. [Summary] has what most requests need, found
// in one walk.
//
// # Values
//
// The types that JSON decoding gives: nil, bool, int64, float64, string, []any, map[string]any. A nil map or list is
// treated as nil, but functions that take metadata as a map treat nil as empty metadata. Values of other Go types, and
// floats that JSON does not have, are errors.
//
// No function modifies its arguments. A function that returns metadata returns its argument itself, without an
// allocation, if nothing changes. Otherwise it returns a new map that shares with the argument what did not change.
//
// # Errors
//
// [Read] returns an error with the text of the server's decoder, without the path of the metadata. Validation returns
// field errors in the server's order; within labels and annotations, where the server has no order, they are sorted by
// key. The texts of [DecodeType] come from the encoding/json of the Go version in use.
//
// # Cost
//
// All functions are pure. Time is linear in the metadata, and so is the text of all errors. Values may be cyclic or
// nested to any depth: a fieldsV1 that is nested deeper than a server can decode is an error, and everything else has a
// fixed depth.
//
// # Parity
//
// Kubernetes 1.37. Clauses DEC-001, DEC-002, DEC-013, DEC-020 to DEC-022, OME-001 to OME-005, OME-020, EMB-003 to
// EMB-006, MET-000 to MET-023, STR-001, STR-003, STR-009, STR-016. Deliberately different:
//
//   - A resourceVersion and an unchanged uid are required only if the old object has one.
//   - A name that the server would generate is validated with five letters x, and only if the generateName is valid.
//   - Times are written as the server writes them even if it could not read them again: 9999-12-31T23:59:59-23:59
//     becomes a time in the year 10000. The rules then refuse the metadata as a whole; the server's generic ones do
//     not.
//   - The server returns an error for each unprintable character of a manager, and for each additional controller among
//     the owners. Each of these prints a whole value, so the answer to a request of some kilobytes can have many
//     megabytes. Here there are at most ten of each.
//   - The values of unknown keys do not count towards the decoder's limit on nesting. A request that was decoded is
//     within it.
package objectmeta
