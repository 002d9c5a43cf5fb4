// Package parity runs this module and the Kubernetes packages that it replaces on the same schemas and objects, and
// compares the results. It is a separate module, because those packages depend on a hundred other modules, which must
// not be dependencies of the root module.
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
// Package gen makes schemas and objects from a sequence of choices: those of a seeded generator in tests, the fuzzer's
// bytes in fuzz targets. So a case is identified by its number, and is the same on each machine. About half of the
// values fit their schema; the others are null, of another type, unknown, repeated, or at the limit of a number's
// range.
//
// A case with different results is minimized: parts of its schema, its object and its rules are removed as long as the
// results still differ. The failure shows the rest.
//
// Rules are written by recursive descent from a wanted type, with all functions, operators and macros, about the values
// of the schema; about one part in a hundred has another type. Many rules are false on purpose, with the value of an
// expression in their message.
//
// # What is compared
//
// Errors are compared as multisets of type and text, because the reference iterates over Go maps, so the order of its
// errors is random (GEN-005); objects deeply, with int64 and float64 distinct; lists of paths and warnings in order. If
// the result itself is random, as for two fields with the same path (a key with a dot in it), the reference runs again
// until the results are equal, a limited number of times.
//
// The results of compiling rules are compared with their static estimates, those of evaluating them with their costs.
// The name of self's type, which is random in the reference, is left out.
//
// Schemas are those of a definition that has been stored and read back, in which a default of 1.0 is 1 (DEF-009).
//
// Cases in which this module differs on purpose, because the reference panics, are left out: Go values that no decoder
// makes (GEN-002), $ref, and optional entries of a map literal whose value is dyn. No quantity has a large exponent,
// with which the reference never returns (CLI-025).
package parity
