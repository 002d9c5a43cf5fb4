// Package clause implements the format strings of string.format: it parses them and formats values that are Go scalars.
//
//	f := clause.Parse("%d of %.1f")
//	out, err := f.Append(nil, 2, func(dst []byte, c clause.Clause, arg int) ([]byte, error) {
//		// append the argument with that number, with AppendInteger, AppendFixed, AppendBytes ...
//	})
//
// A Format is used both to check a format string against the types of its arguments (Check) and to format arguments
// (Append); a constant format string has to be parsed only once. CEL values stay with the caller: it walks lists and
// maps, and calls the append function for each scalar in them.
//
// # Values
//
// A format string may be any string. Bytes that are not UTF-8 are copied unchanged.
//
// # Errors
//
// A Format keeps the error in its text until the arguments before it are formatted, as in a server, which parses and
// formats at the same time. The texts are those of the server, without a prefix.
//
// # Cost
//
// Linear in the format string and the result. Append stops with text.ErrTooLarge when the result has more than
// text.MaxSize bytes. A caller that writes a large argument checks with Fits as it grows.
//
// # Concurrency
//
// A Format is safe for concurrent use by multiple goroutines. The functions are pure.
//
// # Parity
//
// Kubernetes 1.37 with cel-go v0.29.2, whose older version of format prints numbers in the English locale: clauses
// CEN-053, CLI-003, CLI-004. Unusual precisions have odd results in the server (%.256f prints all digits of the number
// and no zeros, %.10000010f prints %!(NOVERB)); they are the same here. One deviation: text.MaxSize.
package clause
