package eval

import (
	"fmt"
	"net/netip"
)

// An ipAddress is an IPv4 or IPv6 address, without a zone and not IPv4 written as IPv6 (::ffff:10.1.2.3). It is global if
// it is a unicast address, but neither link-local nor a loopback address, nor 255.255.255.255: private addresses are
// global in this sense. Its String is its canonical form (CLI-031), and == is CEL's ==. The zero address has no family.
type ipAddress struct{ netip.Addr }

// parseIP parses s, which may be any text. The errors are those of CLI-030.
//
// Clauses: CLI-030.
func parseIP(s string) (ipAddress, error) {
	addr, err := netip.ParseAddr(s)
	switch {
	case err != nil:
		return ipAddress{}, &addressError{s, err}
	case addr.Zone() != "":
		return ipAddress{}, fmt.Errorf("IP address %q with zone value is not allowed", s)
	case addr.Is4In6():
		return ipAddress{}, mappedError(s)
	}
	return ipAddress{addr}, nil
}

// An addressError is the error of an invalid address. Its text is built only if needed.
type addressError struct {
	text string
	err  error
}

func (e *addressError) Error() string {
	return fmt.Sprintf("IP Address %q parse error during conversion from string: %v", e.text, e.err)
}

func mappedError(s string) error {
	return fmt.Errorf("IPv4-mapped IPv6 address %q is not allowed", s)
}

// validIP reports whether [parseIP] accepts s. It does not allocate if s is valid.
func validIP(s string) bool {
	addr, err := netip.ParseAddr(s)
	return err == nil && addr.Zone() == "" && !addr.Is4In6()
}

// isCanonicalIP reports whether s is an address as [ipAddress.String] writes it. The error is that of [parseIP].
//
// Clauses: CLI-031.
func isCanonicalIP(s string) (bool, error) {
	ip, err := parseIP(s)
	if err != nil {
		return false, err
	}
	var text [len("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff")]byte
	return string(ip.AppendTo(text[:0])) == s, nil
}

// Family returns 4 or 6.
func (ip ipAddress) Family() int64 {
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
func (ip ipAddress) Size() int64 { return int64(ip.BitLen() / 8) }
