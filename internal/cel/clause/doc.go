// Package clause has the format texts of string.format: it reads them and writes values that are Go scalars.
//
//	f := clause.Parse("%d of %.1f")
//	out, err := f.Append(nil, 2, func(dst []byte, c clause.Clause, arg int) ([]byte, error) {
//		// walk the argument with that number, and call AppendInt, AppendFixed, AppendDouble ...
//	})
//
// A Format is the same whether the format text is checked against the types of its arguments (Check) or filled in (Append); a text
// that is a constant needs to be read only once. Values of CEL stay with the caller: it walks lists and maps, and finds the append
// function for each scalar in them.
//
// # Values
//
// Any text: bytes that are no UTF-8 are taken as they come.
//
// # Errors
//
// A Format keeps the mistake in its text until the arguments before it are done, as a server reads on only then. The texts are those of
// the server, without anything in front.
//
// # Cost
//
// Linear in the format text and the result. Append stops with text.ErrTooLarge when the result has more than text.MaxSize bytes; who
// writes one argument that is large asks Fits as it grows.
//
// # Concurrency
//
// A Format is safe for concurrent use by multiple goroutines. The functions are pure.
//
// # Parity
//
// Kubernetes 1.37 with cel-go v0.29.2, whose old version of format prints numbers for readers of English: clauses CEN-053, CLI-003,
// CLI-004. Numbers of digits that no one asks for have odd results in the server (%.256f prints all digits of the number and no
// zeros, %.10000010f prints %!(NOVERB)); they are the same here. One deviation: text.MaxSize.
package clause
