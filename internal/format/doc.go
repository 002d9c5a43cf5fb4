// Package format has the syntaxes of strings: the formats of a schema, and the names in the API.
//
// # Formats of a schema
//
// A schema may have `format: date-time`. The API server ignores unknown formats and those that do not fit the type
// ([Kept]). It checks the others on strings only:
//
//	f := format.Lookup("date-time")
//	f.Name                          // datetime
//	f.Valid("2026-01-02T03:04:05Z") // true
//
// # Names
//
// DNS labels and subdomains, qualified names, label values, and segments of a URL each have a function. It returns the
// server's messages about a name, or nil if it is well formed. If there are two messages, the one about the length comes
// first:
//
//	format.DNS1123Label("my-name") // nil
//	format.DNS1123Label("my.name") // ["must not contain dots"]
//
// # Values
//
// Every check accepts any string: empty, long, or not UTF-8. None panics. In a format, an invalid byte counts as the
// rune U+FFFD, as in the regular expressions of the clauses; U+FFFD is a symbol, so hostname accepts it. Lengths of
// names count bytes, even if a message says characters. Invalid UTF-8 is in no name, except in a path segment.
//
// # Cost
//
// A check is one hand-written pass over the string, and does not allocate if the string is valid. Exceptions are uri,
// which uses net/url, email addresses with encoded words, and strings that are not durations.
//
// # Concurrency
//
// Everything here may be used by multiple goroutines at once.
//
// # Parity
//
// Kubernetes 1.37. Formats: clauses FMT-001 to FMT-007. Some checks are weaker or stricter than their names: ipv4
// accepts leading zeros and IPv6 addresses with a dotted part, email accepts display names, byte refuses the empty
// string, duration accepts P1D, and datetime accepts any text after a second t. email follows net/mail and mac follows
// net.ParseMAC of Go 1.26, whichever Go version compiles this package; uri follows the Go version in use.
//
// Names: clauses EMD-008, MET-001, MET-002, MET-004, MET-007, MET-020 to MET-023. The server matches regular
// expressions, which the messages quote. Here names are scanned by hand, because every create checks all of them.
package format
