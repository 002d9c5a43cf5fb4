// Package weburl has the URLs of CEL rules: absolute ones, and paths from the root.
//
//	u, err := weburl.Parse("https://example.com:8080/a?k=v")
//	// ...
//	u.Port()  // 8080
//	u.Query() // map[k:[v]]
//
// # Concurrency and cost
//
// URLs are immutable. Each function takes time and memory in proportion to the URL.
//
// # Parity
//
// Kubernetes 1.37, clauses CLI-040 and CLI-041. Both a server and this package read URLs with net/url, so they agree on what is valid,
// and on the reasons of errors, if they are built with the same Go version.
package weburl
