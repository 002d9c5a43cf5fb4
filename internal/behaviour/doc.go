// Package behaviour checks docs/behaviour.md, the list of behaviours: the list has each id that code or tests cite, and
// each of its lines names a test that cites the id.
package behaviour
