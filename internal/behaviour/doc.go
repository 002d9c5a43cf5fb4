// Package behaviour checks the list of behaviours, docs/behaviour.md: it has each id that code or tests cite, and each
// of its lines names a test that cites the id.
package behaviour
