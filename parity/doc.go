// Package parity runs this module and the Kubernetes packages that it replaces on the same schemas and objects, and
// compares the results. It is a separate module, since those packages depend on a hundred other modules, which must not
// get into the graph of the root module.
//
//	go test ./...                                  # a few thousand cases for each function: 45 seconds
//	go test . -cases 100000                        # many more
//	go test . -run TestPrune -seed 7 -cases 20000  # other ones
//	go test . -run 'TestValue$' -case 4711         # one of them
//	go test . -update                              # write the counts into PARITY.md
//	go test . -run '^$' -fuzz FuzzValidate -fuzzminimizetime 10x
//	go test . -run '^$' -bench .                   # both sides' speed; see README.md
//
// # Cases
//
// Schemas and objects are made up by package gen from a sequence of choices: of a seeded generator in tests, of the
// fuzzer's bytes in fuzz targets. So a case is known by its number, and the same on each machine. About half of the
// values fit their schema; the rest is null, of another type, unknown, repeated, or at the edge of what a number can
// be.
//
// A case that the two sides answer differently is first made smaller: as long as they still differ, parts of its schema
// and of its object are taken away, and of the texts of its rules. What is left is the failure's text.
//
// Rules are written by recursive descent from a wanted type, over all functions, operators and macros, about the values
// that the schema has; one in some hundred parts has another type. Many are false on purpose, with the value of an
// expression in their message.
//
// # What is compared
//
// Errors are compared as multisets of type and text, since the reference walks Go maps and so has its errors in random
// order (GEN-005); objects deeply, with int64 and float64 distinct; lists of paths and warnings as they are. Where
// randomness reaches the result itself, as with two places that have one name (a key with a dot in it), the reference
// is asked again until it says the same, a limited number of times.
//
// Rules are compared as they are compiled, with their static estimates, and as they are evaluated, with their cost. The
// name of self's type, which the reference draws at random, is left out.
//
// Schemas are those of a definition that has been stored and read back, in which a default 1.0 is 1 (DEF-009).
//
// Left out are the cases in which this module differs on purpose, because the reference panics: Go values that no
// decoder makes (GEN-002), $ref, and optional entries of a map literal whose value is dyn. A quantity has no large
// exponent, since the reference does not come back from one (CLI-025).
package parity
