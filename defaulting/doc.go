// Package defaulting drops nulls and fills in defaults, as an API server does with every request and with every object
// that it reads from storage.
//
//	s, errs := schema.Compile(props)
//	// ...
//	obj = defaulting.Default(s, obj)
//
// An absent field gets its schema's default. A null is dropped if the schema has neither nullable nor a default, and is
// replaced by the default if there is one. If nullable is true, it stays (DEF-007).
//
// # Values
//
// Objects are as package unstructured decodes them. Values of other Go types are kept as they are, like scalars.
//
// # Mutation and aliasing
//
// Nothing is modified. If there is nothing to do, the argument itself is returned, and nothing is allocated. Otherwise
// the result is a copy along the paths to the changes, and shares everything else with the argument, so neither may be
// modified while the other is in use. Maps and lists from the schema are copied each time: the result never aliases the
// schema.
//
// # Concurrency
//
// All functions may be called by multiple goroutines with the same schema and the same object.
//
// # Cost
//
// One walk over the objects and lists that the schema describes; scalars are skipped. Defaults may add 2,000,000 values
// and 64 MiB to an object, or as much as a [Limit] allows. They are counted before they are copied. An object that
// would exceed the limit gets none.
//
// # Security considerations
//
// A small schema and a small object can request any number of defaults. A [Limit] bounds them, see Cost.
// [DefaultWithin] and [FillWithin] report objects that exceed it.
//
// # Parity
//
// This package follows Kubernetes 1.37. Its clauses are those of the family DEF: docs/internals/behaviour.md in the
// repository lists them with their tests. Surprising behaviour:
//
//   - An absent parent without a default of its own is not created to hold defaults below it (DEF-004).
//   - The default of the whole object is never used (DEF-005), nor is one inside allOf, anyOf, oneOf or not (DEF-006).
//   - A null list item is never dropped (DEF-001).
//   - Numbers in a default have the form that they have after a round trip through storage: 1.0 is the integer 1
//     (DEF-009).
package defaulting
