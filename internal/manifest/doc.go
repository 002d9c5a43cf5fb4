// Package manifest cuts a file into its documents, and reports the position of each. A file is a stream of YAML
// documents, JSON objects one after another, or both.
//
// Nothing is decoded: a document that is not valid YAML is a document as well. Documents share the text of the file.
// Time is linear.
//
// Clauses: those of the family REG in docs/behaviour.md.
package manifest
