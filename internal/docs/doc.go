// Package docs has the tests of docs/*.md: the tests that parity.md names exist, and the Go code that migrating.md
// shows compiles and does what the page says.
package docs
