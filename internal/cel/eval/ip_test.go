package eval

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseIP(t *testing.T) {
	for _, tc := range []struct {
		name, in string
		want     string
		err      string
	}{
		{name: "CLI-030: IPv4", in: "10.1.2.3", want: "10.1.2.3"},
		{name: "CLI-031: IPv6 in canonical form", in: "2001:DB8:0:0::1", want: "2001:db8::1"},
		{name: "CLI-031: IPv6 with IPv4 behind", in: "::1.2.3.4", want: "::102:304"},
		{name: "CLI-030: nothing", in: "", err: `IP Address "" parse error during conversion from string: ParseAddr(""): unable to parse IP`},
		{name: "CLI-030: leading zero", in: "01.2.3.4",
			err: `IP Address "01.2.3.4" parse error during conversion from string: ParseAddr("01.2.3.4"): IPv4 field has octet with leading zero`},
		{name: "CLI-030: a quote", in: `"`, err: `IP Address "\"" parse error during conversion from string: ParseAddr("\""): unable to parse IP`},
		{name: "CLI-030: a zone", in: "fe80::1%eth0", err: `IP address "fe80::1%eth0" with zone value is not allowed`},
		{name: "CLI-030: IPv4 as IPv6", in: "::ffff:1.2.3.4", err: `IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed`},
		{name: "CLI-030: IPv4 as IPv6, in hexadecimal", in: "::FFFF:102:304", err: `IPv4-mapped IPv6 address "::FFFF:102:304" is not allowed`},
		{name: "CLI-030: the zone is looked at first", in: "::ffff:1.2.3.4%a", err: `IP address "::ffff:1.2.3.4%a" with zone value is not allowed`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ip, err := parseIP(tc.in)
			canonical, canonicalErr := isCanonicalIP(tc.in)
			require.Equal(t, err == nil, validIP(tc.in))
			if tc.err != "" {
				require.EqualError(t, err, tc.err)
				require.EqualError(t, canonicalErr, tc.err)
				return
			}
			require.NoError(t, err)
			require.NoError(t, canonicalErr)
			require.Equal(t, tc.want, ip.String())
			require.Equal(t, tc.in == tc.want, canonical)
		})
	}
}

func TestIPPredicates(t *testing.T) {
	for _, tc := range []struct {
		name, in string
		want     string // the names of the predicates that hold
	}{
		{"CLI-031: unspecified", "0.0.0.0", "unspecified"},
		{"CLI-031: unspecified, IPv6", "::", "unspecified"},
		{"CLI-031: loopback", "127.1.2.3", "loopback"},
		{"CLI-031: loopback, IPv6", "::1", "loopback"},
		{"CLI-031: link-local multicast", "224.0.0.255", "multicast"},
		{"CLI-031: link-local multicast, IPv6", "ff02::1", "multicast"},
		{"CLI-031: other multicast", "224.0.1.0", ""},
		{"CLI-031: link-local", "169.254.1.1", "unicast"},
		{"CLI-031: link-local, IPv6", "fe80::1", "unicast"},
		{"CLI-031: global", "8.8.8.8", "global"},
		{"CLI-031: private is global", "192.168.0.1", "global"},
		{"CLI-031: reserved is global", "240.0.0.1", "global"},
		{"CLI-031: private is global, IPv6", "fd80::1", "global"},
		{"CLI-031: broadcast", "255.255.255.255", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ip, err := parseIP(tc.in)
			require.NoError(t, err)
			var holds []string
			for _, p := range []struct {
				name string
				is   bool
			}{
				{"unspecified", ip.IsUnspecified()},
				{"loopback", ip.IsLoopback()},
				{"multicast", ip.IsLinkLocalMulticast()},
				{"unicast", ip.IsLinkLocalUnicast()},
				{"global", ip.IsGlobalUnicast()},
			} {
				if p.is {
					holds = append(holds, p.name)
				}
			}
			require.Equal(t, tc.want, strings.Join(holds, " "))
			family, size := int64(4), int64(4)
			if strings.Contains(tc.in, ":") {
				family, size = 6, 16
			}
			require.Equal(t, family, ip.Family())
			require.Equal(t, size, ip.Size(), "CRC-003")
		})
	}
}

func TestParseCIDR(t *testing.T) {
	const failed = "network address parse error during conversion from string: "
	for _, tc := range []struct {
		name, in string
		want     string
		masked   string
		err      string
	}{
		{name: "CLI-032: IPv4", in: "10.0.0.0/8", want: "10.0.0.0/8", masked: "10.0.0.0/8"},
		{name: "CLI-033: bits behind the prefix", in: "1.2.3.4/24", want: "1.2.3.4/24", masked: "1.2.3.0/24"},
		{name: "CLI-033: IPv6", in: "2001:DB8::1/32", want: "2001:db8::1/32", masked: "2001:db8::/32"},
		{name: "CLI-032: no length", in: "a", err: failed + failed + `netip.ParsePrefix("a"): no '/'`},
		{name: "CLI-032: a leading zero", in: "1.2.3.4/08", err: failed + failed + `netip.ParsePrefix("1.2.3.4/08"): bad bits after slash: "08"`},
		{name: "CLI-032: too long", in: "1.2.3.4/33", err: failed + failed + `netip.ParsePrefix("1.2.3.4/33"): prefix length out of range`},
		{name: "CLI-032: a zone", in: "fe80::1%a/64", err: failed + failed + `netip.ParsePrefix("fe80::1%a/64"): IPv6 zones cannot be present in a prefix`},
		{name: "CLI-032: IPv4 as IPv6", in: "::ffff:1.2.3.4/104", err: failed + `IPv4-mapped IPv6 address "::ffff:1.2.3.4/104" is not allowed`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, err := parseCIDR(tc.in)
			require.Equal(t, err == nil, validCIDR(tc.in))
			if tc.err != "" {
				require.EqualError(t, err, tc.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tc.want, c.String())
			require.Equal(t, tc.masked, c.Masked().String())
			require.Equal(t, tc.want == tc.masked, c == c.Masked(), "CLI-033: equality is of what was written")
			ip, _, _ := strings.Cut(tc.want, "/")
			require.Equal(t, ip, c.IP().String())
		})
	}
}

func TestCIDRSize(t *testing.T) {
	// CRC-003: the bits of the prefix, in bytes.
	for in, want := range map[string][2]int64{
		"0.0.0.0/0": {0, 0}, "1.2.3.4/1": {1, 1}, "1.2.3.4/8": {8, 1}, "1.2.3.4/9": {9, 2}, "1.2.3.4/32": {32, 4}, "::/128": {128, 16},
	} {
		c, err := parseCIDR(in)
		require.NoError(t, err)
		require.Equal(t, want, [2]int64{c.PrefixLength(), c.Size()}, in)
	}
}

func TestCIDRContains(t *testing.T) {
	for _, tc := range []struct {
		name, cidr, other string
		want              bool
	}{
		{"CLI-033: an address inside", "10.0.0.0/8", "10.255.1.1", true},
		{"CLI-033: an address outside", "10.0.0.0/8", "11.0.0.0", false},
		{"CLI-033: bits behind the prefix do not matter", "10.9.9.9/8", "10.0.0.1", true},
		{"CLI-033: another family", "0.0.0.0/0", "::1", false},
		{"CLI-033: another family, the other way", "::/0", "1.2.3.4", false},
		{"CLI-033: itself", "10.0.0.0/8", "10.0.0.0/8", true},
		{"CLI-033: a smaller one", "10.0.0.0/8", "10.1.0.0/16", true},
		{"CLI-033: a larger one", "10.1.0.0/16", "10.0.0.0/8", false},
		{"CLI-033: one beside", "10.1.0.0/16", "10.2.0.0/16", false},
		{"CLI-033: one of another family", "::/0", "10.0.0.0/8", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, err := parseCIDR(tc.cidr)
			require.NoError(t, err)
			if other, err := parseCIDR(tc.other); err == nil {
				require.Equal(t, tc.want, c.ContainsCIDR(other))
				return
			}
			ip, err := parseIP(tc.other)
			require.NoError(t, err)
			require.Equal(t, tc.want, c.ContainsIP(ip))
		})
	}
}

func TestZeroAddresses(t *testing.T) {
	require.Zero(t, ipAddress{}.Family())
	require.Zero(t, ipAddress{}.Size())
	require.Zero(t, cidr{}.Size())
	require.False(t, cidr{}.ContainsIP(ipAddress{}))
	require.False(t, cidr{}.ContainsCIDR(cidr{}))
}

// FuzzParseAddress holds both parsers against what values say of themselves.
func FuzzParseAddress(f *testing.F) {
	for _, s := range []string{"", "1.2.3.4", "::1", "::ffff:1.2.3.4", "fe80::1%eth0", "1.2.3.4/24", "::1/64", "1.2.3.4/", "/8", "::ffff:0:0/96"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		ip, err := parseIP(s)
		require.Equal(t, err == nil, validIP(s))
		if err == nil {
			again, err := parseIP(ip.String())
			require.NoError(t, err)
			require.Equal(t, ip, again)
			canonical, err := isCanonicalIP(ip.String())
			require.NoError(t, err)
			require.True(t, canonical)
			require.Contains(t, []int64{4, 6}, ip.Family())
			require.False(t, validCIDR(s))
		}
		c, err := parseCIDR(s)
		require.Equal(t, err == nil, validCIDR(s))
		if err == nil {
			again, err := parseCIDR(c.String())
			require.NoError(t, err)
			require.Equal(t, c, again)
			require.True(t, c.ContainsIP(c.IP()))
			require.True(t, c.ContainsCIDR(c.Masked()) && c.Masked().ContainsCIDR(c))
			require.LessOrEqual(t, c.Size(), c.IP().Size())
		}
	})
}
