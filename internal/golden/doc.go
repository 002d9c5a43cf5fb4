// Package golden has what the tests of several packages share: cases in files, and schemas and objects made up at random. Only
// tests import it.
//
// A case is a txtar file: a comment that begins with the clause, then parts, each below a line `-- name --`. Parts whose name
// begins with `want` are answers. With the flag -update a test writes the answers that it got into the file, where they differ.
package golden
