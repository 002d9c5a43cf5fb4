package server

import (
	"maps"
	"slices"
	"strconv"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/lib/quantity"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

// This file has what a server does with objects of some built-in kinds after admission, besides defaults: what it fills
// in, and which checks it does (constraints.go and the files whose names end with checks.go). docs/server.md lists both.

// A strategy is what a server does with objects of a kind. Nil functions do nothing. The functions get objects that
// they may modify, except for what is below the first level; old is not modified.
type strategy struct {
	create func(obj map[string]any)      // completes a new object
	update func(obj, old map[string]any) // completes a changed object
	status func(obj, old map[string]any) // completes an object whose status is written
	check  func(c *checks, obj, old map[string]any)

	checkStatus func(c *checks, obj, old map[string]any) // when the status is written
}

// strategies has the kinds for which a server does more than to set defaults, by type.
var strategies = map[string]strategy{
	"core.v1.Pod": {create: createPod, status: keepQuality, check: checkPod, checkStatus: checkPodStatus},
	"core.v1.PodTemplate": {check: func(c *checks, obj, _ map[string]any) {
		c.template(field.NewPath("template"), mapAt(obj, "template"), "")
	}},
	serviceType:                              {create: createService, update: updateService, check: checkService},
	"core.v1.ConfigMap":                      {check: checkConfigMap},
	"core.v1.Secret":                         {check: checkSecret},
	"core.v1.LimitRange":                     {check: checkLimitRange},
	"core.v1.ResourceQuota":                  {check: constrained(quotaConstraints...)},
	"core.v1.Endpoints":                      {check: checkEndpoints},
	"core.v1.Event":                          {check: checkEvent(coreEvent)},
	"core.v1.Node":                           {check: checkNode},
	"discovery.v1.EndpointSlice":             {check: checkEndpointSlice},
	eventsType:                               {check: checkEvent(eventsEvent)},
	"coordination.v1.Lease":                  {check: constrained(leaseConstraints...)},
	"core.v1.PersistentVolumeClaim":          {check: checkClaim},
	"core.v1.PersistentVolume":               {check: checkVolume},
	"core.v1.ReplicationController":          {check: checkController},
	"apps.v1.Deployment":                     {update: updateDeployment, check: checkWorkload},
	"apps.v1.ReplicaSet":                     {check: checkWorkload},
	"apps.v1.StatefulSet":                    {check: checkStatefulSet},
	"apps.v1.DaemonSet":                      {create: createDaemonSet, update: updateDaemonSet, check: checkWorkload},
	"batch.v1.Job":                           {check: checkJob},
	"batch.v1.CronJob":                       {check: checkCronJob},
	"autoscaling.v2.HorizontalPodAutoscaler": {check: checkAutoscaler},
	"networking.v1.Ingress":                  {check: checkIngress},
	"networking.v1.IngressClass":             {check: checkIngressClass},
	"networking.v1.NetworkPolicy":            {check: checkNetworkPolicy},
	"policy.v1.PodDisruptionBudget": {
		check: checkBudget, checkStatus: constrained(budgetStatusConstraints...),
	},
	"storage.v1.StorageClass":     {check: checkStorageClass},
	"rbac.v1.Role":                {check: checkRole},
	"rbac.v1.ClusterRole":         {check: checkRole},
	"rbac.v1.RoleBinding":         {check: checkBinding},
	"rbac.v1.ClusterRoleBinding":  {check: checkBinding},
	"scheduling.v1.PriorityClass": {check: checkPriority},
	"node.v1.RuntimeClass":        {check: checkHandler},
}

const eventsType = "events.v1.Event"

// protections are the finalizers of new objects that may be in use, by type. Controllers remove them once the object is
// deleted and nothing uses it.
var protections = map[string]any{
	"core.v1.PersistentVolumeClaim":    "kubernetes.io/pvc-protection",
	"core.v1.PersistentVolume":         "kubernetes.io/pv-protection",
	"storage.v1.VolumeAttributesClass": "kubernetes.io/vac-protection",
}

// complete completes and checks an object of a built-in kind that is otherwise valid. For a create, stored is nil. A
// write to the status is checked for few kinds, and one to a subresource of a Pod, which changes what it may, is not: see
// partOfPod.
func (q *request) complete(r resource.Result, stored map[string]any) resource.Result {
	s := strategies[q.kind.Type]
	switch {
	case stored == nil && s.create != nil:
		r.Object = maps.Clone(r.Object)
		s.create(r.Object)
	case stored != nil && q.sub == "status" && s.status != nil:
		r.Object = maps.Clone(r.Object)
		s.status(r.Object, stored)
	case stored != nil && q.sub == "" && s.update != nil:
		r.Object = maps.Clone(r.Object)
		s.update(r.Object, stored)
	case stored == nil && protections[q.kind.Type] != nil:
		r.Object = protected(r.Object, protections[q.kind.Type])
	}
	checked := s.check != nil && (q.sub == "" || q.sub == "scale")
	if checked && !(stored != nil && jsonval.Equal(r.Object["spec"], stored["spec"]) && r.Object["spec"] != nil) {
		c := checks{old: stored}
		s.check(&c, r.Object, stored)
		r.Errors = c.errs.Errors()
		if q.kind.Type == eventsType { // to a server it is the kind of the core group
			refusal.SetAbout(&r, refusal.AboutObject("", q.kind.Names.Kind, text(metadata(r.Object), "name")))
		}
		if q.sub == "scale" { // only the replicas can be wrong
			scale := otherKinds["scale"]
			refusal.SetAbout(&r, refusal.AboutObject(scale[0], scale[2], q.name))
		}
	}
	if s.checkStatus != nil && q.sub == "status" {
		c := checks{old: stored}
		s.checkStatus(&c, r.Object, stored)
		r.Errors = c.errs.Errors()
	}
	if stored == nil && q.kind.Type == podType && len(listAt(mapAt(r.Object, "spec"), "schedulingGates")) > 0 {
		r.Object["status"] = withCondition(mapAt(r.Object, "status"), map[string]any{
			"type": "PodScheduled", "status": "False", "reason": "SchedulingGated",
			"message": "Scheduling is blocked due to non-empty scheduling gates",
		}, q.s.timestamp())
	}
	return r
}

// protected returns a copy of an object that has the finalizer, and unprotected one that has not.
func protected(obj map[string]any, finalizer any) map[string]any {
	return withIn(obj, func(meta map[string]any) {
		if list := listAt(meta, "finalizers"); !slices.Contains(list, finalizer) {
			meta["finalizers"] = append(slices.Clip(list), finalizer)
		}
	}, "metadata")
}

func unprotected(obj map[string]any, finalizer any) map[string]any {
	return withIn(obj, func(meta map[string]any) { removeFrom(meta, "finalizers", func(f any) bool { return f == finalizer }) }, "metadata")
}

// identified returns a new object with what a server derives from its name and uid.
func (q *request) identified(obj map[string]any) map[string]any {
	if q.kind.Type != "batch.v1.Job" {
		return obj
	}
	return identifiedJob(obj)
}

func mapAt(obj map[string]any, path ...string) map[string]any {
	for _, name := range path {
		obj, _ = obj[name].(map[string]any)
	}
	return obj
}

func listAt(obj map[string]any, name string) []any {
	list, _ := obj[name].([]any)
	return list
}

// withIn returns a copy of obj in which set may modify the object at a path, which it adds if it is missing. It does
// not modify obj.
func withIn(obj map[string]any, set func(m map[string]any), path ...string) map[string]any {
	out := maps.Clone(obj)
	if out == nil {
		out = map[string]any{}
	}
	if len(path) == 0 {
		set(out)
		return out
	}
	inner, _ := obj[path[0]].(map[string]any)
	out[path[0]] = withIn(inner, set, path[1:]...)
	return out
}

// The labels with which a Job selects its Pods, in their current and in their old form.
const (
	jobPrefix     = "batch.kubernetes.io/"
	controllerUID = "controller-uid"
	jobName       = "job-name"
)

// identifiedJob returns a new Job with the selector and the labels that a server makes, unless the Job has its own.
func identifiedJob(obj map[string]any) map[string]any {
	spec := mapAt(obj, "spec")
	if spec == nil || spec["manualSelector"] == true {
		return obj
	}
	name, uid := text(metadata(obj), "name"), text(metadata(obj), "uid")
	obj = withIn(obj, func(labels map[string]any) {
		for label, v := range map[string]string{controllerUID: uid, jobName: name} {
			for _, prefix := range []string{"", jobPrefix} {
				if _, has := labels[prefix+label]; !has {
					labels[prefix+label] = v
				}
			}
		}
	}, "spec", "template", "metadata", "labels")
	if spec["selector"] == nil {
		obj = withIn(obj, func(labels map[string]any) { labels[jobPrefix+controllerUID] = uid }, "spec", "selector", "matchLabels")
	}
	if len(mapAt(obj, "metadata", "labels")) > 0 {
		return obj
	}
	labels := maps.Clone(mapAt(obj, "spec", "template", "metadata", "labels")) // they are the default
	return withIn(obj, func(meta map[string]any) { meta["labels"] = labels }, "metadata")
}

// templateGeneration is an annotation of DaemonSets, which counts the changes of their template.
const templateGeneration = "deprecated.daemonset.template.generation"

func createDaemonSet(obj map[string]any) { setTemplateGeneration(obj, 1) }

func updateDaemonSet(obj, old map[string]any) {
	n, _ := strconv.Atoi(text(mapAt(old, "metadata", "annotations"), templateGeneration))
	if !jsonval.Equal(mapAt(obj, "spec")["template"], mapAt(old, "spec")["template"]) {
		n++
	}
	setTemplateGeneration(obj, n)
}

func setTemplateGeneration(obj map[string]any, n int) {
	changed := withIn(obj, func(annotations map[string]any) { annotations[templateGeneration] = strconv.Itoa(n) }, "metadata", "annotations")
	obj["metadata"] = changed["metadata"]
}

// updateDeployment counts changes of annotations as generations, too.
func updateDeployment(obj, old map[string]any) {
	meta, before := metadata(obj), metadata(old)
	was, _ := before["generation"].(int64)
	if meta["generation"] == was && !jsonval.Equal(meta["annotations"], before["annotations"]) {
		meta = maps.Clone(meta)
		meta["generation"] = was + 1
		obj["metadata"] = meta
	}
}

// createPod sets the quality of service of a new Pod.
func createPod(obj map[string]any) {
	status := unstructured.Clone(mapAt(obj, "status"))
	status["qosClass"] = serviceQuality(mapAt(obj, "spec"))
	obj["status"] = status
}

// keepQuality keeps the quality of service of a Pod in a status without one.
func keepQuality(obj, old map[string]any) {
	was, status := mapAt(old, "status")["qosClass"], maps.Clone(mapAt(obj, "status"))
	if was == nil || status["qosClass"] != nil {
		return
	}
	if status == nil {
		status = map[string]any{}
	}
	status["qosClass"] = was
	obj["status"] = status
}

// serviceQuality returns the quality of service of a Pod: Guaranteed if all containers have equal limits and requests
// of CPU and memory, BestEffort if none has any, Burstable otherwise.
func serviceQuality(spec map[string]any) string {
	guaranteed, some := true, false
	for _, list := range []string{"initContainers", "containers"} {
		for _, c := range listAt(spec, list) {
			container, _ := c.(map[string]any)
			requests, limits := mapAt(container, "resources", "requests"), mapAt(container, "resources", "limits")
			for _, name := range []string{"cpu", "memory"} {
				request, limit := amount(requests[name]), amount(limits[name])
				some = some || request.Sign() > 0 || limit.Sign() > 0
				guaranteed = guaranteed && limit.Sign() > 0 && request.Equal(limit)
			}
		}
	}
	switch {
	case !some:
		return "BestEffort"
	case guaranteed:
		return "Guaranteed"
	}
	return "Burstable"
}

// amount returns a quantity: zero if there is none.
func amount(v any) quantity.Quantity {
	s, _ := v.(string)
	q, _ := quantity.Parse(s)
	return q
}
