// Package ratchet validates an update as an API server does: what was already wrong may stay, as long as nobody touches it.
//
// A schema gets stricter over the years, and objects stored before that break it. If every update had to mend them first, nobody could
// set a label on such an object any more, and no controller could write its status. So a server drops what it has to say about the
// parts that an update leaves as they are.
//
//	old, _ := unstructured.Decode(stored)
//	obj, _ := unstructured.Decode(sent)
//	if errs := ratchet.Validate(s, obj, old); len(errs) > 0 {
//		return errs.Err()
//	}
//
// [Validate] is the counterpart of validate.Validate, as steps 3, 5 and 6 of an update (STR-012); [Value] and [Lists] do one of
// them, also for a part of an object: an update of the status subresource takes Value for the status, with the old status, and Lists
// for the whole object (STR-014). A server prunes and defaults both objects before, so that a new default is no change (RAT-008). Rules
// (x-kubernetes-validations) are package cel's, which ratchets them by the same counterparts.
//
// # What may be forgiven
//
// Each value of the new object has a counterpart in the old one, or none (RAT-001):
//
//   - a field of an object, and an entry of a map: the one with the same key, null included, where the key has a schema;
//   - an item of a list with x-kubernetes-list-type map: the first old item with the same keys, wherever it stands;
//   - an item of any other list: none, since nobody can say which one it was. Neither has anything in it.
//
// An error belongs to the innermost value around it that has a counterpart, and is dropped if those two are equal. So a list without
// keys is forgiven as a whole or not at all, and a missing required field, a bound on the number of fields and a combinator (anyOf and
// so on, even where it is about a field that did not change) until something in their object changes.
//
// # What is never forgiven
//
//   - Errors of values without a counterpart: new fields, new items, and what was null or of another type.
//   - Errors of an object with a key that has no schema, because such an object never counts as unchanged (RAT-009): with
//     x-kubernetes-preserve-unknown-fields, additionalProperties: true, or a resource whose metadata is not declared, the whole object
//     itself above all (RAT-010). Those of its declared fields are forgiven like all others.
//   - Numbers that changed their form: 10 and 10.0 differ (RAT-006). What a server reads back from storage has no 10.0.
//   - The whole object's apiVersion and kind, and the metadata of embedded resources (RAT-004, RAT-011).
//
// Duplicates in lists are another matter: they are reported only if there are none in the whole old object (RAT-020).
//
// # Values
//
// As in package validate. Values of foreign types, which no decoder makes, count as changed, but for numbers of the same type.
//
// # Mutation and aliasing
//
// Nothing is modified. Errors alias the values that they report.
//
// # Errors
//
// Those of package validate, in its order, less the ones that are dropped. A server sends no word about those to its client.
//
// # Concurrency
//
// All functions may be called by multiple goroutines with the same schema and the same objects.
//
// # Cost
//
// A valid object costs what it costs in package validate, without an allocation: the old one is looked at only where something failed,
// and there only at the counterparts of what failed. No value is compared more than twice.
//
// # Parity
//
// This package follows Kubernetes 1.37. Its clauses are those of the family RAT: docs/behaviour.md in the repository lists them with
// their tests. The documentation of Kubernetes says that required, anyOf and their like are never forgiven; what its server does is
// described above, and is what this package does.
//
// # Security considerations
//
// As in package validate. A user who may update an object can keep what is wrong in it, but can add nothing.
// [ValidateWithin] has the limit of errors.
package ratchet
