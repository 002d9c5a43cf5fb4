// Package validate checks an object against its schema, as an API server does before it stores one: the schema's
// keywords, the metadata of embedded resources, and the lists whose items must differ.
//
//	s, errs := schema.Compile(props)
//	// ...
//	if errs := validate.Validate(s, obj); len(errs) > 0 {
//		return errs.Err()
//	}
//
// [Validate] does all three, as steps 3, 5 and 6 of a create (STR-011). [Value], [Embedded] and [Lists] do one of them
// each, also for a single value within an object. Package resource checks the object's own apiVersion, kind and
// metadata; package cel evaluates rules (x-kubernetes-validations). A server prunes and defaults before it validates,
// and so should callers.
//
// # Values
//
// Objects are as package unstructured decodes them: plain encoding/json maps have float64 where a server has int64. Go
// integers of other sizes, float32 and json.Number are treated as the numbers that their JSON text decodes to, and
// named strings and booleans as plain ones. NaN, infinities and values of any other Go type are errors of type Invalid.
//
// # Mutation and aliasing
//
// Nothing is modified. Errors alias the values that they report.
//
// # Errors
//
// Texts, types and fields are the server's, byte for byte. The order is the same for the same input: properties by
// name, items by index, the checks of one value in the order of clause VAL-002. An error that a server would report
// twice in one place is reported once (VAL-005).
//
// # Concurrency
//
// All functions may be called by multiple goroutines with the same schema and the same object.
//
// # Cost
//
// A valid object takes one walk without an allocation, except for strings of format email or uri, and for sets and maps
// of more than 16 items. An invalid object takes a second walk, into the failing parts only.
//
// # Parity
//
// This package follows Kubernetes 1.37. Its clauses are those of the families VAL, FMT, ERR, LST and OME:
// docs/internals/behaviour.md in the repository lists them with their tests. Surprising behaviour is noted where the
// code reproduces it. schema.Compile refuses what only a schema outside a CRD can have (patternProperties,
// dependencies, $ref).
//
// # Security considerations
//
// Patterns are RE2: they match in time linear in the text, and a match that takes more than a second or two counts as
// no match. The items of sets and maps are compared by their hashes. Errors end at a [field.Limit]: by default, 10,000
// errors and 3 MiB of text. Further errors are counted but not built.
//
// A Go value that is too large gets one error that says so. The limit is 128 MiB, counting shared parts once for each
// place where they occur: a value counts 32 bytes, a map 192 more, and each byte of text 8. No text of 3 MiB, the most
// that a server accepts, decodes to that. Parts that no schema describes count if others take more than 1 MiB, or if an
// error has them as its value.
package validate
