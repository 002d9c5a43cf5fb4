// Package text implements the functions of CEL rules on strings: the strings extension of cel-go in its version 2 with
// its string.format, and the texts of other values. Regular expression searches are in package internal/pattern.
//
// Positions and lengths count code points. Most functions return a part of their argument, or the argument itself, and
// then do not allocate; none creates a slice of runes for valid UTF-8:
//
//	text.CharAt("世界", 1)     // "界"
//	text.IndexOf("世界", "界") // 1
//
// # Formats
//
// [ParseFormat] parses the format string of string.format, and the Append functions format values that are Go scalars:
//
//	f := text.ParseFormat("%d of %.1f")
//	out, err := f.Append(nil, 2, func(dst []byte, c text.Clause, arg int) ([]byte, error) {
//		// append the argument with that number, with AppendInteger, AppendFixed, AppendBytes ...
//	})
//
// A [Format] is used both to check a format string against the types of its arguments (Check) and to format arguments
// (Append); a constant format string has to be parsed only once. CEL values stay with the caller: it walks lists and
// maps, and calls the append function for each scalar in them.
//
// # Values
//
// Any string. If a server splits a string into runes, an invalid byte becomes U+FFFD in the result, and U+FFFD in a
// search string matches it. Replace, Split and formats keep such bytes.
//
// # Errors
//
// The texts are those of the server, without a prefix. A Format keeps the error in its text until the arguments before it
// are formatted, as in a server, which parses and formats at the same time.
//
// # Cost
//
// Linear in the arguments and the result. The result of a rule can be far larger than its inputs: the server charges
// for replace by the length of its target, and for join only afterwards. The server has no limit here; these functions
// have one, MaxSize, so that a rule cannot exhaust the memory of the program. A caller that writes a large argument of a
// format checks with [Fits] as it grows.
//
// # Concurrency
//
// All functions are pure, and a Format is immutable.
//
// # Parity
//
// Kubernetes 1.37 with cel-go v0.29.2, clauses CEN-022, CEN-053, CLI-001, CLI-003, CLI-004. Its version of format is an
// older one, which prints numbers in the English locale. Unusual precisions have odd results in the server (%.256f prints
// all digits of the number and no zeros, %.10000010f prints %!(NOVERB)); they are the same here. One deviation: MaxSize.
package text
