// Package parse turns the text of a CEL expression into a syntax tree, for the texts that people write.
//
// [Expression] makes the tree that cel-go's parser makes: the same nodes with the same ids, macros expanded by the same expanders. It is
// some ten times as fast, because it reads the text once, from left to right, and keeps no positions.
//
// # Errors
//
// There are none. What is wrong, unusual or beyond a limit of cel-go's parser is not accepted, which says nothing about it: whether it is
// an expression, and what a server says of it, has to be asked of cel-go. That is so for a leading dot, the fields of a message, and a
// minus before a minus before a number.
//
// # Concurrency
//
// All functions may be called by several goroutines at once.
//
// # Cost and hostile input
//
// Time and memory grow with the length of the text, which may be 100,000 bytes. Nothing in a text makes these functions panic.
//
// # Parity
//
// Clauses: CEN-003, CEN-010. Tests compare the trees with those of cel-go; so does a fuzz target.
package parse
