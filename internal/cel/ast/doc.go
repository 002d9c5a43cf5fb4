// Package ast has the syntax trees of CEL expressions.
//
// An [Expr] is a node. Its kind says which of its As methods returns what it consists of: [Expr.AsCall] for a
// [CallKind], for example. Trees have no operators and no macros: an operator is a call of a function such as _+_, and
// a macro is expanded, in most cases to a loop, which is a [ComprehensionExpr].
//
// Each node has an id, a small number that is unique in its tree. What else is known about a node is kept by its id: an
// [AST] has the results of the check.
//
// # Concurrency
//
// A tree may be read by several goroutines. [Expr.Replace] is the only method that changes a node.
package ast
