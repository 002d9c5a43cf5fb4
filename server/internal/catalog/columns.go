package catalog

import (
	"strings"
	"time"
)

// This file has the columns of tables of built-in kinds. kubectl get prints them.

// A Column is a column of a table.
type Column struct {
	Name, Type string
	Wide       bool // kubectl shows it with -o wide only
	// Cell returns the value for an object: a string, bool, int64 or nil.
	Cell func(obj map[string]any, now time.Time) any
}

// Columns returns the columns of a built-in type of objects. It is nil for custom objects: their definitions have them.
func Columns(of string) []Column {
	columns := builtInColumns[of]
	switch of {
	case "core.v1.Event", "events.v1.Event":
		return columns
	case "networking.v1.IngressClass":
		return append([]Column{{"Name", "string", false, ingressClassName}}, columns...)
	}
	if columns == nil {
		return nil
	}
	return append([]Column{nameColumn}, columns...)
}

var nameColumn = Column{"Name", "string", false, textCell("", "metadata", "name")}

var ageColumn = Column{"Age", "string", false, ageSince("metadata", "creationTimestamp")}

var createdAt = Column{"Created At", "date", false, textCell("0001-01-01T00:00:00Z", "metadata", "creationTimestamp")}

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
		{"StorageClass", "string", false, storageClass}, {"VolumeAttributesClass", "string", false, anyCell("<unset>", "spec", "volumeAttributesClassName")},
		ageColumn, {"VolumeMode", "string", true, anyCell("<unset>", "spec", "volumeMode")},
	},
	"core.v1.PersistentVolume": {
		{"Capacity", "string", false, textCell("0", "spec", "capacity", "storage")}, {"Access Modes", "string", false, accessModes("spec")},
		{"Reclaim Policy", "string", false, textCell("", "spec", "persistentVolumeReclaimPolicy")}, {"Status", "string", false, claimStatus},
		{"Claim", "string", false, volumeClaim}, {"StorageClass", "string", false, storageClass},
		{"VolumeAttributesClass", "string", false, anyCell("<unset>", "spec", "volumeAttributesClassName")},
		{"Reason", "string", false, textCell("", "status", "reason")}, ageColumn,
		{"VolumeMode", "string", true, anyCell("<unset>", "spec", "volumeMode")},
	},
	"core.v1.LimitRange":            {createdAt},
	"core.v1.ReplicationController": replicaColumns(),
	"core.v1.ServiceAccount":        {ageColumn},
	"core.v1.Endpoints":             {{"Endpoints", "string", false, endpoints}, ageColumn},
	"core.v1.ResourceQuota": {
		{"Request", "string", false, quotaCell(false)}, {"Limit", "string", false, quotaCell(true)}, ageColumn,
	},
	"core.v1.Event": eventColumns(eventFields{
		"involvedObject", "message", "source", "reportingComponent", "firstTimestamp", "lastTimestamp", "count",
	}),
	"events.v1.Event": eventColumns(eventFields{
		"regarding", "note", "deprecatedSource", "reportingController", "deprecatedFirstTimestamp", "deprecatedLastTimestamp", "deprecatedCount",
	}),
	"apps.v1.Deployment": {
		{"Ready", "string", false, readyReplicas}, {"Up-to-date", "string", false, intCell("status", "updatedReplicas")},
		{"Available", "string", false, intCell("status", "availableReplicas")}, ageColumn, containers, images, {"Selector", "string", true, deploymentSelector},
	},
	"apps.v1.ReplicaSet": replicaColumns(),
	"apps.v1.StatefulSet": {
		{"Ready", "string", false, readyReplicas}, ageColumn, containers, images,
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
		{"Schedule", "string", false, textCell("", "spec", "schedule")}, {"Timezone", "string", false, anyCell("<none>", "spec", "timeZone")},
		{"Suspend", "boolean", false, func(obj document, _ time.Time) any {
			return boolText(child(obj, "spec")["suspend"] == true)
		}},
		{"Active", "integer", false, func(obj document, _ time.Time) any { return length(child(obj, "status"), "active") }},
		{"Last Schedule", "string", false, ageSinceOr("<none>", "status", "lastScheduleTime")}, ageColumn,
		{"Containers", "string", true, containerNames("spec", "jobTemplate", "spec", "template")},
		{"Images", "string", true, containerImages("spec", "jobTemplate", "spec", "template")},
		{"Selector", "string", true, selectorCell("spec", "jobTemplate", "spec", "selector")},
	},
	"autoscaling.v2.HorizontalPodAutoscaler": {
		{"Reference", "string", false, func(obj document, _ time.Time) any {
			target := child(child(obj, "spec"), "scaleTargetRef")
			return text(target, "kind", "") + "/" + text(target, "name", "")
		}}, {"Targets", "string", false, metricTargets}, {"MinPods", "string", false, anyCell("<unset>", "spec", "minReplicas")},
		{"MaxPods", "string", false, intCell("spec", "maxReplicas")}, {"Replicas", "string", false, intCell("status", "currentReplicas")}, ageColumn,
	},
	"discovery.v1.EndpointSlice": {
		{"AddressType", "string", false, textCell("", "addressType")}, {"Ports", "string", false, slicePorts},
		{"Endpoints", "string", false, sliceEndpoints}, ageColumn,
	},
	"networking.v1.Ingress": {
		{"Class", "string", false, anyCell("<none>", "spec", "ingressClassName")}, {"Hosts", "string", false, ingressHosts},
		{"Address", "string", false, balancerAddress}, {"Ports", "string", false, ingressPorts}, ageColumn,
	},
	"networking.v1.IngressClass": {
		{"Controller", "string", false, textCell("", "spec", "controller")}, {"Parameters", "string", false, classParameters}, ageColumn,
	},
	"networking.v1.IPAddress":     {{"ParentRef", "string", false, parentRef}},
	"networking.v1.ServiceCIDR":   {{"CIDRs", "string", false, textsCell("", "spec", "cidrs")}, ageColumn},
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
	"admissionregistration.v1.MutatingWebhookConfiguration":     webhookColumns,
	"admissionregistration.v1.ValidatingWebhookConfiguration":   webhookColumns,
	"admissionregistration.v1.ValidatingAdmissionPolicy":        policyColumns("Validations"),
	"admissionregistration.v1.ValidatingAdmissionPolicyBinding": policyBindingColumns,
	"admissionregistration.v1.MutatingAdmissionPolicy":          policyColumns("Mutations"),
	"admissionregistration.v1.MutatingAdmissionPolicyBinding":   policyBindingColumns,
	"scheduling.v1.PriorityClass": {
		{"Value", "integer", false, intCell("value")}, {"Global-Default", "boolean", false, boolCell("globalDefault")}, ageColumn,
		{"PreemptionPolicy", "string", false, textCell("", "preemptionPolicy")},
	},
	"node.v1.RuntimeClass": {{"Handler", "string", false, textCell("", "handler")}, ageColumn},
	"storage.v1.StorageClass": {
		{"Provisioner", "string", false, textCell("", "provisioner")}, {"ReclaimPolicy", "string", false, anyCell("Delete", "reclaimPolicy")},
		{"VolumeBindingMode", "string", false, anyCell("Immediate", "volumeBindingMode")},
		{"AllowVolumeExpansion", "string", false, boolCell("allowVolumeExpansion")}, ageColumn,
	},
	"storage.v1.CSINode": {{"Drivers", "integer", false, func(obj document, _ time.Time) any { return length(child(obj, "spec"), "drivers") }}, ageColumn},
	"storage.v1.CSIDriver": {
		{"AttachRequired", "boolean", false, func(obj document, _ time.Time) any { return child(obj, "spec")["attachRequired"] != false }},
		{"PodInfoOnMount", "boolean", false, boolCell("spec", "podInfoOnMount")}, {"StorageCapacity", "boolean", false, boolCell("spec", "storageCapacity")},
		{"TokenRequests", "string", false, tokenRequests}, {"RequiresRepublish", "boolean", false, boolCell("spec", "requiresRepublish")},
		{"Modes", "string", false, textsCell("<none>", "spec", "volumeLifecycleModes")}, ageColumn,
	},
	"storage.v1.CSIStorageCapacity": {createdAt},
	"storage.v1.VolumeAttachment": {
		{"Attacher", "string", false, textCell("", "spec", "attacher")}, {"PV", "string", false, textCell("", "spec", "source", "persistentVolumeName")},
		{"Node", "string", false, textCell("", "spec", "nodeName")}, {"Attached", "boolean", false, boolCell("status", "attached")}, ageColumn,
	},
	"storage.v1.VolumeAttributesClass": {{"DriverName", "string", false, textCell("", "driverName")}, ageColumn},
	"storagemigration.v1.StorageVersionMigration": {
		{"Resource", "string", false, func(obj document, _ time.Time) any { return groupResource(child(child(obj, "spec"), "resource")) }},
		{"Status", "string", false, lastCondition("Unknown", true, "Running", "Failed", "Succeeded")},
	},
	CertificateType: {
		ageColumn, {"SignerName", "string", false, textCell("<none>", "spec", "signerName")}, {"Requestor", "string", false, textCell("", "spec", "username")},
		{"RequestedDuration", "string", false, requestedDuration}, {"Condition", "string", false, certificateState},
	},
	"certificates.v1.ClusterTrustBundle": {{"SignerName", "string", false, textCell("<none>", "spec", "signerName")}},
	"certificates.v1.PodCertificateRequest": {
		{"PodName", "string", false, textCell("", "spec", "podName")}, {"ServiceAccountName", "string", false, textCell("", "spec", "serviceAccountName")},
		{"NodeName", "string", false, textCell("", "spec", "nodeName")}, {"SignerName", "string", false, textCell("", "spec", "signerName")},
		{"State", "string", false, lastCondition("Pending", false, "Issued", "Denied", "Failed")},
		{"UnverifiedUserAnnotations", "string", false, labelsCell("spec", "unverifiedUserAnnotations")},
	},
	"flowcontrol.v1.FlowSchema": {
		{"PriorityLevel", "string", false, textCell("", "spec", "priorityLevelConfiguration", "name")},
		{"MatchingPrecedence", "string", false, intCell("spec", "matchingPrecedence")},
		{"DistinguisherMethod", "string", false, anyCell("<none>", "spec", "distinguisherMethod", "type")}, ageColumn,
		{"MissingPL", "string", false, func(obj document, _ time.Time) any { return text(condition(obj, "Dangling"), "status", "?") }},
	},
	"flowcontrol.v1.PriorityLevelConfiguration": {
		{"Type", "string", false, textCell("", "spec", "type")},
		{"NominalConcurrencyShares", "string", false, numberCell("<none>", "spec", "limited", "nominalConcurrencyShares")},
		{"Queues", "string", false, numberCell("<none>", "spec", "limited", "limitResponse", "queuing", "queues")},
		{"HandSize", "string", false, numberCell("<none>", "spec", "limited", "limitResponse", "queuing", "handSize")},
		{"QueueLengthLimit", "string", false, numberCell("<none>", "spec", "limited", "limitResponse", "queuing", "queueLengthLimit")}, ageColumn,
	},
	"resource.v1.DeviceClass":           {ageColumn},
	"resource.v1.ResourceClaim":         {{"State", "string", false, claimState}, ageColumn},
	"resource.v1.ResourceClaimTemplate": {ageColumn},
	"resource.v1.ResourceSlice": {
		{"Node", "string", false, textCell("", "spec", "nodeName")}, {"Driver", "string", false, textCell("", "spec", "driver")},
		{"Pool", "string", false, textCell("", "spec", "pool", "name")}, ageColumn,
	},
	"resource.v1.DeviceTaintRule": {
		{"Key", "string", false, textCell("", "spec", "taint", "key")}, {"Value", "string", false, textCell("", "spec", "taint", "value")},
		{"Effect", "string", false, textCell("", "spec", "taint", "effect")}, {"TimeAdded", "string", false, ageSinceOr("", "spec", "taint", "timeAdded")}, ageColumn,
	},
	"kube-aggregator.pkg.apis.apiregistration.v1.APIService": {
		{"Service", "string", false, serviceOfAPI}, {"Available", "string", false, available}, ageColumn,
	},
	DefinitionType: definitionColumns,
}

var (
	containers     = Column{"Containers", "string", true, containerNames("spec", "template")}
	images         = Column{"Images", "string", true, containerImages("spec", "template")}
	selectorColumn = Column{"Selector", "string", true, selectorCell("spec", "selector")}

	policyBindingColumns = []Column{
		{"PolicyName", "string", false, textCell("", "spec", "policyName")}, {"ParamRef", "string", false, paramRef}, ageColumn,
	}
	webhookColumns = []Column{{"Webhooks", "integer", false, func(obj document, _ time.Time) any { return length(obj, "webhooks") }}, ageColumn}
)

func replicaColumns() []Column {
	return []Column{
		{"Desired", "integer", false, intCell("spec", "replicas")}, {"Current", "integer", false, intCell("status", "replicas")},
		{"Ready", "integer", false, intCell("status", "readyReplicas")}, ageColumn, containers, images, selectorColumn,
	}
}

// policyColumns has the columns of an admission policy, with the number of its validations or mutations.
func policyColumns(of string) []Column {
	return []Column{
		{of, "integer", false, func(obj document, _ time.Time) any { return length(child(obj, "spec"), strings.ToLower(of)) }},
		{"ParamKind", "string", false, func(obj document, _ time.Time) any {
			kind := child(child(obj, "spec"), "paramKind")
			if kind == nil {
				return "<unset>"
			}
			return text(kind, "apiVersion", "") + "/" + text(kind, "kind", "")
		}}, ageColumn,
	}
}

// eventFields are the fields of Events whose names depend on the group.
type eventFields struct{ object, message, source, component, first, last, count string }

func eventColumns(f eventFields) []Column {
	return []Column{
		{"Last Seen", "string", false, f.lastSeen}, {"Type", "string", false, textCell("", "type")},
		{"Reason", "string", false, textCell("", "reason")}, {"Object", "string", false, f.objectCell},
		{"Subobject", "string", true, textCell("", f.object, "fieldPath")}, {"Source", "string", true, f.sourceCell},
		{"Message", "string", false, func(obj document, _ time.Time) any { return strings.TrimSpace(text(obj, f.message, "")) }},
		{"First Seen", "string", true, f.firstSeen}, {"Count", "string", true, f.countCell}, {"Name", "string", true, textCell("", "metadata", "name")},
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

var definitionColumns = []Column{
	{"Scope", "string", false, textCell("", "spec", "scope")}, {"Versions", "string", false, definitionVersions}, createdAt,
	{"Group", "string", true, textCell("", "spec", "group")}, {"Kind", "string", true, textCell("", "spec", "names", "kind")},
	{"ShortNames", "string", true, textsCell("", "spec", "names", "shortNames")}, {"Established", "boolean", true, definitionEstablished},
}
