package inet

import (
	"fmt"
	"net/netip"
)

// An IP is an IPv4 or IPv6 address.
type IP struct {
	addr netip.Addr
}

// ParseIP parses s, which may be any text. The errors are those of CLI-030.
//
// Clauses: CLI-030.
func ParseIP(s string) (IP, error) {
	addr, err := netip.ParseAddr(s)
	switch {
	case err != nil:
		return IP{}, &parseError{s, err}
	case addr.Zone() != "":
		return IP{}, fmt.Errorf("IP address %q with zone value is not allowed", s)
	case addr.Is4In6():
		return IP{}, mappedError(s)
	}
	return IP{addr: addr}, nil
}

// A parseError is the error of an invalid address. Its text is built only if needed.
type parseError struct {
	text string
	err  error
}

func (e *parseError) Error() string {
	return fmt.Sprintf("IP Address %q parse error during conversion from string: %v", e.text, e.err)
}

func mappedError(s string) error {
	return fmt.Errorf("IPv4-mapped IPv6 address %q is not allowed", s)
}

// ValidIP reports whether [ParseIP] accepts s. It does not allocate if s is valid.
func ValidIP(s string) bool {
	addr, err := netip.ParseAddr(s)
	return err == nil && addr.Zone() == "" && !addr.Is4In6()
}

// IsCanonical reports whether s is an address as [IP.String] writes it. The error is that of [ParseIP].
//
// Clauses: CLI-031.
func IsCanonical(s string) (bool, error) {
	ip, err := ParseIP(s)
	if err != nil {
		return false, err
	}
	var text [len("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff")]byte
	return string(ip.addr.AppendTo(text[:0])) == s, nil
}

// Family returns 4 or 6.
func (ip IP) Family() int64 {
	switch {
	case ip.addr.Is4():
		return 4
	case ip.addr.Is6():
		return 6
	}
	return 0
}

// IsUnspecified reports whether ip is 0.0.0.0 or ::.
func (ip IP) IsUnspecified() bool { return ip.addr.IsUnspecified() }

// IsLoopback reports whether ip is in 127.0.0.0/8, or is ::1.
func (ip IP) IsLoopback() bool { return ip.addr.IsLoopback() }

// IsLinkLocalMulticast reports whether ip is in 224.0.0.0/24 or a link-local multicast address of IPv6.
func (ip IP) IsLinkLocalMulticast() bool { return ip.addr.IsLinkLocalMulticast() }

// IsLinkLocalUnicast reports whether ip is in 169.254.0.0/16 or fe80::/10.
func (ip IP) IsLinkLocalUnicast() bool { return ip.addr.IsLinkLocalUnicast() }

// IsGlobalUnicast reports whether ip is a unicast address, but none of the above, nor 255.255.255.255. Private
// addresses are global in this sense (CLI-031).
func (ip IP) IsGlobalUnicast() bool { return ip.addr.IsGlobalUnicast() }

// Size returns the size of ip in bytes, on which costs are based: 4 or 16.
//
// Clauses: CRC-003.
func (ip IP) Size() int64 { return int64(ip.addr.BitLen() / 8) }

// String returns ip in canonical form, in lower case.
func (ip IP) String() string { return ip.addr.String() }
