// Package names implements the syntaxes of names in the API: DNS labels and subdomains, qualified names, label values,
// and names that are segments of a URL.
//
// The function of a syntax returns the server's messages about a name, or nil if it is well formed; in that case it
// allocates nothing. If there are two messages, the one about the length comes first:
//
//	names.DNS1123Label("my-name") // nil
//	names.DNS1123Label("my.name") // ["must not contain dots"]
//
// # Values
//
// Any string. Lengths count bytes, even if a message says characters. No syntax accepts bytes that are not UTF-8,
// except the path segment.
//
// # Concurrency
//
// All functions are pure.
//
// # Parity
//
// Kubernetes 1.37. Clauses EMD-008, MET-001, MET-002, MET-004, MET-007, MET-020 to MET-023. The server matches regular
// expressions, which the messages quote. Here names are scanned by hand, because every create checks all of them.
package names
