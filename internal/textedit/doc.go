// Package textedit changes values in the text of YAML and JSON files. Everything else stays unchanged: comments, order,
// white space.
//
// Clauses: those of the family POS in docs/behaviour.md, for the positions of values.
package textedit
