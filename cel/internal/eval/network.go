package eval

import (
	"maps"
	"slices"

	"github.com/crdkit/crdkit/cel/internal/inet"
	"github.com/crdkit/crdkit/cel/internal/weburl"
)

// ofIP makes a binding of a predicate.
func ofIP(test func(inet.IP) bool) binding {
	return func(_ *frame, a []value) value { return boolean(test(a[0].ref.(inet.IP))) }
}

func ipValue(ip inet.IP) value { return value{kind: kindIP, ref: ip} }

func cidrValue(c inet.CIDR) value { return value{kind: kindCIDR, ref: c} }

// addresses are the functions of IP addresses (CLI-030, CLI-031).
func addresses() map[string]binding {
	return map[string]binding{
		"string_to_ip": func(_ *frame, a []value) value {
			ip, err := inet.ParseIP(a[0].str())
			return result(ipValue, ip, err)
		},
		"is_ip": ofText(inet.ValidIP),
		"ip_is_canonical": func(_ *frame, a []value) value {
			canonical, err := inet.IsCanonical(a[0].str())
			return result(boolean, canonical, err)
		},
		"ip_family":                  func(_ *frame, a []value) value { return integer(a[0].ref.(inet.IP).Family()) },
		"ip_is_unspecified":          ofIP(inet.IP.IsUnspecified),
		"ip_is_loopback":             ofIP(inet.IP.IsLoopback),
		"ip_is_link_local_multicast": ofIP(inet.IP.IsLinkLocalMulticast),
		"ip_is_link_local_unicast":   ofIP(inet.IP.IsLinkLocalUnicast),
		"ip_is_global_unicast":       ofIP(inet.IP.IsGlobalUnicast),
	}
}

// networks are the functions of address ranges (CLI-032, CLI-033).
func networks() map[string]binding {
	return map[string]binding{
		"string_to_cidr": func(_ *frame, a []value) value {
			c, err := inet.ParseCIDR(a[0].str())
			return result(cidrValue, c, err)
		},
		"is_cidr": ofText(inet.ValidCIDR),
		"cidr_contains_ip_string": func(_ *frame, a []value) value {
			ip, err := inet.ParseIP(a[1].str())
			if err != nil {
				return noSuchOverload
			}
			return boolean(a[0].ref.(inet.CIDR).ContainsIP(ip))
		},
		"cidr_contains_ip_ip": func(_ *frame, a []value) value {
			return boolean(a[0].ref.(inet.CIDR).ContainsIP(a[1].ref.(inet.IP)))
		},
		"cidr_contains_cidr_string": func(_ *frame, a []value) value {
			c, err := inet.ParseCIDR(a[1].str())
			if err != nil {
				return failureOf(err)
			}
			return boolean(a[0].ref.(inet.CIDR).ContainsCIDR(c))
		},
		"cidr_contains_cidr": func(_ *frame, a []value) value {
			return boolean(a[0].ref.(inet.CIDR).ContainsCIDR(a[1].ref.(inet.CIDR)))
		},
		"cidr_ip":            func(_ *frame, a []value) value { return ipValue(a[0].ref.(inet.CIDR).IP()) },
		"cidr_prefix_length": func(_ *frame, a []value) value { return integer(a[0].ref.(inet.CIDR).PrefixLength()) },
		"cidr_masked":        func(_ *frame, a []value) value { return cidrValue(a[0].ref.(inet.CIDR).Masked()) },
	}
}

// ofURL makes a binding of a part of a URL.
func ofURL(part func(*weburl.URL) string) binding {
	return func(f *frame, a []value) value {
		u := a[0].ref.(*weburl.URL)
		f.visits(readBytes * u.Len())
		return f.text(part(u))
	}
}

// urls are the functions of URLs (CLI-040, CLI-041).
func urls() map[string]binding {
	return map[string]binding{
		"string_to_url": func(f *frame, a []value) value {
			f.visits(readBytes * len(a[0].str()))
			u, err := weburl.Parse(a[0].str())
			if err != nil {
				return failureOf(err)
			}
			return value{kind: kindURL, ref: u}
		},
		"is_url_string":        ofText(weburl.Valid),
		"url_get_scheme":       ofURL((*weburl.URL).Scheme),
		"url_get_host":         ofURL((*weburl.URL).Host),
		"url_get_hostname":     ofURL((*weburl.URL).Hostname),
		"url_get_port":         ofURL((*weburl.URL).Port),
		"url_get_escaped_path": ofURL((*weburl.URL).EscapedPath),
		"url_get_query": func(f *frame, a []value) value {
			u := a[0].ref.(*weburl.URL)
			f.visits(readBytes * u.Len())
			f.makes(4 * entryBytes * u.QueryLen())
			query := u.Query()
			d := newDict(len(query))
			for _, k := range slices.Sorted(maps.Keys(query)) {
				d.put(textValue(k), f.textList(query[k]))
			}
			return value{kind: kindMap, ref: d}
		},
	}
}
