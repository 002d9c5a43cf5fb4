// Package format has the string formats of a schema: which of them a schema keeps, and which strings each accepts.
//
// A schema may have `format: date-time`. The API server ignores unknown formats and those that do not fit the type
// ([Kept]). It checks the others on strings only:
//
//	f := format.Lookup("date-time")
//	f.Name                          // datetime
//	f.Valid("2026-01-02T03:04:05Z") // true
//
// # Values
//
// Every check accepts any string: empty, long, or not UTF-8. None panics. An invalid byte counts as the rune U+FFFD, as
// in the regular expressions of the clauses; U+FFFD is a symbol, so hostname accepts it.
//
// # Cost
//
// A check is one hand-written pass over the string, and does not allocate. Exceptions are uri, which uses net/url,
// email addresses with encoded words, and strings that are not durations.
//
// # Concurrency
//
// Everything here may be used by multiple goroutines at once.
//
// # Parity
//
// Kubernetes 1.37, clauses FMT-001 to FMT-007. Some checks are weaker or stricter than their names: ipv4 accepts
// leading zeros and IPv6 addresses with a dotted part, email accepts display names, byte refuses the empty string,
// duration accepts P1D, and datetime accepts any text after a second t. email follows net/mail and mac follows
// net.ParseMAC of Go 1.26, whichever Go version compiles this package; uri follows the Go version in use.
package format
