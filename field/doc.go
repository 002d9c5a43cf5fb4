// Package field has the errors that an API server reports about an object, and the places in the object that they point to.
//
// An [Error] says what is wrong ([ErrorType]), where (Field, and Path as segments), with which value (BadValue), and why (Detail).
// Its text equals the API server's byte for byte, and so does the text of a [Status], which is the whole answer to a request that
// was refused. Both are part of this package's contract: they change only with the Kubernetes version that the module follows.
//
// # Errors
//
// Functions that report on data return a [List]: nil when all is well. [List.Err] makes it an error for the usual
// `if err != nil`; errors.As finds each *Error in it, and errors.Is compares with a pattern:
//
//	errors.Is(err, &field.Error{Type: field.ErrorTypeRequired, Field: "spec.replicas"})
//
// The lists that this module returns end at a [Limit]: 10,000 errors and 3 MiB of text, unless another one is asked for. [List.String],
// [List.Status] and the JSON of these take time and memory linear in that text.
//
// # Concurrency
//
// All types here are values without hidden state. BadValue aliases the object that was judged, so it must not be modified.
//
// # Parity
//
// This package follows Kubernetes 1.37. Its clauses are those of the families EMD and GEN: docs/behaviour.md in the repository lists them
// with their tests. Where the server's Field is unspecific (the combinators of a schema report at <nil>), Path still says which value
// failed. Deliberately different: the limit, and the error that reports it ([ErrorTypeTooManyErrors]).
package field
