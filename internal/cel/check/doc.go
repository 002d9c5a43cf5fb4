// Package check turns the text of a CEL expression into a checked syntax tree, or into the errors that a server reports for it.
//
// [Rule] and [Message] parse a text, check its types against those of the node it belongs to, and then look at its literals. What may be
// called is the table of package eval. A server has two environments: new expressions may call what the previous minor version knew too,
// stored ones everything.
//
// Expressions without a fault, which are nearly all, are checked by the package itself, on the trees of package parse: that takes a tenth
// of the time of cel-go, and gives the same types and overloads. Whatever it does not take is parsed and checked by cel-go, on our
// declarations: which functions and macros there are, and how calls are expanded, does not change with its version. Its error messages
// are passed on, since a server's are the same.
//
// # Errors
//
// An error's text is the whole detail of the field error that a custom resource definition gets, byte for byte: one block per
// problem, sorted by place, at most 100.
//
// # Concurrency
//
// All functions may be called by several goroutines at once, as long as each [declare.Type] and each [Checker] is used by one at a time.
//
// # Cost and hostile input
//
// A text may have 100,000 code points and be nested 250 levels deep; beyond that it is an error before any work is done. An
// expression with a fault that cel-go would check for more than some seconds is an error too (see Parity), and so are the expressions of a
// definition that take longer than that together ([Total]). Nothing in a text makes these functions panic.
//
// # Parity
//
// Clauses: CTY-030 to CTY-035, CEN-001 to CEN-053, CER-001 to CER-031, CCO-001, CCO-002. Errors of program creation (CER-040) are found
// when an expression is planned, not here. Deliberate deviations, neither of which a rule of less than 10,000 bytes is likely to meet:
//
//   - A server checks any text within the parser's limits, if it takes hours: its time grows with the square of the number of generic
//     calls, and faster with the size of the types of nested literals. Here what has to be left to cel-go and is estimated to take it
//     longer than some seconds is refused with the problem "expression would take too long to type-check". That is a text with a fault and
//     about 4,000 comparisons, or some literals nested 250 deep, and one with types that double at each link of a chain.
//   - A server expands a chain of optMap and optFlatMap, which doubles at each link, to any size. Here it ends at 100,000 parts,
//     with the text that cel-go has for it from v0.31.0 on.
package check
