// Package docs has the tests of CONTRIBUTING.md, README.md and docs/*.md: the map of internal/ is complete, the tests
// that parity.md names exist, and the Go code that migrating.md shows compiles and does what the page says.
package docs
