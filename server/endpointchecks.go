package server

import (
	"net/netip"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/jsonval"
)

// This file has the checks of Endpoints and EndpointSlices.

// parseAddress parses an IP address. As in a server, the numbers of an IPv4 address may begin with zeros.
func parseAddress(s string) (netip.Addr, bool) {
	if parts := strings.Split(s, "."); len(parts) == 4 && !strings.Contains(s, ":") {
		for i, part := range parts {
			if rest := strings.TrimLeft(part, "0"); rest != "" || part == "" {
				parts[i] = rest
			} else {
				parts[i] = "0"
			}
		}
		s = strings.Join(parts, ".")
	}
	a, err := netip.ParseAddr(s)
	return a, err == nil && a.Zone() == ""
}

const badAddress = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"

// addressMessage returns why a new value is no address, or "" if it is one.
func addressMessage(s string) string {
	a, ok := parseAddress(s)
	_, strict := netip.ParseAddr(s)
	switch {
	case !ok:
		return badAddress
	case strict != nil:
		return "must not have leading 0s"
	case a.Is4In6():
		return "must not be an IPv4-mapped IPv6 address"
	}
	return ""
}

// endpointAddress checks that traffic can be sent to an address.
func (c *checks) endpointAddress(at *field.Path, s string) {
	a, ok := parseAddress(s)
	if !ok {
		c.add(field.Invalid(at, s, "must be a valid IP address"))
		return
	}
	a = a.Unmap()
	for _, rule := range []struct {
		broken bool
		why    string
	}{
		{a.IsUnspecified(), "may not be unspecified (" + s + ")"},
		{a.IsLoopback(), "may not be in the loopback range (127.0.0.0/8, ::1/128)"},
		{a.IsLinkLocalUnicast(), "may not be in the link-local range (169.254.0.0/16, fe80::/10)"},
		{a.IsLinkLocalMulticast(), "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"},
	} {
		if rule.broken {
			c.add(field.Invalid(at, s, rule.why))
		}
	}
}

func checkEndpoints(c *checks, obj, old map[string]any) {
	if old != nil && jsonval.Equal(obj["subsets"], old["subsets"]) {
		return
	}
	for i, v := range listAt(obj, "subsets") {
		subset, _ := v.(map[string]any)
		at := field.NewPath("subsets").Index(i)
		ready, others, ports := listAt(subset, "addresses"), listAt(subset, "notReadyAddresses"), listAt(subset, "ports")
		if len(ready)+len(others) == 0 {
			c.add(field.Required(at, "must specify `addresses` or `notReadyAddresses`"))
		}
		for _, list := range []string{"addresses", "notReadyAddresses"} {
			c.descend(at, subset, list+"[]", func(c *checks, at *field.Path, v any) {
				address, _ := v.(map[string]any)
				ip := text(address, "ip")
				if why := addressMessage(ip); why != "" {
					c.add(field.Invalid(at.Child("ip"), ip, why))
				}
				named(format.DNS1123Label)(c, at.Child("hostname"), address["hostname"])
				c.present(at.Child("nodeName"), address["nodeName"], format.DNS1123Subdomain)
				c.endpointAddress(at.Child("ip"), ip)
			})
		}
		for i, v := range ports {
			port, _ := v.(map[string]any)
			at := at.Child("ports").Index(i)
			if len(ports) == 1 || c.required(at.Child("name"), port["name"], "") {
				named(format.DNS1123Label)(c, at.Child("name"), port["name"])
			}
			n, _ := port["port"].(int64)
			between(1, maxPort)(c, at.Child("port"), n)
			c.descend(at, v, "protocol", protocols)
			c.descend(at, v, "appProtocol", named(format.QualifiedName))
		}
	}
}

func checkEndpointSlice(c *checks, obj, old map[string]any) {
	ports, seen := field.NewPath("ports"), map[string]bool{}
	for i, v := range listAt(obj, "ports") {
		port, _ := v.(map[string]any)
		at, name := ports.Index(i), text(port, "name")
		named(format.DNS1123Label)(c, at.Child("name"), name)
		if seen[name] {
			c.add(field.Duplicate(at.Child("name"), name))
		}
		seen[name] = true
		c.descend(at, v, "protocol", protocols)
		c.descend(at, v, "appProtocol", named(format.QualifiedName))
	}
	at, typ := field.NewPath("addressType"), text(obj, "addressType")
	if old == nil || !jsonval.Equal(obj["endpoints"], old["endpoints"]) {
		c.constrain(nil, obj, []constraint{{"endpoints[]", func(c *checks, at *field.Path, v any) {
			endpoint, _ := v.(map[string]any)
			for i, address := range listAt(endpoint, "addresses") {
				s, _ := address.(string)
				c.sliceAddress(at.Child("addresses"), i, s, typ)
			}
			c.present(at.Child("nodeName"), endpoint["nodeName"], format.DNS1123Subdomain)
			c.present(at.Child("hostname"), endpoint["hostname"], format.DNS1123Label)
		}}})
	}
	// What follows is declared with the type, and is checked last.
	if c.required(at, typ, "") {
		oneOf("FQDN", "IPv4", "IPv6")(c, at, typ)
	}
	if old != nil && typ != text(old, "addressType") {
		c.add(field.Invalid(at, nil, immutable)) // without the value
	}
	c.constrain(nil, obj, []constraint{{"endpoints[]", required("addresses", "")}})
}

// sliceAddress checks an address of an EndpointSlice.
func (c *checks) sliceAddress(list *field.Path, i int, s, typ string) {
	at, why := list.Index(i), addressMessage(s)
	a, _ := parseAddress(s)
	switch {
	case typ == "FQDN":
		if c.required(at, s, "") {
			named(domainName)(c, at, s)
		}
		return
	case typ != "IPv4" && typ != "IPv6":
		return
	case why != "":
		c.add(field.Invalid(at, s, why))
		return
	case typ == "IPv4" && !a.Is4():
		c.add(field.Invalid(list, s, "must be an IPv4 address"))
	case typ == "IPv6" && a.Is4():
		c.add(field.Invalid(list, s, "must be an IPv6 address"))
	}
	c.endpointAddress(at, s)
}

// domainName returns the messages about a name of several labels, after which there may be a dot.
func domainName(s string) []string {
	s = strings.TrimSuffix(s, ".")
	messages := format.DNS1123Subdomain(s)
	if messages == nil && !strings.Contains(s, ".") {
		messages = append(messages, "should be a domain with at least two segments separated by dots")
	}
	return messages
}
