// Package golden helps the tests of several packages: with cases in files, and with random schemas and objects. Only
// tests import it.
//
// A case is a txtar file: a comment that begins with the clause, then parts, each below a line `-- name --`. Parts
// whose name begins with `want` are answers. With the flag -update a test writes answers that differ into the file.
package golden
