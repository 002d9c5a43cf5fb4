// Package check turns the text of a CEL expression into a checked syntax tree, or into the errors that a server reports
// for it.
//
// [Checker.Rule] and [Checker.Message] parse a text, type-check it for the node it belongs to, and then validate its
// literals. The functions that it may call are those in the table of package eval. A server has two environments: new
// expressions may only call what the previous minor version also has, stored ones may call everything.
//
// An expression is checked on the tree of [parse.Expression], which has no positions. That takes a tenth of the time of
// cel-go, and gives the same types and overloads. An expression with an error, or one that this parser does not accept,
// is parsed again by [parse.Full], with positions, and checked by the same code, which then finds all errors. Their
// texts and their order are those of cel-go's checker, because a server has the same ones.
//
// # Errors
//
// The text of an error is the whole detail of the field error of a custom resource definition, byte for byte: one block
// per problem, sorted by position, at most 100.
//
// # Concurrency
//
// All functions are safe for concurrent use, as long as each [types.SchemaType] and each [Checker] is used by one
// goroutine at a time.
//
// # Cost and hostile input
//
// A text may have 100,000 code points and be nested 250 levels deep; above these limits it is an error before any work
// is done. Time and memory are linear in the text and in the sizes of the types of its parts. An expression whose check
// takes more than some tenths of a second is an error too (see Parity), and so are the expressions of a definition that
// together take longer than some seconds ([Total]). Nothing in a text makes these functions panic.
//
// # Parity
//
// Clauses: CTY-030 to CTY-035, CEN-001 to CEN-053, CER-001 to CER-031, CCO-001, CCO-002. Errors of program creation
// (CER-040) are found when an expression is planned, not here. Deviations, neither of which is likely for a rule of
// less than 10,000 bytes:
//
//   - A server checks any text within the parser's limits, even if it takes years. Here a text whose check takes more
//     than 33 million steps is refused with the problem "expression would take too long to type-check". A step visits a
//     part of a type; new types take more. An example is a chain of 20 calls whose types double with each link.
//   - A server expands a chain of optMap and optFlatMap, which doubles with each link, to any size. Here more than
//     100,000 nodes are an error, with the text that cel-go has from v0.31.0 on.
package check
