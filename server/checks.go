package server

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/server/internal/hooks"
)

// This file has the checks of built-in kinds on which controllers and their tests rely: required fields, fields that do
// not change, and the labels that a selector must select. A server checks much more.

// checks collects the errors of an object, up to the default limit.
type checks struct {
	errs   refusal.List
	old    map[string]any // the object before an update, or nil
	claims []any          // of a StatefulSet: each has a volume with its name
}

func (c *checks) add(e *field.Error) { c.errs.Add(e) }

// required reports a missing or empty text, list or object.
func (c *checks) required(at *field.Path, v any, detail string) bool {
	switch x := v.(type) {
	case nil:
	case string:
		if x != "" {
			return true
		}
	case []any:
		if len(x) > 0 {
			return true
		}
	case map[string]any:
		if len(x) > 0 {
			return true
		}
	default:
		return true
	}
	c.add(field.Required(at, detail))
	return false
}

// present reports the messages of about a text that may be missing, but not empty.
func (c *checks) present(at *field.Path, v any, about func(string) []string) {
	s, has := v.(string)
	if !has {
		return
	}
	for _, message := range about(s) {
		c.add(field.Invalid(at, s, message))
	}
}

const immutable = "field is immutable"

// unchanged reports a field of m that differs from that of old.
func (c *checks) unchanged(at *field.Path, m, old map[string]any, names ...string) {
	for _, name := range names {
		if !jsonval.Equal(m[name], old[name]) {
			c.add(field.Invalid(at.Child(name), m[name], immutable))
		}
	}
}

// notNegative reports negative numbers.
func (c *checks) notNegative(at *field.Path, m map[string]any, names ...string) {
	for _, name := range names {
		if n, ok := m[name].(int64); ok && n < 0 {
			c.add(field.Invalid(at.Child(name), n, "must be greater than or equal to 0"))
		}
	}
}

var specPath = field.NewPath("spec")

// below returns the path of a field of a field of the value at a path.
func below(at *field.Path, names ...string) *field.Path {
	for _, name := range names {
		at = at.Child(name)
	}
	return at
}

// template checks a Pod template. restart is the only restartPolicy that is allowed; empty: any.
func (c *checks) template(at *field.Path, template map[string]any, restart string) {
	c.descend(at.Child("labels"), mapAt(template, "metadata")["labels"], "", labels)
	c.descend(at.Child("annotations"), mapAt(template, "metadata")["annotations"], "", annotations)
	spec := mapAt(template, "spec")
	c.pod(at.Child("spec"), spec)
	if policy := text(spec, "restartPolicy"); restart != "" && policy != restart {
		c.add(field.NotSupported(below(at, "spec", "restartPolicy"), policy, restart))
	}
}

// pod checks the spec of a Pod.
func (c *checks) pod(at *field.Path, spec map[string]any) {
	c.volumes(at, spec)
	used := map[string]bool{}
	if c.required(at.Child("containers"), spec["containers"], "") {
		c.containers(at.Child("containers"), listAt(spec, "containers"), used)
	}
	c.containers(at.Child("initContainers"), listAt(spec, "initContainers"), used)
	c.constrain(at, spec, podConstraints)
}

// containers checks the names of containers and their images. names has those before, to which it adds these.
func (c *checks) containers(at *field.Path, list []any, names map[string]bool) {
	for i, v := range list {
		container, _ := v.(map[string]any)
		at, name := at.Index(i), text(container, "name")
		if c.required(at.Child("name"), name, "") {
			named(format.DNS1123Label)(c, at.Child("name"), name)
		}
		if image := text(container, "image"); c.required(at.Child("image"), image, "") && strings.TrimSpace(image) != image {
			c.add(field.Invalid(at.Child("image"), image, "must not have leading or trailing whitespace"))
		}
		if name != "" && names[name] {
			c.add(field.Duplicate(at.Child("name"), name))
		}
		names[name] = true
	}
}

func checkPod(c *checks, obj, old map[string]any) {
	spec := mapAt(obj, "spec")
	if old == nil {
		c.pod(specPath, spec)
		c.descend(specPath, spec, "hostname", named(format.DNS1123Label))
		return
	}
	for _, name := range []string{"containers", "initContainers"} {
		if len(listAt(spec, name)) != len(listAt(mapAt(old, "spec"), name)) {
			c.add(field.Forbidden(specPath.Child(name), "pod updates may not add or remove containers"))
			return
		}
	}
	// Of a Pod, only some fields may change.
	gated := len(listAt(mapAt(old, "spec"), "schedulingGates")) > 0
	kept, was := mutablePod(spec, gated), mutablePod(mapAt(old, "spec"), gated)
	if !jsonval.Equal(kept, was) {
		c.add(field.Forbidden(specPath, "pod updates may not change fields other than `spec.containers[*].image`,"+
			"`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"+
			"`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"))
	}
}

func checkPodStatus(c *checks, obj, old map[string]any) {
	const name = "nominatedNodeName"
	is, was := text(mapAt(obj, "status"), name), text(mapAt(old, "status"), name)
	if is != "" && is != was && text(mapAt(obj, "spec"), "nodeName") != "" {
		c.add(field.Forbidden(field.NewPath("status", name), "may not be set on pods that are already bound to a node"))
	}
}

// mutablePod returns a Pod's spec without the fields that an update may change: of a Pod with scheduling gates, also
// where it runs.
func mutablePod(spec map[string]any, gated bool) map[string]any {
	out := map[string]any{}
	for name, v := range spec {
		switch name {
		case "activeDeadlineSeconds", "tolerations", "schedulingGates", "terminationGracePeriodSeconds":
		case "nodeSelector", "affinity":
			if !gated {
				out[name] = v
			}
		case "containers", "initContainers":
			var list []any
			for _, e := range listAt(spec, name) {
				container, _ := e.(map[string]any)
				rest := map[string]any{}
				for k, x := range container {
					if k != "image" {
						rest[k] = x
					}
				}
				list = append(list, rest)
			}
			out[name] = list
		default:
			out[name] = v
		}
	}
	return out
}

func checkService(c *checks, obj, old map[string]any) {
	spec := mapAt(obj, "spec")
	typ := text(spec, "type")
	headless := spec["clusterIP"] == "None"
	if ips := listAt(spec, "clusterIPs"); len(ips) > 0 {
		headless = len(ips) == 1 && ips[0] == "None"
	}
	if !headless && typ != externalName && spec != nil {
		c.required(specPath.Child("ports"), spec["ports"], "")
	}
	if typ == externalName {
		c.required(specPath.Child("externalName"), spec["externalName"], "")
	}
	named := len(listAt(spec, "ports")) > 1
	names, nodePorts := map[string]bool{}, map[[2]any]bool{}
	for i, v := range listAt(spec, "ports") {
		port, _ := v.(map[string]any)
		at := specPath.Child("ports").Index(i)
		if n := port["nodePort"]; n != nil {
			key := [2]any{port["protocol"], n}
			if nodePorts[key] {
				c.add(field.Duplicate(at.Child("nodePort"), n))
			}
			nodePorts[key] = true
		}
		name := text(port, "name")
		if named && c.required(at.Child("name"), name, "") && names[name] {
			c.add(field.Duplicate(at.Child("name"), name))
		}
		names[name] = true
		if n, _ := port["port"].(int64); n < 1 || n > 65535 {
			c.add(field.Invalid(at.Child("port"), n, "must be between 1 and 65535, inclusive"))
		}
	}
	c.constrain(nil, obj, serviceConstraints)
	c.addresses(spec, mapAt(old, "spec"))
}

// addresses checks the addresses of a Service.
func (c *checks) addresses(spec, old map[string]any) {
	at, list := specPath.Child("clusterIPs"), listAt(spec, "clusterIPs")
	external := text(spec, "type") == externalName
	switch was := listAt(old, "clusterIPs"); {
	case len(list) == 0:
	case external:
		c.add(field.Forbidden(at, "may not be set for ExternalName services"))
	case list[0] != spec["clusterIP"]:
		c.add(field.Invalid(at, list, "first value must match `clusterIP`"))
	case !isAddress(list[0]):
		c.add(field.Invalid(at.Index(0), list[0], badAddress))
	case len(was) > 0 && text(old, "type") != externalName && list[0] != was[0]:
		c.add(field.Invalid(at.Index(0), list, "may not change once set"))
	}
}

// isAddress reports whether v is the address of a Service, or says that it has none.
func isAddress(v any) bool {
	s, _ := v.(string)
	_, err := netip.ParseAddr(s)
	return err == nil || s == headless
}

// checkImmutable checks an object that may say that some of its fields do not change.
func checkImmutable(names ...string) func(c *checks, obj, old map[string]any) {
	return func(c *checks, obj, old map[string]any) {
		if old["immutable"] != true {
			return
		}
		const why = "field is immutable when `immutable` is set"
		if obj["immutable"] != true {
			c.add(field.Forbidden(field.NewPath("immutable"), why))
		}
		for _, name := range names {
			if !jsonval.Equal(obj[name], old[name]) {
				c.add(field.Forbidden(field.NewPath(name), why))
			}
		}
	}
}

func checkPriority(c *checks, obj, old map[string]any) {
	if old == nil {
		name := text(metadata(obj), "name")
		if n, _ := obj["value"].(int64); n > maxPriority && !strings.HasPrefix(name, systemPriority) {
			c.add(field.Forbidden(field.NewPath("value"), fmt.Sprintf("maximum allowed value of a user defined priority is %d", maxPriority)))
		}
		if strings.HasPrefix(name, systemPriority) {
			c.add(field.Forbidden(field.NewPath("metadata", "name"),
				"priority class names with 'system-' prefix are reserved for system use only. error: "+name+" is not a known system priority class"))
		}
		c.constrain(nil, obj, priorityConstraints)
		return
	}
	if !jsonval.Equal(obj["value"], old["value"]) {
		c.add(field.Forbidden(field.NewPath("value"), "may not be changed in an update."))
	}
	c.unchanged(nil, obj, old, "preemptionPolicy")
}

// The priorities of the system's own classes, which it creates itself, are above those of others.
const (
	maxPriority    = 1_000_000_000
	systemPriority = "system-"
)

// handlerName returns the messages about the name of a handler, of which that about the length is about bytes.
func handlerName(s string) []string {
	messages := format.DNS1123Label(s)
	if len(s) > format.MaxLabel {
		messages[0] = "must be no more than 63 bytes"
	}
	return messages
}

func checkHandler(c *checks, obj, old map[string]any) {
	c.required(field.NewPath("handler"), obj["handler"], "")
	if old == nil {
		named(handlerName)(c, field.NewPath("handler"), obj["handler"])
	}
	if old != nil && !jsonval.Equal(obj["handler"], old["handler"]) {
		c.add(field.Invalid(field.NewPath("handler"), nil, immutable))
	}
}

func checkClaim(c *checks, obj, old map[string]any) {
	spec := mapAt(obj, "spec")
	if old == nil {
		c.constrain(nil, obj, claimConstraints)
		c.required(specPath.Child("accessModes"), spec["accessModes"], "at least 1 access mode is required")
		c.required(specPath.Child("resources").Key("storage"), mapAt(spec, "resources", "requests")["storage"], "")
		return
	}
	// A bound claim may grow. A claim without a storage class gets one later.
	classless := mapAt(old, "spec")["storageClassName"] == nil
	fixed := func(spec map[string]any) map[string]any {
		out := map[string]any{}
		for name, v := range spec {
			if name != "resources" && name != "volumeAttributesClassName" && name != "volumeName" && (name != "storageClassName" || !classless) {
				out[name] = v
			}
		}
		return out
	}
	if !jsonval.Equal(fixed(spec), fixed(mapAt(old, "spec"))) {
		c.add(field.Forbidden(specPath,
			"spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"))
	}
}

func checkController(c *checks, obj, _ map[string]any) {
	spec := mapAt(obj, "spec")
	at, selector := specPath.Child("template"), mapAt(spec, "selector")
	c.required(specPath.Child("selector"), spec["selector"], "")
	if template, has := spec["template"].(map[string]any); has {
		labels := mapAt(template, "metadata", "labels")
		if len(selector) > 0 && !selects(map[string]any{"matchLabels": selector}, labels) {
			c.add(field.Invalid(below(at, "metadata", "labels"), anyMap(labels), "`selector` does not match template `labels`"))
		}
		c.template(at, template, "Always")
	} else {
		c.add(field.Required(at, ""))
	}
	c.notNegative(specPath, spec, "replicas", "minReadySeconds")
}

// checkWorkload checks an object with a selector and a template.
func checkWorkload(c *checks, obj, old map[string]any) {
	spec, kind := mapAt(obj, "spec"), text(obj, "kind")
	c.notNegative(specPath, spec, "replicas", "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds")
	c.constrain(nil, obj, workloadConstraints[kind])
	if kind == "StatefulSet" {
		c.claims = listAt(spec, "volumeClaimTemplates")
	}
	if c.selector(spec, kind) || kind == "DaemonSet" {
		c.template(specPath.Child("template"), mapAt(spec, "template"), "Always")
	}
	if old != nil {
		c.unchanged(specPath, spec, mapAt(old, "spec"), "selector")
	}
}

// selector checks the selector of a workload, and reports whether it is one. No selector selects nothing.
func (c *checks) selector(spec map[string]any, kind string) bool {
	at, selector := specPath.Child("selector"), mapAt(spec, "selector")
	if selector == nil && kind != "DaemonSet" {
		c.add(field.Required(at, ""))
	}
	invalid := hooks.CheckSelector(selector, at)
	c.errs.Append(invalid...)
	if selector != nil && len(selector) == 0 {
		c.add(field.Invalid(at, selector, "empty selector is invalid for "+workloads[kind]))
	}
	switch labels := mapAt(spec, "template", "metadata", "labels"); {
	case len(invalid) > 0 && kind == "StatefulSet":
		c.add(field.Invalid(at, selector, ""))
	case len(invalid) > 0 && kind != "DaemonSet":
		value := struct { // in a server's order
			MatchLabels      any `json:"matchLabels,omitempty"`
			MatchExpressions any `json:"matchExpressions,omitempty"`
		}{selector["matchLabels"], selector["matchExpressions"]}
		c.add(field.Invalid(at, value, "invalid label selector"))
	case len(invalid) == 0 && (selector == nil || !selects(selector, labels)):
		c.add(field.Invalid(below(specPath, "template", "metadata", "labels"), anyMap(labels), "`selector` does not match template `labels`"))
	}
	return len(invalid) == 0
}

// anyMap returns m, or nil for no map.
func anyMap(m map[string]any) any {
	if m == nil {
		return nil
	}
	return m
}

var workloadConstraints = map[string][]constraint{
	"Deployment": deploymentConstraints, "StatefulSet": statefulSetConstraints, "DaemonSet": daemonSetConstraints,
}

// workloads are the names of kinds in errors.
var workloads = map[string]string{
	"Deployment": "deployment", "ReplicaSet": "deployment", "StatefulSet": "statefulset", "DaemonSet": "daemonset",
}

// selects reports whether a label selector matches labels. Values that are not strings are no labels.
func selects(selector, labels map[string]any) bool {
	for name, v := range mapAt(selector, "matchLabels") {
		want, isText := v.(string)
		if label, has := labels[name].(string); !isText || !has || label != want {
			return false
		}
	}
	for _, e := range listAt(selector, "matchExpressions") {
		expression, _ := e.(map[string]any)
		label, has := labels[text(expression, "key")].(string)
		in := has && slices.ContainsFunc(listAt(expression, "values"), func(v any) bool { return v == any(label) })
		switch expression["operator"] {
		case "In":
			if !in {
				return false
			}
		case "NotIn":
			if in {
				return false
			}
		case "Exists":
			if !has {
				return false
			}
		case "DoesNotExist":
			if has {
				return false
			}
		}
	}
	return true
}

func checkStatefulSet(c *checks, obj, old map[string]any) {
	checkWorkload(c, obj, old)
	if old != nil {
		c.unchanged(specPath, mapAt(obj, "spec"), mapAt(old, "spec"), "volumeClaimTemplates", "serviceName", "podManagementPolicy")
	}
}

func checkJob(c *checks, obj, old map[string]any) {
	spec := mapAt(obj, "spec")
	c.job(specPath, spec)
	if old == nil {
		return
	}
	was := mapAt(old, "spec")
	c.unchanged(specPath, spec, was, "selector")
	c.jobTemplate(mapAt(spec, "template"), mapAt(was, "template"), mayChangeTemplate(old))
	c.unchanged(specPath, spec, was, "completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy")
	switch {
	case text(spec, "completionMode") != "Indexed":
		c.unchanged(specPath, spec, was, "completions")
	case spec["completions"] != nil && !jsonval.Equal(spec["completions"], was["completions"]) && !jsonval.Equal(spec["completions"], spec["parallelism"]):
		c.add(field.Invalid(specPath.Child("completions"), spec["completions"], "can only be modified in tandem with spec.parallelism"))
	}
}

// mayChangeTemplate reports whether a stored Job is suspended, has no Pods, and has not started or says that it is
// suspended. Then it may be scheduled in another way, and its containers may get other resources.
func mayChangeTemplate(job map[string]any) bool {
	status := mapAt(job, "status")
	suspendedCondition := slices.ContainsFunc(listAt(status, "conditions"), func(v any) bool {
		condition, _ := v.(map[string]any)
		return text(condition, "type") == "Suspended" && text(condition, "status") == "True"
	})
	active, _ := status["active"].(int64)
	return mapAt(job, "spec")["suspend"] == true && (status["startTime"] == nil || suspendedCondition) && active == 0
}

// jobTemplate reports a change of a Job's template. If mayChange, it reports only changes of the parts in fixedParts.
func (c *checks) jobTemplate(is, was map[string]any, mayChange bool) {
	at := specPath.Child("template")
	if !mayChange {
		if !jsonval.Equal(is, was) {
			c.add(field.Invalid(at, is, immutable))
		}
		return
	}
	if pod := mapAt(is, "spec"); !jsonval.Equal(fixedParts(pod), fixedParts(mapAt(was, "spec"))) {
		c.add(field.Invalid(at.Child("spec"), pod, immutable))
	}
}

// fixedParts returns the spec of a Pod without the parts that may change in a suspended Job.
func fixedParts(pod map[string]any) map[string]any {
	return withIn(pod, func(spec map[string]any) {
		for _, name := range []string{"nodeSelector", "tolerations", "schedulingGates"} {
			delete(spec, name)
		}
		affinity := withIn(mapAt(spec, "affinity"), func(m map[string]any) { delete(m, "nodeAffinity") })
		if spec["affinity"] = affinity; len(affinity) == 0 {
			delete(spec, "affinity")
		}
		for _, list := range []string{"containers", "initContainers"} {
			if spec[list] == nil {
				continue
			}
			var containers []any
			for _, v := range listAt(spec, list) {
				container, _ := v.(map[string]any)
				containers = append(containers, withIn(container, func(m map[string]any) { delete(m, "resources") }))
			}
			spec[list] = containers
		}
	})
}

// job checks the spec of a Job.
func (c *checks) job(at *field.Path, spec map[string]any) {
	c.notNegative(at, spec, "parallelism", "completions", "backoffLimit", "ttlSecondsAfterFinished", "activeDeadlineSeconds")
	c.constrain(at, spec, jobConstraints)
	if text(spec, "completionMode") == "Indexed" {
		c.required(at.Child("completions"), spec["completions"], "when completion mode is Indexed")
	}
	template := mapAt(spec, "template")
	c.template(at.Child("template"), template, "")
	policyAt, policy := below(at, "template", "spec", "restartPolicy"), text(mapAt(template, "spec"), "restartPolicy")
	switch policy {
	case "", "Always":
		c.add(field.Required(policyAt, `valid values: "OnFailure", "Never"`))
	case "OnFailure", "Never":
	default:
		c.add(field.NotSupported(policyAt, policy, "OnFailure", "Never"))
	}
}

func checkCronJob(c *checks, obj, _ map[string]any) {
	spec := mapAt(obj, "spec")
	c.required(specPath.Child("schedule"), spec["schedule"], "")
	c.constrain(nil, obj, cronJobConstraints)
	c.job(below(specPath, "jobTemplate", "spec"), mapAt(spec, "jobTemplate", "spec"))
	c.notNegative(specPath, spec, "startingDeadlineSeconds", "successfulJobsHistoryLimit", "failedJobsHistoryLimit")
}
