// Package behaviour holds the list of behaviours, docs/behaviour.md, to the code: a test checks that it has each id
// that code or tests cite, and that each of its lines names a test that cites the id.
package behaviour
