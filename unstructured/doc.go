// Package unstructured converts text and Go values to objects: map[string]any, with the numbers that an API server's
// decoder produces. It does not depend on schemas.
//
//	obj, err := unstructured.Decode(file)             // JSON or YAML
//	obj, err := unstructured.FromStruct(&v1.Widget{}) // any Go value that encodes as a JSON object
//
// Every function of this module that takes an object expects one of these maps. Do not use maps from encoding/json or
// sigs.k8s.io/yaml: all their numbers are float64, so a rule fails with "expected int, got float64", a replica count is
// not an integer, and an unchanged object counts as changed.
//
// # Values
//
// A value is nil, bool, int64, float64, string, []any or map[string]any. A number's text decides its type (DEC-004,
// DEC-010):
//
//	in JSON                                         in YAML                       value
//	1, -0, 9223372036854775807                      1, +1, 1_000, 0x1F, 010       int64
//	1.0, 1e3, -0.0                                  1.5                           float64
//	                                                1.0, 1e3, -0.0                int64: JSON's 1, 1000, -0
//	9223372036854775808 and all beyond              the same                      float64
//	1e400                                           .inf, .nan                    error
//
// YAML is YAML 1.1 as servers read it: yes, on and off are booleans even as keys, which become "true" and "false"; 1:30
// and 2020-01-01 are strings; anchors and merge keys are resolved. If several keys of a map become the same text, the
// string key wins, then the integer, then the greater number (a server picks one at random).
//
// # Which function
//
// [Decode], [DecodeStrict] and [DecodeAll] read files: they detect whether a text is JSON or YAML, and ignore nothing
// in it. [DecodeJSON], [YAMLToJSON] and their strict forms are the single steps of a server that reads a request's body.
// Their errors and findings are the server's, byte for byte.
//
// # Mutation and aliasing
//
// No function modifies its arguments, except for the targets of [ToStruct] and [ReplaceStruct]. Results share nothing
// with arguments, except as [Clone] documents.
//
// # Errors
//
// Errors of the functions for files and Go values start with "unstructured: ". Their texts are for people and may
// change.
//
// # Concurrency
//
// All functions may be called by multiple goroutines.
//
// # Security considerations
//
// The text is untrusted input. Nesting deeper than 10000 lists and maps is an error, even if it is the result of YAML
// aliases. The aliases of a YAML text may add 16 MiB of scalars to it. A text whose aliases add more, and one that
// consists mostly of repetition by aliases, is refused as "document contains excessive aliasing". More than 100 %TAG
// directives are an error. The caller limits the size of the text: a server accepts no body of more than 3 MiB
// (DEC-016), and YAML of that size may take a second and several hundred megabytes to read.
//
// Go values may be nested deeper, or hold one map in many places. [FromStruct] and [ToStruct] refuse, and [Clone] does
// not copy, values that are nested deeper than 10000 levels, contain themselves, or are larger than 128 MiB, counting
// shared parts once for each place where they occur: a value counts 32 bytes, a map 192 more, and each byte of text 8.
// No text of 3 MiB decodes to that.
//
// # Parity
//
// This package follows Kubernetes 1.37. Its clauses are those of the family DEC: docs/internals/behaviour.md in the
// repository lists them with their tests. Deviation: the choice between keys that become the same text, as above.
package unstructured
