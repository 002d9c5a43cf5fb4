package server

import (
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"sync/atomic"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/server/protocol"
)

// This file chooses the addresses and the node ports of Services, as a server does without a controller. Nothing listens
// there.

const (
	serviceType  = "core.v1.Service"
	externalName = "ExternalName"
	headless     = "None" // the clusterIP of a Service without an address

	singleStack      = "SingleStack"
	requireDualStack = "RequireDualStack"

	// Those at the beginning of a range are chosen last: clients choose them.
	firstNodePort, lastNodePort, staticNodePorts = 30000, 32767, 86
	firstAddress, lastAddress, staticAddresses   = 2, 254, 15 // of the last byte: 1 is that of the server
)

// serviceAddresses are the addresses of Services, as envtest configures them.
var serviceAddresses = netip.MustParsePrefix("10.0.0.0/24")

// The fields that a server sets in a Service that has addresses.
var serviceFields = []string{"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"}

// updateService keeps what was chosen for a Service and is not sent, and drops what its new type does not have.
func updateService(obj, old map[string]any) {
	spec, before := maps.Clone(mapAt(obj, "spec")), mapAt(old, "spec")
	if spec == nil {
		return
	}
	obj["spec"] = spec
	if address := text(spec, "clusterIP"); address != "" && address != text(before, "clusterIP") &&
		(spec["clusterIPs"] == nil || jsonval.Equal(spec["clusterIPs"], before["clusterIPs"])) {
		spec["clusterIPs"] = []any{address}
	}
	was, is := text(before, "type") != externalName, text(spec, "type") != externalName
	for _, name := range serviceFields {
		switch {
		case was && is && spec[name] == nil && before[name] != nil:
			spec[name] = before[name]
		case was && !is && jsonval.Equal(spec[name], before[name]):
			delete(spec, name)
		}
	}
	const policy = "externalTrafficPolicy"
	if reachableOutside(before) && !reachableOutside(spec) && jsonval.Equal(spec[policy], before[policy]) {
		delete(spec, policy)
	}
	keepNodePorts(spec, before)
}

// reachableOutside reports whether a Service of this spec can be reached from outside the cluster.
func reachableOutside(spec map[string]any) bool {
	typ := text(spec, "type")
	return typ == "NodePort" || typ == "LoadBalancer" || typ == "ClusterIP" && len(listAt(spec, "externalIPs")) > 0
}

// keepNodePorts keeps the node ports that are not sent, of ports with the same names, and drops those that the new type
// does not have.
func keepNodePorts(spec, before map[string]any) {
	if !mayHaveNodePorts(before) {
		return
	}
	keep, named, sent := mayHaveNodePorts(spec), map[string]any{}, map[any]bool{}
	for _, port := range portsOf(spec) {
		sent[port["nodePort"]] = true
	}
	for _, port := range portsOf(before) {
		named[text(port, "name")] = port["nodePort"]
	}
	eachPort(spec, func(_ int, port map[string]any) {
		switch was := named[text(port, "name")]; {
		case !keep:
			delete(port, "nodePort")
		case port["nodePort"] == nil && was != nil && !sent[was]:
			port["nodePort"] = was
		}
	})
}

// portsOf returns the ports of a Service of this spec. They must not be modified.
func portsOf(spec map[string]any) []map[string]any {
	var ports []map[string]any
	for _, v := range listAt(spec, "ports") {
		port, _ := v.(map[string]any)
		ports = append(ports, port)
	}
	return ports
}

// eachPort calls do with a copy of each port, which it may modify.
func eachPort(spec map[string]any, do func(i int, port map[string]any)) {
	ports := slices.Clone(listAt(spec, "ports"))
	for i := range ports {
		if port, ok := ports[i].(map[string]any); ok {
			port = maps.Clone(port)
			do(i, port)
			ports[i] = port
		}
	}
	if len(ports) > 0 {
		spec["ports"] = ports
	}
}

// mayHaveNodePorts reports whether the ports of a Service of this spec may have node ports.
func mayHaveNodePorts(spec map[string]any) bool {
	typ := text(spec, "type")
	return typ == "NodePort" || typ == "LoadBalancer"
}

// hasNodePorts reports whether the ports of a Service of this spec get node ports.
func hasNodePorts(spec map[string]any) bool {
	switch text(spec, "type") {
	case "NodePort":
		return true
	case "LoadBalancer":
		return spec["allocateLoadBalancerNodePorts"] != false
	}
	return false
}

// createService completes the addresses that a new Service has been given.
func createService(obj map[string]any) {
	spec := maps.Clone(mapAt(obj, "spec"))
	if spec == nil {
		return
	}
	obj["spec"] = spec
	address, list := text(spec, "clusterIP"), listAt(spec, "clusterIPs")
	switch {
	case address != "" && len(list) == 0:
		spec["clusterIPs"] = []any{address}
	case address == "" && len(list) > 0:
		spec["clusterIP"] = list[0]
	}
}

// prepareService chooses the addresses and the node ports of a Service that lacks them, and refuses new ones that others
// have. Two requests at the same time may be given the same.
func (q *request) prepareService(o writing, r resource.Result, stored map[string]any) resource.Result {
	if q.kind.Type != serviceType || q.sub != "" || r.Object == nil || len(r.Errors) > 0 {
		return r
	}
	spec, before := maps.Clone(mapAt(r.Object, "spec")), mapAt(stored, "spec")
	if spec == nil || text(spec, "type") == externalName {
		return r
	}
	r.Object = maps.Clone(r.Object)
	r.Object["spec"] = spec
	families(spec)
	chosen := choice{spec: spec, before: before, dryRun: o.dryRun, next: &q.s.nextService, name: text(metadata(r.Object), "name")}
	if !chosen.complete() {
		if r.Failure = chosen.readOthers(q, text(metadata(r.Object), "uid")); r.Failure != nil {
			return r
		}
	}
	for _, choose := range []func() (*field.Error, error){chosen.address, chosen.nodePorts} {
		wrong, full := choose()
		switch {
		case full != nil:
			r.Failure = protocol.Internal(full)
			return r
		case wrong != nil:
			r.Errors = field.List{wrong}
			return r
		}
	}
	return r
}

// families sets the address families.
func families(spec map[string]any) {
	address, policy := text(spec, "clusterIP"), spec["ipFamilyPolicy"]
	everywhere := address == headless && len(mapAt(spec, "selector")) == 0
	if policy == nil {
		policy = singleStack
		if everywhere {
			policy = requireDualStack
		}
		spec["ipFamilyPolicy"] = policy
	}
	if len(listAt(spec, "ipFamilies")) > 0 {
		return
	}
	spec["ipFamilies"] = []any{"IPv4"}
	if everywhere && policy != singleStack || address == headless && policy == requireDualStack {
		spec["ipFamilies"] = []any{"IPv4", "IPv6"}
	}
}

// A choice chooses for one Service.
type choice struct {
	spec, before map[string]any // before is nil for a new Service
	name         string
	dryRun       bool
	next         *atomic.Int64 // where to look for free ones
	addresses    map[string]bool
	ports        map[int64]bool // of other Services, and of this one
}

// complete reports whether there is nothing to choose and nothing new to check.
func (c *choice) complete() bool {
	if address := text(c.spec, "clusterIP"); address != headless && (address == "" || address != text(c.before, "clusterIP")) {
		return false
	}
	if !hasNodePorts(c.spec) {
		return true
	}
	own := nodePortsOf(c.before)
	return !slices.ContainsFunc(portsOf(c.spec), func(port map[string]any) bool {
		n, _ := port["nodePort"].(int64)
		return !own[n]
	})
}

// nodePortsOf returns the node ports of a Service of this spec.
func nodePortsOf(spec map[string]any) map[int64]bool {
	ports := map[int64]bool{}
	for _, port := range portsOf(spec) {
		if n, _ := port["nodePort"].(int64); n != 0 {
			ports[n] = true
		}
	}
	return ports
}

// readOthers reads what the Services use but the one with that uid.
func (c *choice) readOthers(q *request, uid string) *field.Status {
	c.addresses, c.ports = map[string]bool{}, map[int64]bool{}
	if q.namespace != "default" || c.name != "kubernetes" {
		c.addresses[serviceAddresses.Addr().Next().String()] = true // it is for the Service of the server
	}
	return q.each(q.r.Context(), q.kind, "", func(service map[string]any) {
		if text(metadata(service), "uid") == uid {
			return
		}
		spec := mapAt(service, "spec")
		c.addresses[text(spec, "clusterIP")] = true
		for _, address := range listAt(spec, "clusterIPs") {
			if address, ok := address.(string); ok {
				c.addresses[address] = true
			}
		}
		maps.Copy(c.ports, nodePortsOf(spec))
	})
}

// address chooses the address of a Service that has none, or checks a new one. full says that none is free.
func (c *choice) address() (wrong *field.Error, full error) {
	address := text(c.spec, "clusterIP")
	switch {
	case address == headless, address != "" && address == text(c.before, "clusterIP"):
	case address != "":
		why := ""
		parsed, err := netip.ParseAddr(address)
		switch last := lastByte(parsed); {
		case err != nil || !serviceAddresses.Contains(parsed):
			why = "the provided network does not match the current range"
		case last == 0 || last == 255:
			why = fmt.Sprintf("the provided IP (%s) is not in the valid range. The range of valid IPs is %s", address, serviceAddresses)
		case c.addresses[address] && !c.dryRun:
			why = "provided IP is already allocated"
		}
		if why != "" {
			return field.Invalid(specPath.Child("clusterIPs"), []any{address}, "failed to allocate IP "+address+": "+why), nil
		}
	case c.dryRun: // a server chooses no address
		address = serviceAddresses.Addr().String()
	default:
		if address = c.freeAddress(); address == "" {
			return nil, fmt.Errorf("failed to allocate a serviceIP for Service %q: range is full", c.name)
		}
	}
	c.spec["clusterIP"] = address
	if len(listAt(c.spec, "clusterIPs")) == 0 {
		c.spec["clusterIPs"] = []any{address}
	}
	return nil, nil
}

// lastByte returns the last byte of an address, or -1.
func lastByte(a netip.Addr) int {
	bytes := a.AsSlice()
	if len(bytes) == 0 {
		return -1
	}
	return int(bytes[len(bytes)-1])
}

// freeAddress returns an address that no Service uses, or "".
func (c *choice) freeAddress() string {
	base := serviceAddresses.Addr().As4()
	n := free(firstAddress, lastAddress, staticAddresses, c.next, func(n int64) bool {
		base[3] = byte(n)
		return !c.addresses[netip.AddrFrom4(base).String()]
	})
	if n == 0 {
		return ""
	}
	base[3] = byte(n)
	return netip.AddrFrom4(base).String()
}

// free returns a number from first to last that is free, or 0. It takes one of the first reserved numbers only if no
// other is free.
func free(first, last, reserved int64, next *atomic.Int64, isFree func(n int64) bool) int64 {
	count := last - first - reserved + 1
	start := next.Add(1)
	for i := range count {
		if n := first + reserved + (start+i)%count; isFree(n) {
			return n
		}
	}
	for n := first; n < first+reserved; n++ {
		if isFree(n) {
			return n
		}
	}
	return 0
}

// nodePorts chooses the node ports that are missing, and checks the new ones. Ports with one number and different
// protocols have the same. It returns the first error; full says that no port is free.
func (c *choice) nodePorts() (wrong *field.Error, full error) {
	if !hasNodePorts(c.spec) {
		return nil, nil
	}
	own, byNumber := nodePortsOf(c.before), map[any]int64{}
	eachPort(c.spec, func(i int, port map[string]any) {
		n, _ := port["nodePort"].(int64)
		if n == 0 {
			return
		}
		why := ""
		switch {
		case own[n] || byNumber[port["port"]] == n:
		case n < firstNodePort || n > lastNodePort:
			why = fmt.Sprintf("provided port is not in the valid range. The range of valid ports is %d-%d", firstNodePort, lastNodePort)
		case c.ports[n]:
			why = "provided port is already allocated"
		}
		if why != "" && wrong == nil {
			wrong = field.Invalid(specPath.Child("ports").Index(i).Child("nodePort"), n, why)
		}
		byNumber[port["port"]] = n
		if c.ports != nil {
			c.ports[n] = true
		}
	})
	if wrong != nil {
		return wrong, nil
	}
	eachPort(c.spec, func(_ int, port map[string]any) {
		if n, _ := port["nodePort"].(int64); n != 0 || full != nil {
			return
		}
		n := byNumber[port["port"]]
		if n == 0 {
			n = free(firstNodePort, lastNodePort, staticNodePorts, c.next, func(n int64) bool { return !c.ports[n] })
		}
		if n == 0 {
			full = errors.New("failed to allocate a nodePort: range is full")
			return
		}
		port["nodePort"] = n
		byNumber[port["port"]], c.ports[n] = n, true
	})
	return nil, full
}
