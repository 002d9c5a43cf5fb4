// Package parse parses CEL expressions into syntax trees. It expands macros.
//
// There are two parsers, which have the same trees for the same texts: the same nodes with the same ids as cel-go's
// parser has, since costs and the order of errors depend on them.
//
//   - [Expression] reads the text once, from left to right. It keeps no positions, and reports no errors. It does not
//     accept a text that is invalid, unusual or over a limit: this applies to a leading dot, the fields of a message,
//     and two minus signs before a number.
//   - [Full] parses every expression. It has the position of each node. If the text is not an expression, it has the
//     problems that a server reports. It is for the few texts that Expression does not accept, and for expressions in
//     which the type check finds errors.
//
// Full reads a text with the lexer and the parser that ANTLR generates from cel-go's grammar. The texts of syntax
// errors come from ANTLR, and depend on how it predicts and recovers. This package has the rest: limits, positions,
// literals, the nodes and their ids, and macros.
//
// # Errors
//
// [Problems] are in the order in which they were found. Their texts and positions are those of the API server.
//
// # Concurrency
//
// All functions are safe for concurrent use. A [Tree] is the caller's.
//
// # Cost and hostile input
//
// A text may have 100,000 code points. Time and memory of Expression are linear in the text. Full has the limits that
// cel-go's parser has: of nested rules, of errors, of recoveries from errors, and of tokens that are skipped in one
// recovery. Within them its time may be quadratic in the length of an invalid text. Nothing in a text makes these
// functions panic.
//
// # Parity
//
// Clauses: CEN-003, CEN-010, CER-020 to CER-024. Tests compare the trees, the positions and the errors with those of
// cel-go, also for texts with random changes; so do fuzz targets.
package parse
