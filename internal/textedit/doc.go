// Package textedit changes values in the text of YAML and JSON files. What it does not change stays as it was written: comments, order,
// blanks.
//
// Clauses: those of the family POS in docs/behaviour.md say where values are.
package textedit
