// Package format has the string formats of a schema: which of them a schema keeps, and which strings each accepts.
//
// A schema may say `format: date-time`. The API server ignores formats that it does not know and those that do not fit the
// type ([Kept]), and checks the rest on strings only:
//
//	f := format.Lookup("date-time")
//	f.Name                          // datetime
//	f.Valid("2026-01-02T03:04:05Z") // true
//
// # Values
//
// Every check takes any string: empty, long, or not UTF-8. None panics. An invalid byte counts as the rune U+FFFD, as it does
// for the regular expressions of the clauses; U+FFFD is a symbol, so hostname accepts it.
//
// # Cost
//
// A check is one pass over the string, written by hand, and does not allocate, but for uri, whose rule is the verdict of net/url,
// for an email address with encoded words, and for strings that are no duration.
//
// # Concurrency
//
// Everything here may be used by multiple goroutines at once.
//
// # Parity
//
// Kubernetes 1.37, clauses FMT-001 to FMT-007. Some names promise more than the server checks: ipv4 accepts leading zeros and
// IPv6 addresses with a dotted part, email accepts display names, byte refuses the empty string, duration accepts P1D, and
// datetime accepts any text after a second t. email follows net/mail and mac net.ParseMAC of Go 1.26, whichever Go version
// compiles this package; uri follows the Go version in use.
package format
