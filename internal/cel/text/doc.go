// Package text has the functions of CEL rules on strings: the strings extension of cel-go in its version 2. Searches by regular
// expression are in package internal/pattern.
//
// Positions and lengths count code points. Most functions return a part of their argument, or the argument itself, and then do
// not allocate; none makes a slice of runes of valid UTF-8:
//
//	text.CharAt("世界", 1)     // "界"
//	text.IndexOf("世界", "界") // 1
//
// # Values
//
// Any string. Where a server takes a string apart into runes, an invalid byte becomes U+FFFD in the result, and U+FFFD in a text that
// is looked for matches it; Replace, Split and Trim keep such bytes.
//
// # Errors
//
// The texts are those of the server, without anything in front.
//
// # Cost
//
// Linear in the arguments and the result. A rule can ask for a result that is far larger than all it was given, as the server
// charges for replace by the length of its target and for join only when it has been done. The server has no bound here; these
// functions have one, MaxSize, so that a rule cannot exhaust the memory of the program that runs it.
//
// # Concurrency
//
// All functions are pure.
//
// # Parity
//
// Kubernetes 1.37 with cel-go v0.29.2, clauses CEN-022, CLI-001. One deviation: MaxSize.
package text
