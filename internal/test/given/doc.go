// Package given makes the inputs of tests in many packages: objects, schemas and definitions from YAML or JSON, files,
// cases in files, and random schemas and objects. It also has checks that several packages need. Only tests import it.
//
// Each function that decodes fails the test if it cannot.
//
// # Cases
//
// A [Case] is a txtar file: a comment that begins with the clause, then parts, each below a line `-- name --`. Parts
// whose name begins with `want` are answers. With the flag -update a test writes answers that differ into the file; see
// [Update] for tests that write files of other forms.
package given
