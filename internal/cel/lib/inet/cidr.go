package inet

import (
	"fmt"
	"net/netip"
)

// A CIDR is an address and a prefix length. Its String includes the bits of the address after the prefix (CLI-033).
type CIDR struct{ netip.Prefix }

// ParseCIDR parses s, which may be any text. The errors are those of CLI-032.
//
// Clauses: CLI-032.
func ParseCIDR(s string) (CIDR, error) {
	const failed = "network address parse error during conversion from string: "
	prefix, err := netip.ParsePrefix(s)
	if err != nil {
		// A server has the prefix twice.
		return CIDR{}, fmt.Errorf(failed+failed+"%v", err)
	}
	if prefix.Addr().Is4In6() {
		return CIDR{}, fmt.Errorf(failed+"%w", mappedError(s))
	}
	return CIDR{prefix}, nil
}

// ValidCIDR reports whether [ParseCIDR] accepts s. It does not allocate if s is valid.
func ValidCIDR(s string) bool {
	prefix, err := netip.ParsePrefix(s)
	return err == nil && !prefix.Addr().Is4In6()
}

// ContainsIP reports whether ip has the same family as c and is in c.
//
// Clauses: CLI-033.
func (c CIDR) ContainsIP(ip IP) bool { return c.Contains(ip.Addr) }

// ContainsCIDR reports whether c contains all addresses of d.
//
// Clauses: CLI-033.
func (c CIDR) ContainsCIDR(d CIDR) bool {
	return c.Overlaps(d.Prefix) && c.Bits() <= d.Bits()
}

// IP returns the address of c as it was written, including the bits after the prefix.
func (c CIDR) IP() IP { return IP{c.Addr()} }

// PrefixLength returns the number of bits in the prefix: 0 to 32, or to 128.
func (c CIDR) PrefixLength() int64 { return int64(c.Bits()) }

// Masked returns c without the bits after the prefix.
func (c CIDR) Masked() CIDR { return CIDR{c.Prefix.Masked()} }

// Size returns the size of c's prefix in bytes, rounded up, on which costs are based: 0 to 16.
//
// Clauses: CRC-003.
func (c CIDR) Size() int64 { return (int64(c.Bits()) + 7) / 8 }
