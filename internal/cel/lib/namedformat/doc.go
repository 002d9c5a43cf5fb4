// Package namedformat implements the named formats of CEL rules: format.dns1123Label(), format.named('uuid') and the
// others, and the results of their validate.
//
//	f := namedformat.Lookup("dns1123Label")
//	f.Validate("my.name") // ["must not contain dots"]
//
// The names are those of rules. They are not the formats of a schema, although some have the same name: byte, date,
// datetime, uri and uuid accept the same texts there.
//
// # Values
//
// Any string. Lengths count bytes, even if a message says characters.
//
// # Concurrency
//
// Formats are shared and immutable.
//
// # Parity
//
// Kubernetes 1.37, clauses CLI-060 to CLI-064, CRC-042. The messages about a URI are those of net/url in the Go version
// in use.
package namedformat
