package catalog

import (
	"encoding/base64"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// conditional has the defaults that depend on other fields, by type. The functions run before constant defaults are set
// and before the values of fields are completed, and modify the object. Empty fields are missing.
var conditional = map[string]func(m map[string]any){
	"core.v1.Pod":                                    defaultPod,
	"core.v1.PodSpec":                                defaultPodSpec,
	"core.v1.Container":                              defaultPullPolicy("image", "imagePullPolicy"),
	"core.v1.EphemeralContainerCommon":               defaultPullPolicy("image", "imagePullPolicy"),
	"core.v1.ImageVolumeSource":                      defaultPullPolicy("reference", "pullPolicy"),
	"core.v1.PersistentVolume":                       defaultPersistentVolume,
	"core.v1.NodeSpec":                               defaultNodeSpec,
	"core.v1.PodStatus":                              defaultPodIPs,
	"core.v1.Secret":                                 encodeStringData,
	"core.v1.Volume":                                 defaultVolume,
	"core.v1.Service":                                defaultService,
	"core.v1.ServicePort":                            defaultServicePort,
	"core.v1.ReplicationController":                  defaultReplicationController,
	"core.v1.LimitRangeItem":                         defaultLimits,
	"core.v1.NodeStatus":                             func(m map[string]any) { inherit(m, "allocatable", m["capacity"]) },
	"apps.v1.DeploymentStrategy":                     defaultRollingUpdate(document{"maxUnavailable": "25%", "maxSurge": "25%"}),
	"apps.v1.DaemonSetUpdateStrategy":                defaultRollingUpdate(document{"maxUnavailable": int64(1), "maxSurge": int64(0)}),
	"apps.v1.StatefulSetUpdateStrategy":              defaultStatefulUpdate,
	"apps.v1.StatefulSetSpec":                        defaultClaimTemplates,
	"batch.v1.Job":                                   defaultJob,
	"autoscaling.v2.HorizontalPodAutoscalerBehavior": defaultScaling,
	"networking.v1.NetworkPolicySpec":                defaultPolicyTypes,
	"rbac.v1.Subject":                                defaultSubject,
	"resource.v1.ExactDeviceRequest":                 defaultDeviceCount,
	"resource.v1.DeviceSubRequest":                   defaultDeviceCount,
}

// inherit sets a missing field to a copy of a value, unless that is nil.
func inherit(m document, name string, v any) {
	if _, has := m[name]; !has && v != nil {
		m[name] = jsonval.Clone(v)
	}
}

// child returns the object in a field. It is nil if the field is missing or no object.
func child(m document, name string) document {
	v, _ := m[name].(document)
	return v
}

// made is child, and adds a missing object.
func made(m document, name string) document {
	if _, has := m[name]; !has {
		m[name] = document{}
	}
	return child(m, name)
}

// children returns the objects in a list.
func children(m document, name string) (out []document) {
	list, _ := m[name].([]any)
	for _, v := range list {
		if o, ok := v.(document); ok {
			out = append(out, o)
		}
	}
	return out
}

// text returns the string in a field, or other if the field is missing.
func text(m document, name, other string) string {
	if s, ok := m[name].(string); ok && s != "" {
		return s
	}
	return other
}

// defaultPod sets what only Pods get, not their templates. It gives containers requests from their limits, and ports on
// the host's network the same port there.
func defaultPod(m document) {
	spec := child(m, "spec")
	if spec != nil {
		inherit(spec, "enableServiceLinks", true)
	}
	for _, list := range []string{"containers", "initContainers"} {
		for _, c := range children(spec, list) {
			if limits := child(child(c, "resources"), "limits"); len(limits) > 0 {
				requests := made(child(c, "resources"), "requests")
				for name, v := range limits {
					if requests != nil {
						inherit(requests, name, v)
					}
				}
			}
			if spec["hostNetwork"] != true {
				continue
			}
			for _, port := range children(c, "ports") {
				if v := port["hostPort"]; v == nil || isEmpty(v) {
					delete(port, "hostPort")
					inherit(port, "hostPort", port["containerPort"])
				}
			}
		}
	}
}

// defaultPodSpec sets the two names of the service account's field.
func defaultPodSpec(m document) {
	inherit(m, "serviceAccountName", m["serviceAccount"])
	if v, has := m["serviceAccountName"]; has {
		m["serviceAccount"] = v
	}
}

func defaultPullPolicy(image, policy string) func(m document) {
	return func(m document) {
		if isLatest(text(m, image, "")) {
			inherit(m, policy, "Always")
		} else {
			inherit(m, policy, "IfNotPresent")
		}
	}
}

// defaultPersistentVolume sets the defaults of volumes. A volume inside another object has none.
func defaultPersistentVolume(m document) {
	if spec := child(m, "spec"); spec != nil {
		inherit(spec, "persistentVolumeReclaimPolicy", "Retain")
		inherit(spec, "volumeMode", "Filesystem")
	}
}

// defaultPodIPs makes the address of a Pod the first one in its list.
func defaultPodIPs(m document) {
	ip, ips := text(m, "podIP", ""), children(m, "podIPs")
	switch {
	case ip != "" && (len(ips) == 0 || text(ips[0], "ip", "") != ip):
		m["podIPs"] = []any{document{"ip": ip}}
	case ip == "" && len(ips) > 0 && text(ips[0], "ip", "") != "":
		inherit(m, "podIP", ips[0]["ip"])
	}
}

// defaultNodeSpec makes the addresses for a node's Pods the first ones in their list.
func defaultNodeSpec(m document) {
	one := text(m, "podCIDR", "")
	list, _ := m["podCIDRs"].([]any)
	switch {
	case one != "" && (len(list) == 0 || list[0] != one):
		m["podCIDRs"] = []any{one}
	case one == "" && len(list) > 0 && list[0] != "":
		inherit(m, "podCIDR", list[0])
	}
}

// defaultVolume makes a volume without a source an empty directory.
func defaultVolume(m document) {
	for name := range m {
		if name != "name" {
			return
		}
	}
	m["emptyDir"] = document{}
}

func defaultService(m document) {
	spec := child(m, "spec")
	if spec == nil {
		return
	}
	typ := text(spec, "type", "ClusterIP")
	switch text(spec, "sessionAffinity", "None") {
	case "None":
		delete(spec, "sessionAffinityConfig")
	case "ClientIP":
		if child(child(spec, "sessionAffinityConfig"), "clientIP")["timeoutSeconds"] == nil {
			spec["sessionAffinityConfig"] = document{"clientIP": document{"timeoutSeconds": int64(10800)}}
		}
	}
	balanced := typ == "LoadBalancer"
	if ips, _ := spec["externalIPs"].([]any); balanced || typ == "NodePort" || typ == "ClusterIP" && len(ips) > 0 {
		if text(spec, "externalTrafficPolicy", "") == "" {
			spec["externalTrafficPolicy"] = "Cluster"
		}
	}
	if balanced || typ == "NodePort" || typ == "ClusterIP" {
		inherit(spec, "internalTrafficPolicy", "Cluster")
	}
	if balanced {
		inherit(spec, "allocateLoadBalancerNodePorts", true)
		for _, ingress := range children(child(child(m, "status"), "loadBalancer"), "ingress") {
			if text(ingress, "ip", "") != "" {
				inherit(ingress, "ipMode", "VIP")
			}
		}
	}
}

func defaultServicePort(m document) {
	if isEmpty(m["targetPort"]) || m["targetPort"] == nil {
		delete(m, "targetPort")
		inherit(m, "targetPort", m["port"])
	}
}

// inheritLabels gives an object without labels those of its template.
func inheritLabels(m document, labels document) {
	meta := child(m, "metadata")
	if meta == nil || len(labels) == 0 || len(child(meta, "labels")) > 0 {
		return
	}
	meta["labels"] = jsonval.Clone(labels)
}

func templateLabels(spec document) document {
	return child(child(child(spec, "template"), "metadata"), "labels")
}

func defaultReplicationController(m document) {
	spec := child(m, "spec")
	if labels := templateLabels(spec); len(labels) > 0 {
		if len(child(spec, "selector")) == 0 {
			spec["selector"] = jsonval.Clone(labels)
		}
		inheritLabels(m, labels)
	}
}

// defaultLimits derives the defaults of a container's limits and requests from the other limits.
func defaultLimits(m document) {
	if m["type"] != "Container" {
		return
	}
	derive := func(name, from string) {
		for resource, v := range child(m, from) {
			if to := made(m, name); to != nil {
				inherit(to, resource, v)
			}
		}
	}
	derive("default", "max")
	derive("defaultRequest", "default")
	derive("defaultRequest", "min")
}

// defaultRollingUpdate sets the parameters of a rolling update, which is the default strategy.
func defaultRollingUpdate(parameters document) func(m document) {
	return func(m document) {
		if text(m, "type", "RollingUpdate") != "RollingUpdate" {
			if update := child(m, "rollingUpdate"); update != nil { // has no use
				for name := range parameters {
					inherit(update, name, int64(0))
				}
			}
			return
		}
		if update := made(m, "rollingUpdate"); update != nil {
			for name, v := range parameters {
				inherit(update, name, v)
			}
		}
	}
}

// defaultStatefulUpdate is the rolling update of a StatefulSet, whose parameters are set only if it has some or no type.
func defaultStatefulUpdate(m document) {
	if text(m, "type", "") == "" {
		made(m, "rollingUpdate")
	}
	if update := child(m, "rollingUpdate"); update != nil {
		inherit(update, "partition", int64(0))
		if text(m, "type", "RollingUpdate") == "RollingUpdate" {
			inherit(update, "maxUnavailable", int64(1))
		}
	}
}

// defaultClaimTemplates sets the type of the templates, which a server sets in each answer.
func defaultClaimTemplates(m document) {
	for _, claim := range children(m, "volumeClaimTemplates") {
		claim["apiVersion"], claim["kind"] = "v1", "PersistentVolumeClaim"
	}
}

// defaultJob sets the defaults of Jobs. The templates of CronJobs have none.
func defaultJob(m document) {
	spec := child(m, "spec")
	if spec == nil {
		return
	}
	if spec["completions"] == nil && spec["parallelism"] == nil {
		spec["completions"] = int64(1)
	}
	inherit(spec, "parallelism", int64(1))
	inherit(spec, "completionMode", "NonIndexed")
	inherit(spec, "suspend", false)
	inherit(spec, "manualSelector", false)
	if spec["backoffLimitPerIndex"] != nil {
		inherit(spec, "backoffLimit", int64(1<<31-1))
	} else {
		inherit(spec, "backoffLimit", int64(6))
	}
	if spec["podFailurePolicy"] != nil {
		inherit(spec, "podReplacementPolicy", "Failed")
	} else {
		inherit(spec, "podReplacementPolicy", "TerminatingOrFailed")
	}
	inheritLabels(m, templateLabels(spec))
}

// defaultScaling completes the rules in the behaviour of an autoscaler.
func defaultScaling(m document) {
	policy := func(kind string, value int64) any {
		return document{"type": kind, "value": value, "periodSeconds": int64(15)}
	}
	complete := func(name string, rules document) {
		to := made(m, name)
		if to == nil {
			return
		}
		for k, v := range rules {
			inherit(to, k, v)
		}
	}
	complete("scaleUp", document{"stabilizationWindowSeconds": int64(0), "selectPolicy": "Max", "policies": []any{policy("Pods", 4), policy("Percent", 100)}})
	complete("scaleDown", document{"selectPolicy": "Max", "policies": []any{policy("Percent", 100)}})
}

func defaultPolicyTypes(m document) {
	if m["policyTypes"] != nil {
		return
	}
	types := []any{"Ingress"}
	if m["egress"] != nil {
		types = append(types, "Egress")
	}
	m["policyTypes"] = types
}

func defaultSubject(m document) {
	if kind := m["kind"]; kind == "User" || kind == "Group" {
		inherit(m, "apiGroup", "rbac.authorization.k8s.io")
	}
}

// defaultDeviceCount asks for one device, unless all are wanted.
func defaultDeviceCount(m document) {
	if text(m, "allocationMode", "ExactCount") == "ExactCount" {
		inherit(m, "count", int64(1))
	}
}

// encodeStringData moves the stringData of a Secret to its data.
func encodeStringData(obj document) {
	stringData, ok := obj["stringData"].(document)
	if !ok {
		return
	}
	data, ok := obj["data"].(document)
	if !ok {
		if obj["data"] != nil {
			return // the schema refuses it
		}
		data = document{}
	}
	for k, v := range stringData {
		s, ok := v.(string)
		if !ok {
			return
		}
		data[k] = base64.StdEncoding.EncodeToString([]byte(s))
	}
	obj["data"] = data
	delete(obj, "stringData")
}
