package eval

import (
	"maps"
	"slices"

	"github.com/crdkit/crdkit/internal/cel/estimate"
	"github.com/crdkit/crdkit/internal/since"
)

// addresses are the functions of IP addresses (CEN-029, CLI-030, CLI-031).
func addresses() []*Function {
	return []*Function{
		fn("ip", global("string_to_ip", ipType, stringType).does(try1(value.str, parseIP, asIP))).costing(scanning).is(once),
		fn("isIP", global("is_ip", boolType, stringType).does(call1(value.str, validIP, asBool))).costing(scanning).is(once),
		fn("ip.isCanonical", global("ip_is_canonical", boolType, stringType).does(try1(value.str, isCanonicalIP, asBool))).
			costing(costs{static: reading(2 * estimate.PerByte), charge: scanTwice}),
		fn("family", method("ip_family", intType, ipType).does(call1(goValue[ipAddress], ipAddress.Family, asInt))),
		fn("isUnspecified", method("ip_is_unspecified", boolType, ipType).does(ofIP(ipAddress.IsUnspecified))),
		fn("isLoopback", method("ip_is_loopback", boolType, ipType).does(ofIP(ipAddress.IsLoopback))),
		fn("isLinkLocalMulticast", method("ip_is_link_local_multicast", boolType, ipType).does(ofIP(ipAddress.IsLinkLocalMulticast))),
		fn("isLinkLocalUnicast", method("ip_is_link_local_unicast", boolType, ipType).does(ofIP(ipAddress.IsLinkLocalUnicast))),
		fn("isGlobalUnicast", method("ip_is_global_unicast", boolType, ipType).does(ofIP(ipAddress.IsGlobalUnicast))),
		fn("string", global("ip_to_string", stringType, ipType).does(call1(goValue[ipAddress], ipAddress.String, asText))),
	}
}

// networks are the functions of address ranges (CEN-030, CLI-032, CLI-033).
func networks() []*Function {
	return []*Function{
		fn("cidr", global("string_to_cidr", cidrType, stringType).does(try1(value.str, parseCIDR, asCIDR))).costing(scanning).is(once),
		fn("isCIDR", global("is_cidr", boolType, stringType).does(call1(value.str, validCIDR, asBool))).costing(scanning).is(once),
		fn("containsIP",
			method("cidr_contains_ip_string", boolType, cidrType, stringType).does(func(_ *frame, a []value) value {
				ip, err := parseIP(a[1].str())
				if err != nil {
					return noSuchOverload
				}
				return boolean(a[0].ref.(cidr).ContainsIP(ip))
			}).costing(containing(4, containsIPCost, true)),
			method("cidr_contains_ip_ip", boolType, cidrType, ipType).does(
				call2(goValue[cidr], goValue[ipAddress], cidr.ContainsIP, asBool)).costing(containing(4, containsIPCost, false))),
		fn("containsCIDR",
			method("cidr_contains_cidr_string", boolType, cidrType, stringType).does(func(_ *frame, a []value) value {
				c, err := parseCIDR(a[1].str())
				if err != nil {
					return failureOf(err)
				}
				return boolean(a[0].ref.(cidr).ContainsCIDR(c))
			}).costing(containing(7, containsCIDRCost, true)),
			method("cidr_contains_cidr", boolType, cidrType, cidrType).does(
				call2(goValue[cidr], goValue[cidr], cidr.ContainsCIDR, asBool)).
				costing(containing(7, containsCIDRCost, false))),
		fn("ip", method("cidr_ip", ipType, cidrType).does(call1(goValue[cidr], cidr.IP, asIP))),
		fn("prefixLength", method("cidr_prefix_length", intType, cidrType).does(call1(goValue[cidr], cidr.PrefixLength, asInt))),
		fn("masked", method("cidr_masked", cidrType, cidrType).does(call1(goValue[cidr], cidr.Masked, asCIDR))),
		fn("string", global("cidr_to_string", stringType, cidrType).does(call1(goValue[cidr], cidr.String, asText))),
	}
}

// urls: CEN-028, CLI-040, CLI-041.
func urls() []*Function {
	return []*Function{
		fn("url", global("string_to_url", urlType, stringType).does(visiting(readBytes, try1(value.str, parseURL, asURL)))).
			costing(costs{charge: scan, static: func(c *estimate.Call) estimate.Result {
				e := sameLength.static(c)
				e.Sized = since.OpaqueEquality.In(c.Minor)
				return e
			}}),
		fn("isURL", global("is_url_string", boolType, stringType).does(call1(value.str, validURL, asBool))).is(once),
		fn("getScheme", method("url_get_scheme", stringType, urlType).does(ofURL((*webURL).Scheme))).costing(partOfURL(1)),
		fn("getHost", method("url_get_host", stringType, urlType).does(ofURL((*webURL).Host))).costing(partOfURL(1)),
		fn("getHostname", method("url_get_hostname", stringType, urlType).does(ofURL((*webURL).Hostname))).costing(partOfURL(1)),
		fn("getPort", method("url_get_port", stringType, urlType).does(ofURL((*webURL).Port))).costing(partOfURL(1)),
		fn("getEscapedPath", method("url_get_escaped_path", stringType, urlType).does(ofURL((*webURL).EscapedPath))).costing(partOfURL(3)),
		fn("getQuery", method("url_get_query", mapOf(stringType, listOf(stringType)), urlType).does(func(f *frame, a []value) value {
			u := a[0].ref.(*webURL)
			f.visits(readBytes * u.Len())
			f.makes(4 * entryBytes * u.QueryLen())
			query := u.Query()
			d := newDict(len(query))
			for _, k := range slices.Sorted(maps.Keys(query)) {
				d.put(textValue(k), f.textList(query[k]))
			}
			return value{kind: kindMap, ref: d}
		})).costing(partOfURL(1)),
	}
}

// partOfURL is the cost of a part of a URL, which is at most so many times as long as the URL.
func partOfURL(times uint64) costs {
	return costs{static: func(c *estimate.Call) estimate.Result {
		e := estimate.Costing(1)
		if since.URLPartSize.In(c.Minor) {
			e.Size, e.Sized = c.Size(c.Target).Times(estimate.Span{Lo: 1, Hi: times}), true
		}
		return e
	}}
}

// ofIP returns a binding of a predicate on addresses.
func ofIP(test func(ipAddress) bool) binding { return call1(goValue[ipAddress], test, asBool) }

func asIP(_ *frame, ip ipAddress) value { return value{kind: kindIP, ref: ip} }
func asCIDR(_ *frame, c cidr) value     { return value{kind: kindCIDR, ref: c} }
func asURL(_ *frame, u *webURL) value   { return value{kind: kindURL, ref: u} }

// ofURL returns a binding of a part of a URL.
//
//go:noinline
func ofURL(part func(*webURL) string) binding {
	return func(f *frame, a []value) value {
		u := a[0].ref.(*webURL)
		f.visits(readBytes * u.Len())
		return f.text(part(u))
	}
}

// containing is the cost of searching for an address or a range. static is the static cost, ofSize the charge by the
// size of the range. parses says that the argument has to be parsed first. If the checker leaves the overload open, a
// call is charged as if the argument were already parsed.
func containing(static uint64, ofSize func(n int64) int64, parses bool) costs {
	parsed := func(_ *frame, a []value, _ value) int64 { return ofSize(a[0].size(false)) }
	if !parses {
		return costs{static: func(*estimate.Call) estimate.Result { return estimate.Costing(static) }, charge: parsed, shared: parsed}
	}
	return costs{
		static: func(c *estimate.Call) estimate.Result {
			return estimate.Costing(estimate.Plus(static, c.Size(&c.Args[0]).Cost(estimate.PerByte)))
		},
		charge: func(_ *frame, a []value, _ value) int64 { return ofSize(a[0].size(false)) + c1(a[1].size(false)) },
		shared: parsed,
	}
}

func containsIPCost(n int64) int64   { return c2(n) }
func containsCIDRCost(n int64) int64 { return c2(n) + c1(n) + 1 }
