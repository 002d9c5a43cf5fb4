// Package manifest splits a file into its documents, and reports the position of each. A file is a stream of YAML
// documents, JSON objects one after another, or both.
//
// Nothing is decoded, so documents need not be valid YAML. Documents share the text of the file. Splitting takes linear
// time.
//
// An [Archive] is a txtar file: several small files in one text. A comment comes first, then the files, each below a
// line `-- name --`.
//
// Clauses: those of the family REG in docs/internals/behaviour.md.
package manifest
