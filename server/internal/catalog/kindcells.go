package catalog

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/crdkit/crdkit/internal/query"
)

// This file has the cells of single kinds other than Pods.

func containerNames(template ...string) func(document, time.Time) any {
	return containerTexts("name", template)
}

func containerImages(template ...string) func(document, time.Time) any {
	return containerTexts("image", template)
}

func containerTexts(name string, template []string) func(document, time.Time) any {
	spec := append(slices.Clip(template), "spec")
	return func(obj document, _ time.Time) any {
		var out []string
		for _, c := range children(object(obj, spec), "containers") {
			out = append(out, text(c, name, ""))
		}
		return strings.Join(out, ",")
	}
}

func readyReplicas(obj document, _ time.Time) any {
	return fmt.Sprintf("%d/%d", number(obj, "status", "readyReplicas"), number(obj, "spec", "replicas"))
}

func externalIP(obj document, _ time.Time) any {
	spec := child(obj, "spec")
	ips := listed(spec["externalIPs"])
	switch text(spec, "type", "") {
	case "ExternalName":
		return text(spec, "externalName", "")
	case "LoadBalancer":
		if out := append(balancerAddresses(obj), ips...); len(out) == 0 {
			return "<pending>"
		} else {
			return strings.Join(out, ",")
		}
	case "ClusterIP", "NodePort":
	default:
		return "<unknown>"
	}
	if len(ips) == 0 {
		return "<none>"
	}
	return strings.Join(ips, ",")
}

func servicePorts(obj document, _ time.Time) any {
	var out []string
	for _, p := range children(child(obj, "spec"), "ports") {
		port := strconv.FormatInt(number(p, "port"), 10)
		if node := number(p, "nodePort"); node > 0 {
			port += ":" + strconv.FormatInt(node, 10)
		}
		out = append(out, port+"/"+text(p, "protocol", ""))
	}
	if len(out) == 0 {
		return "<none>"
	}
	return strings.Join(out, ",")
}

func nodeStatus(obj document, _ time.Time) any {
	out := "Unknown"
	for _, c := range children(child(obj, "status"), "conditions") {
		if c["type"] != "Ready" {
			continue
		}
		if out = "NotReady"; c["status"] == "True" {
			out = "Ready"
		}
	}
	if child(obj, "spec")["unschedulable"] == true {
		out += ",SchedulingDisabled"
	}
	return out
}

func nodeRoles(obj document, _ time.Time) any {
	var out []string
	for label, v := range child(child(obj, "metadata"), "labels") {
		role, is := strings.CutPrefix(label, "node-role.kubernetes.io/")
		if s, _ := v.(string); label == "kubernetes.io/role" {
			role, is = s, true
		}
		if is && role != "" {
			out = append(out, role)
		}
	}
	if len(out) == 0 {
		return "<none>"
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), ",")
}

// kernelVersion shows the version with the architecture.
func kernelVersion(obj document, _ time.Time) any {
	info := child(child(obj, "status"), "nodeInfo")
	out := text(info, "kernelVersion", "<unknown>")
	if architecture := text(info, "architecture", ""); architecture != "" {
		out += " (" + architecture + ")"
	}
	return out
}

func nodeAddress(kind string) func(document, time.Time) any {
	return func(obj document, _ time.Time) any {
		for _, a := range children(child(obj, "status"), "addresses") {
			if a["type"] == kind {
				return text(a, "address", "")
			}
		}
		return "<none>"
	}
}

func claimStatus(obj document, _ time.Time) any {
	if child(obj, "metadata")["deletionTimestamp"] != nil {
		return "Terminating"
	}
	return text(child(obj, "status"), "phase", "")
}

func ifBound(cell func(document, time.Time) any) func(document, time.Time) any {
	return func(obj document, now time.Time) any {
		if text(child(obj, "spec"), "volumeName", "") == "" {
			return ""
		}
		return cell(obj, now)
	}
}

func accessModes(part string) func(document, time.Time) any {
	return func(obj document, _ time.Time) any {
		list, _ := child(obj, part)["accessModes"].([]any)
		var out []string
		for _, mode := range []struct{ name, short string }{
			{"ReadWriteOnce", "RWO"}, {"ReadOnlyMany", "ROX"}, {"ReadWriteMany", "RWX"}, {"ReadWriteOncePod", "RWOP"},
		} {
			if slices.Contains(list, any(mode.name)) {
				out = append(out, mode.short)
			}
		}
		return strings.Join(out, ",")
	}
}

func storageClass(obj document, _ time.Time) any {
	if annotation, ok := child(child(obj, "metadata"), "annotations")["volume.beta.kubernetes.io/storage-class"].(string); ok {
		return annotation
	}
	return text(child(obj, "spec"), "storageClassName", "")
}

func volumeClaim(obj document, _ time.Time) any {
	if claim := child(child(obj, "spec"), "claimRef"); claim != nil {
		return text(claim, "namespace", "") + "/" + text(claim, "name", "")
	}
	return ""
}

// lastSeen shows when an event was last seen. Those of the newer API have only one time, or the last one of a series.
func (f eventFields) lastSeen(obj document, now time.Time) any {
	if obj["series"] != nil {
		return ageSince("series", "lastObservedTime")(obj, now)
	}
	if at, ok := timeAt(obj, f.last); ok {
		return query.Age(now.Sub(at))
	}
	return f.firstSeen(obj, now)
}

func (f eventFields) firstSeen(obj document, now time.Time) any {
	if at, ok := timeAt(obj, f.first); ok {
		return query.Age(now.Sub(at))
	}
	return ageSince("eventTime")(obj, now)
}

func (f eventFields) objectCell(obj document, _ time.Time) any {
	involved := child(obj, f.object)
	if name := text(involved, "name", ""); name != "" {
		return strings.ToLower(text(involved, "kind", "")) + "/" + name
	}
	return strings.ToLower(text(involved, "kind", ""))
}

// sourceCell shows the component that has reported an event, and its node.
func (f eventFields) sourceCell(obj document, _ time.Time) any {
	source := child(obj, f.source)
	component, host := text(source, "component", text(obj, f.component, "")), text(source, "host", text(obj, "reportingInstance", ""))
	if host == "" {
		return component
	}
	return component + ", " + host
}

func (f eventFields) countCell(obj document, _ time.Time) any {
	if series := child(obj, "series"); series != nil {
		return number(series, "count")
	}
	return max(number(obj, f.count), 1)
}

func revisionController(obj document, _ time.Time) any {
	for _, owner := range children(child(obj, "metadata"), "ownerReferences") {
		if owner["controller"] == true {
			kind, name := strings.ToLower(text(owner, "kind", "")), text(owner, "name", "")
			if group, _, has := strings.Cut(text(owner, "apiVersion", ""), "/"); has {
				kind += "." + group
			}
			if kind == "" {
				return name
			}
			return kind + "/" + name
		}
	}
	return "<none>"
}

// deploymentSelector is empty where that of other kinds is <none>.
func deploymentSelector(obj document, now time.Time) any {
	if out := selectorCell("spec", "selector")(obj, now); out != "<none>" {
		return out
	}
	return ""
}

func jobStatus(obj document, _ time.Time) any {
	has := func(of string) bool { return condition(obj, of)["status"] == "True" }
	switch {
	case has("Complete"):
		return "Complete"
	case has("Failed"):
		return "Failed"
	case child(obj, "metadata")["deletionTimestamp"] != nil:
		return "Terminating"
	case has("Suspended"):
		return "Suspended"
	case has("FailureTarget"):
		return "FailureTarget"
	case has("SuccessCriteriaMet"):
		return "SuccessCriteriaMet"
	}
	return "Running"
}

func jobCompletions(obj document, _ time.Time) any {
	spec, succeeded := child(obj, "spec"), number(obj, "status", "succeeded")
	if n, ok := spec["completions"].(int64); ok {
		return fmt.Sprintf("%d/%d", succeeded, n)
	}
	if parallelism := number(spec, "parallelism"); parallelism > 1 {
		return fmt.Sprintf("%d/1 of %d", succeeded, parallelism)
	}
	return fmt.Sprintf("%d/1", succeeded)
}

func jobDuration(obj document, now time.Time) any {
	start, started := timeAt(obj, "status", "startTime")
	end, ended := timeAt(obj, "status", "completionTime")
	switch {
	case !started:
		return ""
	case !ended:
		end = now
	}
	return query.Age(end.Sub(start))
}

// metricSources are the fields with the source of a metric, by its type.
var metricSources = map[string]string{
	"Resource": "resource", "ContainerResource": "containerResource", "Pods": "pods", "Object": "object", "External": "external",
}

// metricTargets shows the metrics of an autoscaler: what was measured, and what it should be.
func metricTargets(obj document, _ time.Time) any {
	measured := children(child(obj, "status"), "currentMetrics")
	var out []string
	for i, m := range children(child(obj, "spec"), "metrics") {
		var status document
		if i < len(measured) {
			status = measured[i]
		}
		out = append(out, metricText(m, status))
	}
	if out == nil {
		return "<none>"
	}
	return some(out, 2, ", ")
}

func metricText(metric, status document) string {
	of := text(metric, "type", "")
	source, measured := child(metric, metricSources[of]), child(status, metricSources[of])
	target := child(source, "target")
	field, label, suffix := "value", "", ""
	if of == "Pods" || target["averageValue"] != nil {
		field = "averageValue"
	}
	unmeasured, untargeted := "<nil>", "<nil>" // no server has such objects
	switch of {
	case "Resource", "ContainerResource":
		label = text(source, "name", "") + ": "
		if field == "value" {
			field, unmeasured, untargeted = "averageUtilization", "<unknown>", "<auto>"
		}
	case "Object", "External":
		if field == "averageValue" {
			suffix, unmeasured = " (avg)", "<unknown>"
		}
	case "Pods":
	default:
		return "<unknown type>"
	}
	if measured == nil {
		unmeasured = "<unknown>"
	}
	return label + amount(child(measured, "current")[field], unmeasured) + "/" + amount(target[field], untargeted) + suffix
}

// amount prints a quantity, or a number of percent.
func amount(v any, other string) string {
	switch x := v.(type) {
	case string:
		return x
	case int64:
		return strconv.FormatInt(x, 10) + "%"
	}
	return other
}

// quotaCell shows what is used of a quota, and what it allows: of limits, or of all other resources.
func quotaCell(limits bool) func(document, time.Time) any {
	return func(obj document, _ time.Time) any {
		hard, used := child(child(obj, "status"), "hard"), child(child(obj, "status"), "used")
		var out []string
		for _, name := range slices.Sorted(maps.Keys(hard)) {
			if strings.HasPrefix(name, "limits.") == limits {
				out = append(out, name+": "+amount(used[name], "0")+"/"+amount(hard[name], "0"))
			}
		}
		return strings.Join(out, ", ")
	}
}

// endpoints shows addresses with each port of their subset.
func endpoints(obj document, _ time.Time) any {
	subsets := children(obj, "subsets")
	if len(subsets) == 0 {
		return "<none>"
	}
	const most = 3 // that are shown: a subset has the product of its addresses and ports
	var out []string
	total := 0
	for _, s := range subsets {
		addresses, ports := children(s, "addresses"), children(s, "ports")
		total += len(addresses) * max(len(ports), 1)
		addresses, ports = addresses[:min(len(addresses), most)], ports[:min(len(ports), most)]
		for _, p := range ports {
			for _, a := range addresses {
				out = append(out, net.JoinHostPort(text(a, "ip", ""), strconv.FormatInt(number(p, "port"), 10)))
			}
		}
		for _, a := range addresses {
			if len(ports) == 0 {
				out = append(out, text(a, "ip", ""))
			}
		}
	}
	if total <= most {
		return strings.Join(out, ",")
	}
	return fmt.Sprintf("%s + %d more...", strings.Join(out[:most], ","), total-most)
}

func slicePorts(obj document, _ time.Time) any {
	var out []string
	for _, p := range children(obj, "ports") {
		port := "*"
		if name, named := p["name"].(string); named {
			port = name
		}
		if n, ok := p["port"].(int64); ok {
			port = strconv.FormatInt(n, 10)
		}
		out = append(out, port)
	}
	return cmp.Or(some(out, 3, ","), "<unset>")
}

func sliceEndpoints(obj document, _ time.Time) any {
	var out []string
	for _, e := range children(obj, "endpoints") {
		out = append(out, listed(e["addresses"])...)
	}
	return cmp.Or(some(out, 3, ","), "<unset>")
}

// paramRef shows the parameters of a policy's binding: an object, or Go's form of a selector.
func paramRef(obj document, _ time.Time) any {
	ref := child(child(obj, "spec"), "paramRef")
	selector := child(ref, "selector")
	switch name := text(ref, "name", ""); {
	case name != "":
		return text(ref, "namespace", "*") + "/" + name
	case selector == nil:
		return "<unset>"
	}
	var labels, expressions strings.Builder
	for _, name := range slices.Sorted(maps.Keys(child(selector, "matchLabels"))) {
		fmt.Fprintf(&labels, "%s: %v,", name, child(selector, "matchLabels")[name])
	}
	for _, e := range children(selector, "matchExpressions") {
		fmt.Fprintf(&expressions, "LabelSelectorRequirement{Key:%s,Operator:%s,Values:%v,},", text(e, "key", ""), text(e, "operator", ""), listed(e["values"]))
	}
	return "&LabelSelector{MatchLabels:map[string]string{" + labels.String() + "},MatchExpressions:[]LabelSelectorRequirement{" + expressions.String() + "},}"
}

func tokenRequests(obj document, _ time.Time) any {
	if child(obj, "spec")["tokenRequests"] == nil {
		return "<unset>"
	}
	var out []string
	for _, r := range children(child(obj, "spec"), "tokenRequests") {
		out = append(out, text(r, "audience", ""))
	}
	return strings.Join(out, ",")
}

func requestedDuration(obj document, _ time.Time) any {
	if seconds, ok := child(obj, "spec")["expirationSeconds"].(int64); ok {
		return query.Age(time.Duration(seconds) * time.Second)
	}
	return "<none>"
}

func certificateState(obj document, _ time.Time) any {
	out := "Pending"
	switch {
	case condition(obj, "Denied") != nil:
		out = "Denied"
	case condition(obj, "Approved") != nil:
		out = "Approved"
	}
	if condition(obj, "Failed") != nil {
		out += ",Failed"
	}
	if text(child(obj, "status"), "certificate", "") != "" {
		out += ",Issued"
	}
	return out
}

// claimState shows whether devices are allocated to a claim, and reserved for a Pod.
func claimState(obj document, _ time.Time) any {
	var out []string
	deleted, status := child(obj, "metadata")["deletionTimestamp"] != nil, child(obj, "status")
	if deleted {
		out = append(out, "deleted")
	}
	switch {
	case status["allocation"] != nil:
		out = append(out, "allocated")
		if length(status, "reservedFor") > 0 {
			out = append(out, "reserved")
		}
	case !deleted:
		out = append(out, "pending")
	}
	return strings.Join(out, ",")
}

// parentRef shows the object that an IP address belongs to.
func parentRef(obj document, _ time.Time) any {
	parent := child(child(obj, "spec"), "parentRef")
	if parent == nil {
		return "<none>"
	}
	out := strings.ToLower(groupResource(parent))
	if namespace := text(parent, "namespace", ""); namespace != "" {
		out += "/" + namespace
	}
	return out + "/" + text(parent, "name", "")
}

func serviceOfAPI(obj document, _ time.Time) any {
	service := child(child(obj, "spec"), "service")
	if service == nil {
		return "Local"
	}
	return text(service, "namespace", "") + "/" + text(service, "name", "")
}

func available(obj document, _ time.Time) any {
	c := condition(obj, "Available")
	if c == nil {
		return "Unknown"
	}
	status, reason := text(c, "status", ""), text(c, "reason", "")
	if status == "True" || reason == "" {
		return status
	}
	return status + " (" + reason + ")"
}

func ingressHosts(obj document, _ time.Time) any {
	var hosts []string
	rules := children(child(obj, "spec"), "rules")
	for _, r := range rules {
		if len(hosts) == 3 {
			return strings.Join(hosts, ",") + fmt.Sprintf(" + %d more...", len(rules)-3)
		}
		if host := text(r, "host", ""); host != "" {
			hosts = append(hosts, host)
		}
	}
	if len(hosts) == 0 {
		return "*"
	}
	return strings.Join(hosts, ",")
}

func balancerAddress(obj document, _ time.Time) any { return strings.Join(balancerAddresses(obj), ",") }

func balancerAddresses(obj document) (out []string) {
	for _, ingress := range children(child(child(obj, "status"), "loadBalancer"), "ingress") {
		if at := text(ingress, "ip", text(ingress, "hostname", "")); at != "" {
			out = append(out, at)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func ingressPorts(obj document, _ time.Time) any {
	if length(child(obj, "spec"), "tls") > 0 {
		return "80, 443"
	}
	return "80"
}

// ingressClassName shows the name, and whether the class is the default.
func ingressClassName(obj document, _ time.Time) any {
	name := text(child(obj, "metadata"), "name", "")
	if child(child(obj, "metadata"), "annotations")["ingressclass.kubernetes.io/is-default-class"] == "true" {
		name += " (default)"
	}
	return name
}

func classParameters(obj document, _ time.Time) any {
	parameters := child(child(obj, "spec"), "parameters")
	if parameters == nil {
		return "<none>"
	}
	out := text(parameters, "kind", "")
	if group, ok := parameters["apiGroup"].(string); ok {
		out += "." + group
	}
	return out + "/" + text(parameters, "name", "")
}

func definitionVersions(obj document, _ time.Time) any {
	var out []string
	for _, v := range children(child(obj, "spec"), "versions") {
		name := text(v, "name", "")
		switch {
		case v["served"] != true:
		case v["storage"] == true:
			out = append(out, name+"(storage)")
		default:
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return strings.Join(out, ",")
}

func definitionEstablished(obj document, _ time.Time) any {
	return slices.ContainsFunc(children(child(obj, "status"), "conditions"), func(c document) bool {
		return c["type"] == "Established" && c["status"] == "True"
	})
}
