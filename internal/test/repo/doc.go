// Package repo has the tests of this repository as a whole:
//
//   - layering_test.go: each package imports only packages in lower layers, nothing of k8s.io is in the module's graph,
//     packages that need no CEL do not link it, and every package has a doc.go. detail_test.go: nobody reads the texts of
//     errors.
//   - api_test.go: docs/api.txt lists everything that this module exports, so that each change of the API shows in the
//     diff of that file. names_test.go: its names follow docs/api-names.md.
//   - behaviour_test.go: docs/internals/behaviour.md has each id that code or tests cite, and each of its lines names a
//     test that cites the id. godoc_test.go: what is exported is documented.
//   - readme_test.go and the others test CONTRIBUTING.md, README.md and docs/*.md: the list of packages in internal/ is
//     complete, the tests that parity.md names exist, and the Go code in migrating.md compiles and does what the page
//     says.
package repo
