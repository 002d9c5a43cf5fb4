// Package convert implements the conversions of CEL rules between numbers, texts and bools: int(x), uint(x), double(x),
// string(x), bool(x).
//
//	convert.TextToInt("+5")  // 5
//	convert.DoubleToInt(2.9) // 2
//
// Conversions of times and durations are in package clock. Those that cannot fail and are simple Go conversions, such
// as int to double and string to bytes, are not here.
//
// # Errors
//
// The texts are those of the server, without a prefix. The errors are variables, so they do not allocate.
//
// # Concurrency
//
// All functions are pure.
//
// # Parity
//
// Kubernetes 1.37 with cel-go v0.29.2, clauses CLI-072, CMS-022.
package convert
