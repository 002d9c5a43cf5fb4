package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"sync/atomic"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/server/storage"
)

// This file chooses the addresses and the node ports of Services, as a server does without a controller. Nothing listens
// there.

const (
	serviceType  = "core.v1.Service"
	externalName = "ExternalName"
	nobody       = "None" // the clusterIP of a headless Service

	singleStack      = "SingleStack"
	requireDualStack = "RequireDualStack"

	firstNodePort, lastNodePort = 30000, 32767
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
	was, is := text(before, "type") != externalName, text(spec, "type") != externalName
	for _, name := range serviceFields {
		switch {
		case was && is && spec[name] == nil && before[name] != nil:
			spec[name] = before[name]
		case was && !is:
			delete(spec, name)
		}
	}
	keepNodePorts(spec, before)
}

// keepNodePorts keeps the node ports of ports that are not sent, and drops those that the new type does not have.
func keepNodePorts(spec, before map[string]any) {
	if !hasNodePorts(before) {
		return
	}
	type key struct{ port, protocol any }
	chosen := map[key]any{}
	for _, v := range listAt(before, "ports") {
		port, _ := v.(map[string]any)
		chosen[key{port["port"], port["protocol"]}] = port["nodePort"]
	}
	eachPort(spec, func(_ int, port map[string]any) {
		switch was := chosen[key{port["port"], port["protocol"]}]; {
		case !hasNodePorts(spec):
			delete(port, "nodePort")
		case port["nodePort"] == nil && was != nil:
			port["nodePort"] = was
		}
	})
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

// hasNodePorts reports whether a Service of this spec has node ports.
func hasNodePorts(spec map[string]any) bool {
	switch text(spec, "type") {
	case "NodePort":
		return true
	case "LoadBalancer":
		return spec["allocateLoadBalancerNodePorts"] != false
	}
	return false
}

// prepareService chooses the addresses and the node ports of a Service that lacks them, and refuses those that others
// have.
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
	used, refused := q.usedByServices(text(metadata(r.Object), "uid"))
	if refused != nil {
		r.Failure = refused
		return r
	}
	r.Errors = append(used.address(spec, before, o.dryRun), used.nodePorts(spec)...)
	return r
}

// families sets the address families.
func families(spec map[string]any) {
	address, policy := text(spec, "clusterIP"), spec["ipFamilyPolicy"]
	if addresses := listAt(spec, "clusterIPs"); address == "" && len(addresses) > 0 {
		address, _ = addresses[0].(string)
		spec["clusterIP"] = address
	}
	if policy == nil {
		policy = singleStack
		if address == nobody && len(mapAt(spec, "selector")) == 0 {
			policy = requireDualStack
		}
		spec["ipFamilyPolicy"] = policy
	}
	if len(listAt(spec, "ipFamilies")) > 0 {
		return
	}
	spec["ipFamilies"] = []any{"IPv4"}
	if address == nobody && policy == requireDualStack {
		spec["ipFamilies"] = []any{"IPv4", "IPv6"}
	}
}

// servicesUse has the addresses and the node ports of Services.
type servicesUse struct {
	addresses map[string]bool
	ports     map[int64]bool
	next      *atomic.Int64
}

// usedByServices returns what all Services use but the one with that uid.
func (q *request) usedByServices(uid string) (used servicesUse, refused *field.Status) {
	used = servicesUse{addresses: map[string]bool{}, ports: map[int64]bool{}, next: &q.s.nextService}
	page, err := q.s.store.List(q.r.Context(), storage.Range{Prefix: q.kind.Prefix("")})
	if err != nil {
		return used, failed(err)
	}
	for _, item := range page.Items {
		var service struct {
			Metadata struct{ UID string }
			Spec     struct {
				ClusterIPs []string
				Ports      []struct{ NodePort int64 }
			}
		}
		if json.Unmarshal(item.Value, &service) != nil || service.Metadata.UID == uid {
			continue
		}
		for _, address := range service.Spec.ClusterIPs {
			used.addresses[address] = true
		}
		for _, port := range service.Spec.Ports {
			used.ports[port.NodePort] = true
		}
	}
	return used, nil
}

// address chooses the address of a Service that has none, or checks a new one.
func (u servicesUse) address(spec, before map[string]any, dryRun bool) (errs field.List) {
	address := text(spec, "clusterIP")
	switch {
	case address == nobody, address != "" && address == text(before, "clusterIP"):
	case address != "":
		why := ""
		if parsed, err := netip.ParseAddr(address); err != nil || !serviceAddresses.Contains(parsed) {
			why = "the provided network does not match the current range"
		} else if u.addresses[address] {
			why = "provided IP is already allocated"
		}
		if why != "" {
			return field.List{field.Invalid(specPath.Child("clusterIPs"), []any{address}, "failed to allocate IP "+address+": "+why)}
		}
	case dryRun: // a server chooses no address
		address = serviceAddresses.Addr().String()
	default:
		if address = u.free(); address == "" {
			return field.List{field.Invalid(specPath.Child("clusterIPs"), nil, "failed to allocate a serviceIP: range is full")}
		}
	}
	spec["clusterIP"] = address
	if len(listAt(spec, "clusterIPs")) == 0 {
		spec["clusterIPs"] = []any{address}
	}
	return nil
}

// free returns an address that no Service uses, or "". Concurrent calls return different ones.
func (u servicesUse) free() string {
	const first, last = 2, 254 // the first address is that of the server
	base := serviceAddresses.Addr().As4()
	for range last - first + 1 {
		base[3] = byte(first + u.next.Add(1)%(last-first+1))
		if address := netip.AddrFrom4(base).String(); !u.addresses[address] {
			return address
		}
	}
	return ""
}

// nodePorts chooses the node ports that are missing, and checks the others.
func (u servicesUse) nodePorts(spec map[string]any) (errs field.List) {
	if !hasNodePorts(spec) {
		return nil
	}
	eachPort(spec, func(i int, port map[string]any) {
		at := specPath.Child("ports").Index(i).Child("nodePort")
		switch n, _ := port["nodePort"].(int64); {
		case n == 0:
			if n = u.freePort(); n == 0 {
				errs = append(errs, field.Invalid(at, n, "failed to allocate a nodePort: range is full"))
				return
			}
			port["nodePort"] = n
			u.ports[n] = true
		case n < firstNodePort || n > lastNodePort:
			errs = append(errs, field.Invalid(at, n, fmt.Sprintf("provided port is not in the valid range. The range of valid ports is %d-%d", firstNodePort, lastNodePort)))
		case u.ports[n]:
			errs = append(errs, field.Invalid(at, n, "provided port is already allocated"))
		}
	})
	return errs
}

// freePort returns a port that no Service uses, or 0. Concurrent calls return different ones.
func (u servicesUse) freePort() int64 {
	const count = lastNodePort - firstNodePort + 1
	for range count {
		if port := firstNodePort + u.next.Add(1)%count; !u.ports[port] {
			return port
		}
	}
	return 0
}
