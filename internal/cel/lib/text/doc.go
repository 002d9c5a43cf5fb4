// Package text implements the functions of CEL rules on strings: the strings extension of cel-go in its version 2.
// Regular expression searches are in package internal/pattern.
//
// Positions and lengths count code points. Most functions return a part of their argument, or the argument itself, and
// then do not allocate; none creates a slice of runes for valid UTF-8:
//
//	text.CharAt("世界", 1)     // "界"
//	text.IndexOf("世界", "界") // 1
//
// # Values
//
// Any string. If a server splits a string into runes, an invalid byte becomes U+FFFD in the result, and U+FFFD in a
// search string matches it. Replace and Split keep such bytes.
//
// # Errors
//
// The texts are those of the server, without a prefix.
//
// # Cost
//
// Linear in the arguments and the result. The result of a rule can be far larger than its inputs: the server charges
// for replace by the length of its target, and for join only afterwards. The server has no limit here; these functions
// have one, MaxSize, so that a rule cannot exhaust the memory of the program.
//
// # Concurrency
//
// All functions are pure.
//
// # Parity
//
// Kubernetes 1.37 with cel-go v0.29.2, clauses CEN-022, CLI-001. One deviation: MaxSize.
package text
