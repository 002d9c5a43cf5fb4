// Package validate checks an object against its schema, as an API server does before it stores one: the schema's keywords, the
// metadata of embedded resources, and the lists whose items must differ.
//
//	s, errs := schema.Compile(props)
//	// ...
//	if errs := validate.Validate(s, obj); len(errs) > 0 {
//		return errs.Err()
//	}
//
// [Validate] does all three, as steps 3, 5 and 6 of a create (STR-011); [Value], [Embedded] and [Lists] do one of them, also for
// a single value somewhere in an object. The object's own apiVersion, kind and metadata are package resource's affair, rules
// (x-kubernetes-validations) are package cel's. A server prunes and defaults before it validates: do as it does.
//
// # Values
//
// Objects are as package unstructured decodes them: plain encoding/json maps have float64 where a server has int64. Go integers
// of other sizes, float32 and json.Number are taken as the numbers that their JSON text would be decoded to, and named strings
// and booleans as plain ones. NaN, infinities and values of any other Go type are errors of type Invalid.
//
// # Mutation and aliasing
//
// Nothing is modified. Errors alias the values that they report.
//
// # Errors
//
// Texts, types and fields are the server's, byte for byte. The order is the same for the same input: properties by name, items
// by index, the checks of one value in the order of clause VAL-002. An error that a server would report twice in one
// place is reported once (VAL-005).
//
// # Concurrency
//
// All functions may be called by multiple goroutines with the same schema and the same object.
//
// # Cost
//
// One walk without an allocation for a valid object, but for strings of format email or uri, and sets and maps of more than 16
// items. For an invalid one a second walk, into the failing parts only.
//
// # Parity
//
// This package follows Kubernetes 1.37. Its clauses are those of the families VAL, FMT, ERR, LST and OME: docs/behaviour.md in the
// repository lists them with their tests. Each surprise is named where the code reproduces it. What only a schema without a CRD's checks
// can have (patternProperties, dependencies, $ref) is refused by schema.Compile.
//
// # Security considerations
//
// Patterns are RE2: they match in time linear in the text, and a match that takes more than a second or two counts as none. The items of
// lists that must differ are compared by their hashes. Errors end at a [field.Limit]: 10,000 errors and 3 MiB of text, or that of
// [ValidateWithin]; those beyond are counted, and never made.
//
// A Go value that is too large has one error that says so: more than 128 MiB, with everything counted in each place where it stands, where a
// value counts 32 bytes, a map 192 more, and each byte of a text 8. No text of 3 MiB, the most that a server takes, decodes to that.
package validate
