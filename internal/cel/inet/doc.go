// Package inet has the IP addresses and CIDRs of CEL rules.
//
//	ip, err := inet.ParseIP("10.1.2.3")
//	// ...
//	net, err := inet.ParseCIDR("10.0.0.0/8")
//	// ...
//	net.ContainsIP(ip) // true
//
// Addresses with a zone and IPv4 addresses written as IPv6 (::ffff:10.1.2.3) are refused. A CIDR may have bits behind its prefix, and
// keeps them: 10.1.2.3/8 is another CIDR than 10.0.0.0/8, though both contain the same addresses.
//
// # Concurrency and cost
//
// Values are immutable and comparable: == is what CEL's == says. Their zero values are of no family and contain nothing.
// No function takes more than time in proportion to its text, and nothing allocates but String and errors.
//
// # Parity
//
// Kubernetes 1.37, clauses CLI-030 to CLI-033. The reasons that errors give are those of net/netip, so they are a server's
// if it is built with the same Go version.
package inet
