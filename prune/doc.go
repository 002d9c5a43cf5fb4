// Package prune removes from an object the fields that its schema does not know, as an API server does with every custom
// object that it decodes or converts.
//
//	s, errs := schema.Compile(props)
//	// ...
//	for _, path := range prune.Unknown(s, obj) {
//		log.Printf("unknown field %q", path)
//	}
//	obj = prune.Prune(s, obj)
//
// [Prune] removes, [Unknown] lists; [Value] and [UnknownValue] do the same with a value of any kind at one node of a schema.
//
// # Values
//
// Objects are as package unstructured decodes them. Values of other Go types are kept as they are, like scalars.
//
// # Mutation and aliasing
//
// Nothing is modified. With nothing to prune the argument itself is returned, and nothing is allocated. Otherwise the result
// is a copy along the paths to the removed fields, and shares all else with the argument, so neither may be modified while the
// other is in use; to edit the result, deep-copy it first.
//
// # Concurrency
//
// All functions may be called by multiple goroutines with the same schema and the same object.
//
// # Cost
//
// One walk over the part of the object that the schema describes. Parts kept by x-kubernetes-preserve-unknown-fields without
// a schema are not entered.
//
// # Security considerations
//
// A Go value that is too large is not pruned: more than 128 MiB, with everything counted in each place where it stands, where a value counts
// 32 bytes, a map 192 more, and each byte of a text 8. No text of 3 MiB, the most that a server takes, decodes to that.
//
// # Parity
//
// This package follows Kubernetes 1.37. Its clauses are those of the family PRU: docs/behaviour.md in the repository lists them with
// their tests. What surprises most:
//
//   - additionalProperties: true keeps keys, but empties the objects below them (PRU-006).
//   - A list that preserves unknown fields preserves those of its items as well; an object does so only for itself (PRU-004).
//   - apiVersion, kind and metadata of a resource are kept whole, and not looked into (PRU-008).
//
// Deviations:
//
//   - A list within lists without a schema that is deeper than 10,000 levels, or contains itself, is kept as it is; a server's decoder
//     takes none of that depth.
//   - Unknown paths of more than 8 MiB are cut off after the first 8 MiB, in the order of a walk by name. A server builds them all.
//     [UnknownWithin] has another limit, and counts the rest.
package prune
