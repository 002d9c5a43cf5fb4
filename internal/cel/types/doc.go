// Package types has the types of CEL expressions, and the values of literals.
//
// A [Type] is a kind, a name, and the types that it is built from: list(int) has the kind [ListKind], the name list and
// the parameter int. Simple types are variables such as [IntType]. All others come from the New functions; two of them
// may describe the same type, so they are compared with [Type.IsEquivalentType], not with ==.
//
// Some messages of google.protobuf stand for types of the language, so [NewObjectType] returns those for them.
//
// # Concurrency
//
// Types and values are not modified once they exist, so that they may be used by several goroutines.
package types
