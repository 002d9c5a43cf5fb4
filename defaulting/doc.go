// Package defaulting drops nulls and fills in defaults, as an API server does with every request and with every object that it
// reads from storage.
//
//	s, errs := schema.Compile(props)
//	// ...
//	obj = defaulting.Default(s, obj)
//
// A field that is absent gets its schema's default. A null is dropped where the schema says neither nullable nor default, and
// replaced by the default where there is one; where nullable is true it stays (DEF-007).
//
// # Values
//
// Objects are as package unstructured decodes them. Values of other Go types are kept as they are, like scalars.
//
// # Mutation and aliasing
//
// Nothing is modified. With nothing to do the argument itself is returned, and nothing is allocated. Otherwise the result is a
// copy along the paths to the changes, and shares all else with the argument, so neither may be modified while the other is in
// use. Maps and lists that come from the schema are copied each time: the result never aliases the schema.
//
// # Concurrency
//
// All functions may be called by multiple goroutines with the same schema and the same object.
//
// # Cost
//
// One walk over the objects and lists that the schema describes; scalars are passed over. Defaults may add 2,000,000 values and 64 MiB to
// an object, or what a [Limit] says; they are counted before they are copied. An object that would get more gets none.
//
// # Security considerations
//
// A small schema and a small object can ask for any number of defaults. A [Limit] bounds them, see Cost; [DefaultWithin] and [FillWithin]
// tell of an object that has more.
//
// # Parity
//
// This package follows Kubernetes 1.37. Its clauses are those of the family DEF: docs/behaviour.md in the repository lists them with
// their tests. What surprises most:
//
//   - A parent that is absent and has no default of its own is not created for the sake of defaults below it (DEF-004).
//   - The default of the whole object is never used (DEF-005), nor is one inside allOf, anyOf, oneOf or not (DEF-006).
//   - A null item of a list is never dropped (DEF-001).
//   - Numbers of a default are as they come back from storage: 1.0 is the integer 1 (DEF-009).
package defaulting
