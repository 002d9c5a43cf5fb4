package inet

import (
	"fmt"
	"net/netip"
)

// An IP is an IPv4 or IPv6 address. It is global if it is a unicast address, but neither link-local nor a loopback
// address, nor 255.255.255.255: private addresses are global in this sense. Its String is its canonical form (CLI-031).
type IP struct{ netip.Addr }

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
	return IP{addr}, nil
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
	return string(ip.AppendTo(text[:0])) == s, nil
}

// Family returns 4 or 6.
func (ip IP) Family() int64 {
	switch {
	case ip.Is4():
		return 4
	case ip.Is6():
		return 6
	}
	return 0
}

// Size returns the size of ip in bytes, on which costs are based: 4 or 16.
//
// Clauses: CRC-003.
func (ip IP) Size() int64 { return int64(ip.BitLen() / 8) }
