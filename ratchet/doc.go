// Package ratchet validates an update as an API server does: values that were already invalid are accepted as long as
// the update does not change them.
//
// A schema gets stricter over time, and objects stored before that violate it. If every update had to fix them first,
// users could no longer set a label on such an object, and controllers could not write its status. So a server drops
// the errors of the parts that an update does not change.
//
//	old, _ := unstructured.Decode(stored)
//	obj, _ := unstructured.Decode(sent)
//	if errs := ratchet.Validate(s, obj, old); len(errs) > 0 {
//		return errs.Err()
//	}
//
// [Validate] is the counterpart of validate.Validate: steps 3, 5 and 6 of an update (STR-012). [Value] and [Lists] do
// one of them each, also for a part of an object. An update of the status subresource uses Value for the status, with
// the old status, and Lists for the whole object (STR-014). A server prunes and defaults both objects first, so a new
// default is not a change (RAT-008). Package cel evaluates rules (x-kubernetes-validations), and ratchets them by the
// same counterparts.
//
// # What ratcheting accepts
//
// Each value of the new object has a counterpart in the old one, or none (RAT-001):
//
//   - a field of an object, and an entry of a map: the one with the same key, null included, where the key has a
//     schema;
//   - an item of a list with x-kubernetes-list-type map: the first old item with the same keys, at any index;
//   - an item of any other list: none, because items cannot be matched. Values within such an item have none either.
//
// An error belongs to the innermost enclosing value that has a counterpart, and is dropped if those two are equal. So a
// list without keys is accepted as a whole or not at all. A missing required field, a bound on the number of fields and
// a combinator (anyOf and so on, even if it is about an unchanged field) are accepted until something in their object
// changes.
//
// # What ratcheting never accepts
//
//   - Errors of values without a counterpart: new fields, new items, and what was null or of another type.
//   - Errors of an object that has a key without a schema, because such an object never counts as unchanged (RAT-009).
//     This applies to x-kubernetes-preserve-unknown-fields, to additionalProperties: true, and to a resource whose
//     metadata is not declared, in particular to the whole object (RAT-010). Errors of its declared fields are dropped
//     like all others.
//   - Numbers that changed their form: 10 and 10.0 differ (RAT-006). A server never reads 10.0 back from storage.
//   - The whole object's apiVersion and kind, and the metadata of embedded resources (RAT-004, RAT-011).
//
// Duplicates in lists are handled differently: they are reported only if the whole old object has none (RAT-020).
//
// # Values
//
// As in package validate. Values of Go types that no decoder produces count as changed, except for numbers of the same
// type.
//
// # Mutation and aliasing
//
// Nothing is modified. Errors alias the values that they report.
//
// # Errors
//
// The errors of package validate, in its order, without the dropped ones. A server does not tell its client about
// dropped errors.
//
// # Concurrency
//
// All functions may be called by multiple goroutines with the same schema and the same objects.
//
// # Cost
//
// A valid object costs the same as in package validate, without an allocation. The old object is examined only where
// something failed, and only at the counterparts of what failed. No value is compared more than twice.
//
// # Parity
//
// This package follows Kubernetes 1.37. Its clauses are those of the family RAT: docs/internals/behaviour.md in the
// repository lists them with their tests. The Kubernetes documentation says that required, anyOf and similar keywords
// are never ratcheted. This package does what the server does, as described above.
//
// # Security considerations
//
// As in package validate. A user who may update an object can keep its existing errors, but cannot add new ones.
package ratchet
