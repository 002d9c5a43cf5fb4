package inet

import (
	"fmt"
	"net/netip"
)

// A CIDR is an address and the length of its prefix.
type CIDR struct {
	prefix netip.Prefix
}

// ParseCIDR returns the CIDR that s stands for. It takes any text; the errors are those of CLI-032.
//
// Clauses: CLI-032.
func ParseCIDR(s string) (CIDR, error) {
	const failed = "network address parse error during conversion from string: "
	prefix, err := netip.ParsePrefix(s)
	if err != nil {
		// A server says so twice.
		return CIDR{}, fmt.Errorf(failed+failed+"%v", err)
	}
	if prefix.Addr().Is4In6() {
		return CIDR{}, fmt.Errorf(failed+"%w", mappedError(s))
	}
	return CIDR{prefix: prefix}, nil
}

// ValidCIDR reports whether [ParseCIDR] takes s. It does not allocate if that is so.
func ValidCIDR(s string) bool {
	prefix, err := netip.ParsePrefix(s)
	return err == nil && !prefix.Addr().Is4In6()
}

// ContainsIP reports whether ip is of c's family and has its prefix.
//
// Clauses: CLI-033.
func (c CIDR) ContainsIP(ip IP) bool { return c.prefix.Contains(ip.addr) }

// ContainsCIDR reports whether c contains all addresses of d.
//
// Clauses: CLI-033.
func (c CIDR) ContainsCIDR(d CIDR) bool {
	return c.prefix.Overlaps(d.prefix) && c.prefix.Bits() <= d.prefix.Bits()
}

// IP returns the address of c as it was written, with the bits behind the prefix.
func (c CIDR) IP() IP { return IP{addr: c.prefix.Addr()} }

// PrefixLength returns the number of bits in the prefix: 0 to 32, or to 128.
func (c CIDR) PrefixLength() int64 { return int64(c.prefix.Bits()) }

// Masked returns c without the bits behind the prefix.
func (c CIDR) Masked() CIDR { return CIDR{prefix: c.prefix.Masked()} }

// Size returns the size of c's prefix in bytes, rounded up, which costs go by: 0 to 16.
//
// Clauses: CRC-003.
func (c CIDR) Size() int64 { return (int64(c.prefix.Bits()) + 7) / 8 }

// String returns the address in canonical form, with the bits behind the prefix, a slash, and the length (CLI-033).
func (c CIDR) String() string { return c.prefix.String() }
