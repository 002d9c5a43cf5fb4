package server

import (
	"fmt"
	"maps"
	"net/http"

	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/server/internal/hooks"
	"github.com/crdkit/crdkit/unstructured"
)

// This file answers evictions of Pods. They are deletions that a PodDisruptionBudget must allow. Nothing here computes
// the status of budgets: a controller, or a test, writes it.

// evict answers POST of an Eviction.
func (q *request) evict(o writing, obj map[string]any) *field.Status {
	options, _ := obj["deleteOptions"].(map[string]any)
	sent := new(deleteOptions)
	if err := unstructured.ToStruct(options, sent); err != nil {
		return refusal.BadRequest(err.Error())
	}
	d, errs := sent.deletion()
	if len(errs) > 0 {
		return invalidOptions("DeleteOptions", errs...)
	}
	if d.unsafe {
		at := field.NewPath("deleteOptions", "ignoreStoreReadErrorWithClusterBreakingPotential")
		return field.List{field.Invalid(at, true, "can not be set for pod eviction, try after removing the option")}.Status("policy", "Eviction", q.name)
	}
	o.dryRun = o.dryRun || d.dryRun
	d.writing = o
	for range maxAttempts {
		_, pod, refused := q.get(q.name)
		if refused != nil {
			return refused
		}
		allowed, refused := q.disrupt(o, pod)
		if refused != nil {
			return refused
		}
		only := d
		judged := allowed.asItIs && d.preconditions.ResourceVersion == nil
		if judged {
			version := text(metadata(pod), "resourceVersion")
			only.preconditions.ResourceVersion = &version
		}
		refused = q.deleteEvicted(only)
		switch changed := judged && refused != nil && refused.Code == http.StatusConflict; {
		case changed && allowed.by == "":
			continue
		case changed:
			return tooManyDisruptions(allowed.by)
		case refused != nil:
			return refused
		}
		q.send(http.StatusCreated, created)
		return nil
	}
	return q.kind.Resource().Modified(q.name)
}

// deleteEvicted deletes a Pod, after its status says why.
func (q *request) deleteEvicted(d deletion) *field.Status {
	if !d.dryRun {
		pod, refused := q.try(d.writing, func(_ *apply.Version, stored map[string]any) resource.Result {
			if err := d.preconditions.Check(stored); err != nil {
				return resource.Result{Failure: failed(err)}
			}
			status := withCondition(mapAt(stored, "status"), map[string]any{
				"type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI", "message": "Eviction API: evicting",
			}, q.s.timestamp())
			return resource.Result{Object: withMember(stored, []string{"status"}, status)}
		})
		if refused != nil {
			return refused
		}
		if d.preconditions.ResourceVersion != nil {
			version := text(metadata(pod), "resourceVersion")
			d.preconditions.ResourceVersion = &version
		}
	}
	_, _, refused := q.remove(d, q.name, nil)
	return refused
}

// A disruption is the permission to evict a Pod.
type disruption struct {
	by     string // the name of the budget that allows it, if the Pod needs one
	asItIs bool   // only as long as the Pod does not change: it may become ready
}

// disrupt asks the budget of a Pod whether it may be evicted, and counts the disruption. A Pod that has ended or not
// begun to run needs no budget, nor does one that no budget selects.
func (q *request) disrupt(o writing, pod map[string]any) (disruption, *field.Status) {
	switch phase := text(mapAt(pod, "status"), "phase"); {
	case phase == "Succeeded", phase == "Failed", metadata(pod)["deletionTimestamp"] != nil:
		return disruption{}, nil
	case phase == "Pending":
		return disruption{asItIs: true}, nil
	}
	b := *q // for the budget
	b.kind, b.sub = q.catalog.Kind("policy", "v1", "poddisruptionbudgets"), "status"
	var guard map[string]any
	guards := 0
	if refused := q.each(q.r.Context(), b.kind, q.namespace, func(budget map[string]any) {
		selector := mapAt(budget, "spec", "selector")
		if selector != nil && len(hooks.CheckSelector(selector, nil)) == 0 && selects(selector, mapAt(pod, "metadata", "labels")) {
			guard = budget
			guards++
		}
	}); refused != nil {
		return disruption{}, refused
	}
	switch guards {
	case 0:
		return disruption{}, nil
	case 1:
	default:
		return disruption{}, &field.Status{
			Code: http.StatusInternalServerError, Message: "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
		}
	}
	b.name = text(metadata(guard), "name")
	out := disruption{by: b.name}
	if !isReady(pod) {
		healthy, wanted := integer(guard, "currentHealthy"), integer(guard, "desiredHealthy")
		if mapAt(guard, "spec")["unhealthyPodEvictionPolicy"] == "AlwaysAllow" || healthy >= wanted && wanted > 0 {
			out.asItIs = true
			return out, nil
		}
	}
	_, refused := b.try(o, func(_ *apply.Version, budget map[string]any) resource.Result {
		if refused := mayDisrupt(budget); refused != nil {
			return resource.Result{Failure: refused}
		}
		return resource.Result{Object: withMember(budget, []string{"status"}, b.disrupted(budget, q.name))}
	})
	return out, refused
}

func isReady(pod map[string]any) bool {
	for _, c := range listAt(mapAt(pod, "status"), "conditions") {
		if m, _ := c.(map[string]any); m["type"] == "Ready" {
			return m["status"] == "True"
		}
	}
	return false
}

// integer returns a number in the status of an object.
func integer(obj map[string]any, name string) int64 {
	n, _ := mapAt(obj, "status")[name].(int64)
	return n
}

// maxDisrupted is how many evicted Pods the status of a budget may list.
const maxDisrupted = 2000

const disruptionAllowed = "DisruptionAllowed"

// mayDisrupt refuses the disruption of a Pod that a budget guards, unless the budget allows it.
func mayDisrupt(budget map[string]any) *field.Status {
	name, generation := text(metadata(budget), "name"), metadata(budget)["generation"]
	allowed, healthy, wanted := integer(budget, "disruptionsAllowed"), integer(budget, "currentHealthy"), integer(budget, "desiredHealthy")
	if n, _ := generation.(int64); integer(budget, "observedGeneration") < n {
		return tooManyDisruptions(name)
	}
	forbidden := func(why, cause string) *field.Status {
		s := resource.GroupResource{Group: "policy", Resource: "poddisruptionbudget"}.Forbidden(name, why)
		return causedBy(s, "The disruption budget %s does not allow evicting pods currently: "+cause, name)
	}
	switch {
	case allowed < 0:
		const why = "pdb disruptions allowed is negative"
		return forbidden(why, why)
	case len(mapAt(budget, "status", "disruptedPods")) > maxDisrupted:
		return forbidden("DisruptedPods map too big - too many evictions not confirmed by PDB controller",
			"too many pending evictions not confirmed by PDB controller")
	case allowed > 0:
		return nil
	}
	var c map[string]any
	for _, m := range withType(listAt(mapAt(budget, "status"), "conditions"), disruptionAllowed) {
		c = m
		break
	}
	message, reason := "", text(c, "reason")
	if c["status"] == "False" {
		message = text(c, "message")
	}
	refused := violates(0)
	switch {
	case message != "" && reason == "SyncFailed":
		return causedBy(refused, "The disruption budget %s does not allow evicting pods currently because it failed sync: %s", name, message)
	case healthy <= wanted:
		return causedBy(refused, "The disruption budget %s needs %d healthy pods and has %d currently", name, wanted, healthy)
	case message != "":
		return causedBy(refused, "The disruption budget %s does not allow evicting pods currently (%s): %s", name, reason, message)
	}
	return causedBy(refused, "The disruption budget %s does not allow evicting pods currently", name)
}

// disrupted returns the status of a budget after the disruption of a Pod.
func (q *request) disrupted(budget map[string]any, pod string) map[string]any {
	status := maps.Clone(mapAt(budget, "status"))
	left := integer(budget, "disruptionsAllowed") - 1
	if status["disruptionsAllowed"] = left; left == 0 {
		status = withCondition(status, map[string]any{
			"type": disruptionAllowed, "status": "False", "reason": "InsufficientPods", "message": "", "observedGeneration": integer(budget, "observedGeneration"),
		}, q.s.timestamp())
	}
	pods := maps.Clone(mapAt(status, "disruptedPods"))
	if pods == nil {
		pods = map[string]any{}
	}
	pods[pod] = q.s.timestamp()
	status["disruptedPods"] = pods
	return status
}

// tooManyDisruptions tells a client to try again in ten seconds.
func tooManyDisruptions(budget string) *field.Status {
	return causedBy(violates(10), "The disruption budget %s is still being processed by the server.", budget)
}

func violates(seconds int) *field.Status {
	return &field.Status{
		Code: http.StatusTooManyRequests, Reason: "TooManyRequests", Message: "Cannot evict pod as it would violate the pod's disruption budget.",
		RetryAfterSeconds: seconds,
	}
}

func causedBy(s *field.Status, format string, arguments ...any) *field.Status {
	s.Causes = append(s.Causes, field.StatusCause{Reason: "DisruptionBudget", Message: fmt.Sprintf(format, arguments...)})
	return s
}
