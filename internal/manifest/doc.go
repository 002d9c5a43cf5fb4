// Package manifest reads the files that objects and definitions are written in.
//
// [Split] splits a file into its documents, and reports the position of each. A file is a stream of YAML documents,
// JSON objects one after another, or both. Nothing is decoded, so documents need not be valid YAML. Documents share the
// text of the file. Splitting takes linear time.
//
// An [Archive] is a txtar file: several small files in one text. A comment comes first, then the files, each below a
// line `-- name --`.
//
// [Replace] and [ReplaceDefinition] prepare requests for objects and definitions from files, as kubectl does. The
// author of a file writes what is wanted, and a dump of a cluster also has what only a server sets. Either may be the
// old object or the new one.
//
// Clauses: those of the family REG in docs/internals/behaviour.md.
package manifest
