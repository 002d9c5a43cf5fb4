// Package field has the errors that an API server reports about an object, and the paths in the object that they point
// to.
//
// An [Error] says what is wrong ([ErrorType]), where (Field, and Path as segments), with which value (BadValue), and
// why (Detail). Its text equals the API server's byte for byte. So does the text of a [Status], the complete answer to
// a refused request. Both texts are part of this package's contract: they change only with the Kubernetes version that
// the module follows.
//
// # Errors
//
// [Error.Cause] says which keyword or rule of a definition an error comes from. It does not depend on the text, which a
// rule may choose.
//
// Functions that validate data return a [List], which is nil if there are no errors. [List.Err] converts it to an error
// for the usual `if err != nil`; errors.As finds each *Error in it, and errors.Is compares with a pattern:
//
//	errors.Is(err, &field.Error{Type: field.ErrorTypeRequired, Field: "spec.replicas"})
//
// The lists that this module returns end at a [Limit]: 10,000 errors and 3 MiB of text by default. [List.String],
// [List.Status] and their JSON take time and memory linear in that text.
//
// # Concurrency
//
// All types here are values without hidden state. BadValue aliases the validated object, so it must not be modified.
//
// # Parity
//
// This package follows Kubernetes 1.37. Its clauses are those of the families EMD and GEN: docs/internals/behaviour.md
// in the repository lists them with their tests. Where the server's Field is unspecific (the combinators of a schema
// report at <nil>), Path still identifies the value that failed. Deliberate differences: the limit, and the error that
// reports it ([ErrorTypeTooManyErrors]).
package field
