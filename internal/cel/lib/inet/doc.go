// Package inet implements the IP addresses, CIDRs and URLs of CEL rules.
//
//	ip, err := inet.ParseIP("10.1.2.3")
//	// ...
//	net, err := inet.ParseCIDR("10.0.0.0/8")
//	// ...
//	net.ContainsIP(ip) // true
//
// Addresses with a zone and IPv4 addresses written as IPv6 (::ffff:10.1.2.3) are refused. A CIDR may have bits after
// its prefix, and keeps them: 10.1.2.3/8 is not equal to 10.0.0.0/8, though both contain the same addresses.
//
// A URL is an absolute URL or an absolute path:
//
//	u, err := inet.ParseURL("https://example.com:8080/a?k=v")
//	// ...
//	u.Port()  // 8080
//	u.Query() // map[k:[v]]
//
// # Concurrency and cost
//
// Addresses and CIDRs are immutable and comparable: == is CEL's ==. Their zero values have no family and contain nothing. All
// functions take linear time, and only String and errors allocate. URLs are immutable. Their functions take time and
// memory linear in the URL.
//
// # Parity
//
// Kubernetes 1.37, clauses CLI-030 to CLI-033, CLI-040 and CLI-041. What is a valid URL, and the reasons in errors, are
// those of net/netip and net/url, so they are a server's if both are built with the same Go version.
package inet
