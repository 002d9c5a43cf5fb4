package eval

import (
	"fmt"
	"net/netip"
)

// A cidr is an address and a prefix length. It keeps the bits of the address after the prefix, and its String includes
// them: 10.1.2.3/8 is not equal to 10.0.0.0/8, though both contain the same addresses (CLI-033). == is CEL's ==. The zero
// cidr contains nothing.
type cidr struct{ netip.Prefix }

// parseCIDR parses s, which may be any text. The errors are those of CLI-032.
//
// Clauses: CLI-032.
func parseCIDR(s string) (cidr, error) {
	const failed = "network address parse error during conversion from string: "
	prefix, err := netip.ParsePrefix(s)
	if err != nil {
		// A server has the prefix twice.
		return cidr{}, fmt.Errorf(failed+failed+"%v", err)
	}
	if prefix.Addr().Is4In6() {
		return cidr{}, fmt.Errorf(failed+"%w", mappedError(s))
	}
	return cidr{prefix}, nil
}

// validCIDR reports whether [parseCIDR] accepts s. It does not allocate if s is valid.
func validCIDR(s string) bool {
	prefix, err := netip.ParsePrefix(s)
	return err == nil && !prefix.Addr().Is4In6()
}

// ContainsIP reports whether ip has the same family as c and is in c.
//
// Clauses: CLI-033.
func (c cidr) ContainsIP(ip ipAddress) bool { return c.Contains(ip.Addr) }

// ContainsCIDR reports whether c contains all addresses of d.
//
// Clauses: CLI-033.
func (c cidr) ContainsCIDR(d cidr) bool {
	return c.Overlaps(d.Prefix) && c.Bits() <= d.Bits()
}

// IP returns the address of c as it was written, including the bits after the prefix.
func (c cidr) IP() ipAddress { return ipAddress{c.Addr()} }

// PrefixLength returns the number of bits in the prefix: 0 to 32, or to 128.
func (c cidr) PrefixLength() int64 { return int64(c.Bits()) }

// Masked returns c without the bits after the prefix.
func (c cidr) Masked() cidr { return cidr{c.Prefix.Masked()} }

// Size returns the size of c's prefix in bytes, rounded up, on which costs are based: 0 to 16.
//
// Clauses: CRC-003.
func (c cidr) Size() int64 { return (int64(c.Bits()) + 7) / 8 }
