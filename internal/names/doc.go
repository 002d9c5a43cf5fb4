// Package names knows the syntaxes of names in the API: DNS labels and subdomains, qualified names, label values, names that
// become a segment of a URL. CRDs, objects and their metadata are full of them.
//
// Each syntax has two functions. IsX reports the verdict: it scans the name once and allocates nothing. X returns what a server
// says about the name, nil if it is well formed; where there are two messages, the one about the length comes first:
//
//	names.IsDNS1123Label("my-name") // true
//	names.DNS1123Label("my.name")   // ["must not contain dots"]
//
// IsX(s) is true exactly if X(s) is nil.
//
// # Values
//
// Any string. Lengths count bytes, also where a message says characters. Bytes that are no UTF-8 are letters of no syntax, but
// a path segment may have them.
//
// # Concurrency
//
// All functions are pure.
//
// # Parity
//
// Kubernetes 1.37. Clauses EMD-008, MET-001, MET-002, MET-004, MET-007, MET-020 to MET-023. The server matches regular
// expressions, which the messages quote; here the names are scanned, since every create asks for all of them.
package names
