// Package docs has the tests of CONTRIBUTING.md, README.md and docs/*.md: the list of packages in internal/ is
// complete, the tests that parity.md names exist, and the Go code in migrating.md compiles and does what the page says.
package docs
