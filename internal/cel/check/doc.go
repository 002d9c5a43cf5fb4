// Package check turns the text of a CEL expression into a checked syntax tree, or into the errors that a server reports
// for it.
//
// [Checker.Rule] and [Checker.Message] parse a text, type-check it for the node it belongs to, and then validate its
// literals. The functions that it may call are those in the table of package eval. A server has two environments: new
// expressions may only call what the previous minor version also has, stored ones may call everything.
//
// Expressions without an error, which are nearly all, are checked by this package itself, on the trees of package
// parse. That takes a tenth of the time of cel-go, and gives the same types and overloads. All other expressions are
// parsed again, with positions, and checked by cel-go with our declarations: which functions there are does not change
// with its version. Its error messages are returned as they are, because a server returns the same ones.
//
// # Errors
//
// The text of an error is the whole detail of the field error of a custom resource definition, byte for byte: one block
// per problem, sorted by position, at most 100.
//
// # Concurrency
//
// All functions are safe for concurrent use, as long as each [declare.Type] and each [Checker] is used by one goroutine
// at a time.
//
// # Cost and hostile input
//
// A text may have 100,000 code points and be nested 250 levels deep; above these limits it is an error before any work
// is done. An expression with an error that cel-go would check for more than some seconds is an error too (see Parity),
// and so are the expressions of a definition that together take longer than that ([Total]). Nothing in a text makes
// these functions panic.
//
// # Parity
//
// Clauses: CTY-030 to CTY-035, CEN-001 to CEN-053, CER-001 to CER-031, CCO-001, CCO-002. Errors of program creation
// (CER-040) are found when an expression is planned, not here. Deviations, neither of which is likely for a rule of
// less than 10,000 bytes:
//
//   - A server checks any text within the parser's limits, even if it takes hours: its time is quadratic in the number
//     of generic calls, and grows faster with the size of the types of nested literals. Here, if cel-go has to check a
//     text and the estimate is more than some seconds, it is refused with the problem "expression would take too long
//     to type-check". Examples are a text with an error and about 4,000 comparisons, some literals nested 250 deep, and
//     a chain of calls whose types double with each link.
//   - A server expands a chain of optMap and optFlatMap, which doubles with each link, to any size. Here more than
//     100,000 nodes are an error, with the text that cel-go has from v0.31.0 on.
package check
