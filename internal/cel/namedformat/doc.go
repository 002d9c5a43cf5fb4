// Package namedformat has the named formats of CEL rules: format.dns1123Label(), format.named('uuid') and the others, and what validate
// says about a text.
//
//	f := namedformat.Lookup("dns1123Label")
//	f.Validate("my.name") // ["must not contain dots"]
//
// The names are those of rules. They are not the formats of a schema, although some are called the same: byte, date, datetime, uri and
// uuid judge in the same way there.
//
// # Values
//
// Any string. Lengths count bytes, also where a message says characters.
//
// # Concurrency
//
// Formats are shared and immutable.
//
// # Parity
//
// Kubernetes 1.37, clauses CLI-060 to CLI-064, CRC-042. The messages about a URI are those of net/url of the Go version in use.
package namedformat
