// Package prune removes fields that are not in the schema from an object, as an API server does with every custom
// object that it decodes or converts.
//
//	s, errs := schema.Compile(props)
//	// ...
//	for _, path := range prune.Unknown(s, obj) {
//		log.Printf("unknown field %q", path)
//	}
//	obj = prune.Prune(s, obj)
//
// [Prune] removes, [Unknown] lists; [Value] and [UnknownValue] do the same with a value of any kind at one node of a
// schema.
//
// # Values
//
// Objects are as package unstructured decodes them. Values of other Go types are kept as they are, like scalars.
//
// # Mutation and aliasing
//
// Nothing is modified. If there is nothing to prune, the argument itself is returned, and nothing is allocated.
// Otherwise the result is a copy along the paths to the removed fields, and shares everything else with the argument,
// so neither may be modified while the other is in use. To edit the result, deep-copy it first.
//
// # Concurrency
//
// All functions may be called by multiple goroutines with the same schema and the same object.
//
// # Cost
//
// One walk over the part of the object that the schema describes. Parts without a schema that
// x-kubernetes-preserve-unknown-fields preserves are not visited.
//
// # Security considerations
//
// A Go value that is too large is not pruned. The limit is 128 MiB, counting shared parts once for each place where
// they occur: a value counts 32 bytes, a map 192 more, and each byte of text 8. No text of 3 MiB, the most that a
// server accepts, decodes to that.
//
// # Parity
//
// This package follows Kubernetes 1.37. Its clauses are those of the family PRU: docs/internals/behaviour.md in the
// repository lists them with their tests. Surprising behaviour:
//
//   - additionalProperties: true keeps keys, but empties the objects below them (PRU-006).
//   - A list that preserves unknown fields also preserves those of its items; an object preserves only its own
//     (PRU-004).
//   - apiVersion, kind and metadata of a resource are kept whole, without being examined (PRU-008).
//
// Deviations:
//
//   - Lists of lists without a schema that are nested deeper than 10,000 levels, or contain themselves, are kept as
//     they are. A server's decoder refuses such depth.
//   - Paths of unknown fields end after the first 8 MiB, in the order of a sorted walk. A server builds them all.
//     [UnknownWithin] has another limit, and counts the rest.
package prune
