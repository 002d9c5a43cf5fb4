// Package weburl implements the URLs of CEL rules: absolute URLs, and absolute paths.
//
//	u, err := weburl.Parse("https://example.com:8080/a?k=v")
//	// ...
//	u.Port()  // 8080
//	u.Query() // map[k:[v]]
//
// # Concurrency and cost
//
// URLs are immutable. Each function takes time and memory linear in the URL.
//
// # Parity
//
// Kubernetes 1.37, clauses CLI-040 and CLI-041. Both a server and this package parse URLs with net/url, so what is
// valid, and the reasons in errors, are the same if they are built with the same Go version.
package weburl
