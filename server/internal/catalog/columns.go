package catalog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/crdkit/crdkit/internal/jsonpath"
)

// This file has the columns of tables of built-in kinds. kubectl get prints them.

// A Column is a column of a table.
type Column struct {
	Name, Type string
	Wide       bool // kubectl shows it with -o wide only
	// Cell returns the value for an object: a string, bool, int64 or nil.
	Cell func(obj map[string]any, now time.Time) any
}

// Columns returns the columns of a type of objects, or nil if it has only the name and the age.
func Columns(of string) []Column {
	columns := builtInColumns[of]
	if columns == nil || of == "core.v1.Event" {
		return columns
	}
	return append([]Column{nameColumn}, columns...)
}

var nameColumn = Column{"Name", "string", false, textCell("", "metadata", "name")}

var ageColumn = Column{"Age", "string", false, since("metadata", "creationTimestamp")}

var createdAt = Column{"Created At", "date", false, textCell("", "metadata", "creationTimestamp")}

// builtInColumns has the columns by type. The name comes first, except for Events.
var builtInColumns = map[string][]Column{
	"core.v1.Pod": {
		{"Ready", "string", false, podReady}, {"Status", "string", false, podStatus}, {"Restarts", "string", false, podRestarts}, ageColumn,
		{"IP", "string", true, podIP}, {"Node", "string", true, textCell("<none>", "spec", "nodeName")},
		{"Nominated Node", "string", true, textCell("<none>", "status", "nominatedNodeName")}, {"Readiness Gates", "string", true, readinessGates},
	},
	"core.v1.PodTemplate": {
		{"Containers", "string", false, containerNames("template")}, {"Images", "string", false, containerImages("template")},
		{"Pod Labels", "string", false, labelsCell("template", "metadata", "labels")},
	},
	"core.v1.ConfigMap": {{"Data", "string", false, func(obj document, _ time.Time) any {
		return int64(len(child(obj, "data")) + len(child(obj, "binaryData")))
	}}, ageColumn},
	"core.v1.Secret": {{"Type", "string", false, textCell("", "type")}, {"Data", "string", false, func(obj document, _ time.Time) any {
		return int64(len(child(obj, "data")))
	}}, ageColumn},
	"core.v1.Service": {
		{"Type", "string", false, textCell("", "spec", "type")}, {"Cluster-IP", "string", false, textCell("<none>", "spec", "clusterIP")},
		{"External-IP", "string", false, externalIP}, {"Port(s)", "string", false, servicePorts}, ageColumn,
		{"Selector", "string", true, labelsCell("spec", "selector")},
	},
	"core.v1.Namespace": {{"Status", "string", false, textCell("", "status", "phase")}, ageColumn},
	"core.v1.Node": {
		{"Status", "string", false, nodeStatus}, {"Roles", "string", false, nodeRoles}, ageColumn,
		{"Version", "string", false, textCell("", "status", "nodeInfo", "kubeletVersion")},
		{"Internal-IP", "string", true, nodeAddress("InternalIP")}, {"External-IP", "string", true, nodeAddress("ExternalIP")},
		{"OS-Image", "string", true, textCell("<unknown>", "status", "nodeInfo", "osImage")},
		{"Kernel-Version", "string", true, kernelVersion},
		{"Container-Runtime", "string", true, textCell("<unknown>", "status", "nodeInfo", "containerRuntimeVersion")},
	},
	"core.v1.PersistentVolumeClaim": {
		{"Status", "string", false, claimStatus}, {"Volume", "string", false, textCell("", "spec", "volumeName")},
		{"Capacity", "string", false, ifBound(textCell("0", "status", "capacity", "storage"))}, {"Access Modes", "string", false, ifBound(accessModes("status"))},
		{"StorageClass", "string", false, storageClass}, {"VolumeAttributesClass", "string", false, textCell("<unset>", "spec", "volumeAttributesClassName")},
		ageColumn, {"VolumeMode", "string", true, textCell("<unset>", "spec", "volumeMode")},
	},
	"core.v1.PersistentVolume": {
		{"Capacity", "string", false, textCell("0", "spec", "capacity", "storage")}, {"Access Modes", "string", false, accessModes("spec")},
		{"Reclaim Policy", "string", false, textCell("", "spec", "persistentVolumeReclaimPolicy")}, {"Status", "string", false, claimStatus},
		{"Claim", "string", false, volumeClaim}, {"StorageClass", "string", false, storageClass},
		{"VolumeAttributesClass", "string", false, textCell("<unset>", "spec", "volumeAttributesClassName")},
		{"Reason", "string", false, textCell("", "status", "reason")}, ageColumn,
		{"VolumeMode", "string", true, textCell("<unset>", "spec", "volumeMode")},
	},
	"core.v1.LimitRange":            {createdAt},
	"core.v1.ReplicationController": replicaColumns(),
	"core.v1.Event": {
		{"Last Seen", "string", false, eventTime("lastTimestamp")}, {"Type", "string", false, textCell("", "type")},
		{"Reason", "string", false, textCell("", "reason")}, {"Object", "string", false, eventObject},
		{"Subobject", "string", true, textCell("", "involvedObject", "fieldPath")}, {"Source", "string", true, eventSource},
		{"Message", "string", false, eventMessage}, {"First Seen", "string", true, eventTime("firstTimestamp")},
		{"Count", "string", true, eventCount}, {"Name", "string", true, textCell("", "metadata", "name")},
	},
	"apps.v1.Deployment": {
		{"Ready", "string", false, func(obj document, _ time.Time) any {
			return fmt.Sprintf("%d/%d", number(obj, "status", "readyReplicas"), number(obj, "spec", "replicas"))
		}}, {"Up-to-date", "string", false, intCell("status", "updatedReplicas")},
		{"Available", "string", false, intCell("status", "availableReplicas")}, ageColumn, containers, images, selectorColumn,
	},
	"apps.v1.ReplicaSet": replicaColumns(),
	"apps.v1.StatefulSet": {
		{"Ready", "string", false, func(obj document, _ time.Time) any {
			return fmt.Sprintf("%d/%d", number(obj, "status", "readyReplicas"), number(obj, "spec", "replicas"))
		}}, ageColumn, containers, images,
	},
	"apps.v1.DaemonSet": {
		{"Desired", "integer", false, intCell("status", "desiredNumberScheduled")}, {"Current", "integer", false, intCell("status", "currentNumberScheduled")},
		{"Ready", "integer", false, intCell("status", "numberReady")}, {"Up-to-date", "integer", false, intCell("status", "updatedNumberScheduled")},
		{"Available", "integer", false, intCell("status", "numberAvailable")},
		{"Node Selector", "string", false, labelsCell("spec", "template", "spec", "nodeSelector")}, ageColumn, containers, images, selectorColumn,
	},
	"apps.v1.ControllerRevision": {
		{"Controller", "string", false, revisionController}, {"Revision", "string", false, intCell("revision")}, ageColumn,
	},
	"batch.v1.Job": {
		{"Status", "string", false, jobStatus}, {"Completions", "string", false, jobCompletions}, {"Duration", "string", false, jobDuration}, ageColumn,
		containers, images, selectorColumn,
	},
	"batch.v1.CronJob": {
		{"Schedule", "string", false, textCell("", "spec", "schedule")}, {"Timezone", "string", false, textCell("<none>", "spec", "timeZone")},
		{"Suspend", "boolean", false, func(obj document, _ time.Time) any {
			return boolText(child(obj, "spec")["suspend"] == true)
		}},
		{"Active", "integer", false, func(obj document, _ time.Time) any { return length(child(obj, "status"), "active") }},
		{"Last Schedule", "string", false, sinceOr("<none>", "status", "lastScheduleTime")}, ageColumn,
		{"Containers", "string", true, containerNames("spec", "jobTemplate", "spec", "template")},
		{"Images", "string", true, containerImages("spec", "jobTemplate", "spec", "template")},
		{"Selector", "string", true, selectorCell("spec", "jobTemplate", "spec", "selector")},
	},
	"networking.v1.Ingress": {
		{"Class", "string", false, textCell("<none>", "spec", "ingressClassName")}, {"Hosts", "string", false, ingressHosts},
		{"Address", "string", false, balancerAddress}, {"Ports", "string", false, ingressPorts}, ageColumn,
	},
	"networking.v1.IngressClass": {
		{"Controller", "string", false, textCell("", "spec", "controller")}, {"Parameters", "string", false, classParameters}, ageColumn,
	},
	"networking.v1.NetworkPolicy": {{"Pod-Selector", "string", false, selectorCell("spec", "podSelector")}, ageColumn},
	"policy.v1.PodDisruptionBudget": {
		{"Min Available", "string", false, anyCell("N/A", "spec", "minAvailable")}, {"Max Unavailable", "string", false, anyCell("N/A", "spec", "maxUnavailable")},
		{"Allowed Disruptions", "integer", false, intCell("status", "disruptionsAllowed")}, ageColumn,
	},
	"rbac.v1.Role":               {createdAt},
	"rbac.v1.ClusterRole":        {createdAt},
	"rbac.v1.RoleBinding":        bindingColumns(),
	"rbac.v1.ClusterRoleBinding": bindingColumns(),
	"coordination.v1.Lease":      {{"Holder", "string", false, textCell("", "spec", "holderIdentity")}, ageColumn},
	"admissionregistration.v1.MutatingWebhookConfiguration":   webhookColumns,
	"admissionregistration.v1.ValidatingWebhookConfiguration": webhookColumns,
	"scheduling.v1.PriorityClass": {
		{"Value", "integer", false, intCell("value")}, {"Global-Default", "boolean", false, boolCell("globalDefault")}, ageColumn,
		{"PreemptionPolicy", "string", false, textCell("", "preemptionPolicy")},
	},
	"node.v1.RuntimeClass": {{"Handler", "string", false, textCell("", "handler")}, ageColumn},
	"storage.v1.StorageClass": {
		{"Provisioner", "string", false, textCell("", "provisioner")}, {"ReclaimPolicy", "string", false, textCell("Delete", "reclaimPolicy")},
		{"VolumeBindingMode", "string", false, textCell("Immediate", "volumeBindingMode")},
		{"AllowVolumeExpansion", "string", false, boolCell("allowVolumeExpansion")}, ageColumn,
	},
	"storage.v1.CSINode": {{"Drivers", "integer", false, func(obj document, _ time.Time) any { return length(child(obj, "spec"), "drivers") }}, ageColumn},
	DefinitionType:       definitionColumns,
}

var (
	containers     = Column{"Containers", "string", true, containerNames("spec", "template")}
	images         = Column{"Images", "string", true, containerImages("spec", "template")}
	selectorColumn = Column{"Selector", "string", true, selectorCell("spec", "selector")}

	webhookColumns = []Column{{"Webhooks", "integer", false, func(obj document, _ time.Time) any { return length(obj, "webhooks") }}, ageColumn}
)

func replicaColumns() []Column {
	return []Column{
		{"Desired", "integer", false, intCell("spec", "replicas")}, {"Current", "integer", false, intCell("status", "replicas")},
		{"Ready", "integer", false, intCell("status", "readyReplicas")}, ageColumn, containers, images, selectorColumn,
	}
}

func bindingColumns() []Column {
	subjects := func(kind string) func(obj document, _ time.Time) any {
		return func(obj document, _ time.Time) any {
			var names []string
			for _, s := range children(obj, "subjects") {
				if s["kind"] != kind {
					continue
				}
				name := text(s, "name", "")
				if kind == "ServiceAccount" {
					name = text(s, "namespace", "") + "/" + name
				}
				names = append(names, name)
			}
			return strings.Join(names, ", ")
		}
	}
	return []Column{
		{"Role", "string", false, func(obj document, _ time.Time) any {
			return text(child(obj, "roleRef"), "kind", "") + "/" + text(child(obj, "roleRef"), "name", "")
		}}, ageColumn,
		{"Users", "string", true, subjects("User")}, {"Groups", "string", true, subjects("Group")},
		{"ServiceAccounts", "string", true, subjects("ServiceAccount")},
	}
}

// value returns the value at a path, or nil.
func value(obj document, path ...string) any {
	for _, name := range path[:len(path)-1] {
		obj = child(obj, name)
	}
	return obj[path[len(path)-1]]
}

func number(obj document, path ...string) int64 {
	n, _ := value(obj, path...).(int64)
	return n
}

func length(obj document, name string) int64 {
	list, _ := obj[name].([]any)
	return int64(len(list))
}

// textCell shows a text, or other if it is missing or empty.
func textCell(other string, path ...string) func(document, time.Time) any {
	return func(obj document, _ time.Time) any {
		if s, ok := value(obj, path...).(string); ok && s != "" {
			return s
		}
		return other
	}
}

func intCell(path ...string) func(document, time.Time) any {
	return func(obj document, _ time.Time) any { return number(obj, path...) }
}

func boolCell(path ...string) func(document, time.Time) any {
	return func(obj document, _ time.Time) any { return value(obj, path...) == true }
}

// anyCell shows a number or a text.
func anyCell(other string, path ...string) func(document, time.Time) any {
	return func(obj document, _ time.Time) any {
		if v := value(obj, path...); v != nil {
			return fmt.Sprint(v)
		}
		return other
	}
}

func since(path ...string) func(document, time.Time) any { return sinceOr("<unknown>", path...) }

// sinceOr shows how long ago a time was.
func sinceOr(other string, path ...string) func(document, time.Time) any {
	return func(obj document, now time.Time) any {
		if at, ok := timeAt(obj, path...); ok {
			return jsonpath.Age(now.Sub(at))
		}
		return other
	}
}

func timeAt(obj document, path ...string) (time.Time, bool) {
	s, _ := value(obj, path...).(string)
	at, err := time.Parse(time.RFC3339, s)
	return at, err == nil
}

func labelsCell(path ...string) func(document, time.Time) any {
	return func(obj document, _ time.Time) any { return labelText(child(parent(obj, path), path[len(path)-1])) }
}

func parent(obj document, path []string) document {
	for _, name := range path[:len(path)-1] {
		obj = child(obj, name)
	}
	return obj
}

// labelText prints labels by name.
func labelText(labels document) string {
	var out []string
	for name, v := range labels {
		out = append(out, fmt.Sprint(name, "=", v))
	}
	if len(out) == 0 {
		return "<none>"
	}
	slices.Sort(out)
	return strings.Join(out, ",")
}

func selectorCell(path ...string) func(document, time.Time) any {
	return func(obj document, _ time.Time) any {
		selector := child(parent(obj, path), path[len(path)-1])
		if selector["matchLabels"] == nil && selector["matchExpressions"] == nil {
			return labelText(selector) // the selector of the oldest kinds
		}
		type requirement struct{ key, text string }
		var out []requirement
		for name, v := range child(selector, "matchLabels") {
			out = append(out, requirement{name, fmt.Sprint(name, "=", v)})
		}
		for _, e := range children(selector, "matchExpressions") {
			key := text(e, "key", "")
			var values []string
			list, _ := e["values"].([]any)
			for _, v := range list {
				values = append(values, fmt.Sprint(v))
			}
			slices.Sort(values)
			set := "(" + strings.Join(values, ",") + ")"
			out = append(out, requirement{key, map[any]string{
				"In": key + " in " + set, "NotIn": key + " notin " + set, "Exists": key, "DoesNotExist": "!" + key,
			}[e["operator"]]})
		}
		slices.SortStableFunc(out, func(a, b requirement) int { return strings.Compare(a.key, b.key) })
		texts := make([]string, len(out))
		for i := range out {
			texts[i] = out[i].text
		}
		if len(texts) == 0 {
			return "<none>"
		}
		return strings.Join(texts, ",")
	}
}

func containerNames(template ...string) func(document, time.Time) any {
	return containerTexts("name", template)
}

func containerImages(template ...string) func(document, time.Time) any {
	return containerTexts("image", template)
}

func containerTexts(name string, template []string) func(document, time.Time) any {
	return func(obj document, _ time.Time) any {
		for _, part := range template {
			obj = child(obj, part)
		}
		var out []string
		for _, c := range children(child(obj, "spec"), "containers") {
			out = append(out, text(c, name, ""))
		}
		return strings.Join(out, ",")
	}
}

func podReady(obj document, _ time.Time) any {
	ready := 0
	for _, s := range children(child(obj, "status"), "containerStatuses") {
		if s["ready"] == true && child(s, "state")["running"] != nil {
			ready++
		}
	}
	total := len(children(child(obj, "spec"), "containers"))
	return fmt.Sprintf("%d/%d", ready, total)
}

// podStatus shows the phase of a Pod, or the reason why a container does not run.
func podStatus(obj document, _ time.Time) any {
	status := child(obj, "status")
	out := text(status, "reason", text(status, "phase", ""))
	for _, c := range children(status, "conditions") {
		if c["type"] == "PodScheduled" && c["reason"] == "SchedulingGated" {
			out = "SchedulingGated"
		}
	}
	running := false
	statuses := children(status, "containerStatuses")
	for i := len(statuses) - 1; i >= 0; i-- {
		s := statuses[i]
		waiting, terminated := child(child(s, "state"), "waiting"), child(child(s, "state"), "terminated")
		switch {
		case text(waiting, "reason", "") != "":
			out = text(waiting, "reason", "")
		case text(terminated, "reason", "") != "":
			out = text(terminated, "reason", "")
		case terminated != nil && number(terminated, "signal") != 0:
			out = fmt.Sprintf("Signal:%d", number(terminated, "signal"))
		case terminated != nil:
			out = fmt.Sprintf("ExitCode:%d", number(terminated, "exitCode"))
		case s["ready"] == true && child(s, "state")["running"] != nil:
			running = true
		}
	}
	if out == "Completed" && running {
		out = "NotReady"
		for _, c := range children(status, "conditions") {
			if c["type"] == "Ready" && c["status"] == "True" {
				out = "Running"
			}
		}
	}
	if child(obj, "metadata")["deletionTimestamp"] != nil {
		if status["reason"] == "NodeLost" {
			return "Unknown"
		}
		if phase := status["phase"]; phase != "Failed" && phase != "Succeeded" {
			return "Terminating"
		}
	}
	return out
}

func podRestarts(obj document, now time.Time) any {
	total, last := int64(0), time.Time{}
	for _, s := range children(child(obj, "status"), "containerStatuses") {
		total += number(s, "restartCount")
		if at, ok := timeAt(s, "lastState", "terminated", "finishedAt"); ok && at.After(last) {
			last = at
		}
	}
	if total > 0 && !last.IsZero() {
		return fmt.Sprintf("%d (%s ago)", total, jsonpath.Age(now.Sub(last)))
	}
	return strconv.FormatInt(total, 10)
}

func podIP(obj document, _ time.Time) any {
	if ips := children(child(obj, "status"), "podIPs"); len(ips) > 0 {
		return text(ips[0], "ip", "<none>")
	}
	return "<none>"
}

func readinessGates(obj document, _ time.Time) any {
	gates := children(child(obj, "spec"), "readinessGates")
	if len(gates) == 0 {
		return "<none>"
	}
	first := map[string]any{} // the status of conditions
	for _, c := range children(child(obj, "status"), "conditions") {
		inherit(first, text(c, "type", ""), c["status"])
	}
	met := 0
	for _, g := range gates {
		if first[text(g, "conditionType", "")] == "True" {
			met++
		}
	}
	return fmt.Sprintf("%d/%d", met, len(gates))
}

func externalIP(obj document, _ time.Time) any {
	spec := child(obj, "spec")
	list, _ := spec["externalIPs"].([]any)
	var ips []string
	for _, v := range list {
		ips = append(ips, fmt.Sprint(v))
	}
	switch text(spec, "type", "") {
	case "ExternalName":
		return text(spec, "externalName", "")
	case "LoadBalancer":
		if out := append(balancerAddresses(obj), ips...); len(out) == 0 {
			return "<pending>"
		} else {
			return strings.Join(out, ",")
		}
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
	annotation := text(child(child(obj, "metadata"), "annotations"), "volume.beta.kubernetes.io/storage-class", "")
	if annotation != "" {
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

// eventTime shows when an event was seen. Events of the newer API have only one time.
func eventTime(name string) func(document, time.Time) any {
	return func(obj document, now time.Time) any {
		if at, ok := timeAt(obj, "series", "lastObservedTime"); ok && name == "lastTimestamp" {
			return jsonpath.Age(now.Sub(at))
		}
		if at, ok := timeAt(obj, name); ok {
			return jsonpath.Age(now.Sub(at))
		}
		return since("eventTime")(obj, now)
	}
}

func eventObject(obj document, _ time.Time) any {
	involved := child(obj, "involvedObject")
	if name := text(involved, "name", ""); name != "" {
		return strings.ToLower(text(involved, "kind", "")) + "/" + name
	}
	return strings.ToLower(text(involved, "kind", ""))
}

// eventSource shows the component that has reported an event, and its node.
func eventSource(obj document, _ time.Time) any {
	source := child(obj, "source")
	component, host := text(source, "component", text(obj, "reportingComponent", "")), text(source, "host", text(obj, "reportingInstance", ""))
	if host == "" {
		return component
	}
	return component + ", " + host
}

func eventCount(obj document, _ time.Time) any {
	if series := child(obj, "series"); series != nil {
		return number(series, "count")
	}
	return max(number(obj, "count"), 1)
}

func eventMessage(obj document, _ time.Time) any { return strings.TrimSpace(text(obj, "message", "")) }

func revisionController(obj document, _ time.Time) any {
	for _, owner := range children(child(obj, "metadata"), "ownerReferences") {
		if owner["controller"] == true {
			kind := strings.ToLower(text(owner, "kind", ""))
			if group, _, has := strings.Cut(text(owner, "apiVersion", ""), "/"); has {
				kind += "." + group
			}
			return kind + "/" + text(owner, "name", "")
		}
	}
	return "<none>"
}

func jobStatus(obj document, _ time.Time) any {
	has := func(condition string) bool {
		for _, c := range children(child(obj, "status"), "conditions") {
			if c["type"] == condition && c["status"] == "True" {
				return true
			}
		}
		return false
	}
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
	return jsonpath.Age(end.Sub(start))
}

func ingressHosts(obj document, _ time.Time) any {
	var hosts []string
	rules := children(child(obj, "spec"), "rules")
	for i, r := range rules {
		if i == 3 {
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

func classParameters(obj document, _ time.Time) any {
	parameters := child(child(obj, "spec"), "parameters")
	if parameters == nil {
		return "<none>"
	}
	out := text(parameters, "kind", "")
	if group := text(parameters, "apiGroup", ""); group != "" {
		out += "." + group
	}
	return out + "/" + text(parameters, "name", "")
}

var definitionColumns = []Column{
	{"Scope", "string", false, textCell("", "spec", "scope")}, {"Versions", "string", false, definitionVersions}, createdAt,
	{"Group", "string", true, textCell("", "spec", "group")}, {"Kind", "string", true, textCell("", "spec", "names", "kind")},
	{"ShortNames", "string", true, definitionShortNames}, {"Established", "boolean", true, definitionEstablished},
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

func definitionShortNames(obj document, _ time.Time) any {
	list, _ := child(child(obj, "spec"), "names")["shortNames"].([]any)
	var out []string
	for _, v := range list {
		out = append(out, fmt.Sprint(v))
	}
	return strings.Join(out, ",")
}

func definitionEstablished(obj document, _ time.Time) any {
	return slices.ContainsFunc(children(child(obj, "status"), "conditions"), func(c document) bool {
		return c["type"] == "Established" && c["status"] == "True"
	})
}

func boolText(v bool) string {
	if v {
		return "True"
	}
	return "False"
}
