package server

import (
	"fmt"
	"maps"
	"net/http"
	"slices"

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
func (q *request) evict(o writing, a *admission) *field.Status {
	options, _ := a.obj["deleteOptions"].(map[string]any)
	sent := new(deleteOptions)
	if err := unstructured.ToStruct(options, sent); err != nil {
		return refusal.BadRequest(err.Error())
	}
	if sent.IgnoreStoreReadError != nil && *sent.IgnoreStoreReadError {
		at := field.NewPath("deleteOptions", ignoreStoreReadError)
		return field.List{field.Invalid(at, true, "can not be set for pod eviction, try after removing the option")}.Status(policyGroup, "Eviction", q.name)
	}
	switch asked := q.query["dryRun"]; {
	case len(sent.DryRun) == 0:
		sent.DryRun = asked
	case len(asked) > 0 && !slices.Equal(asked, sent.DryRun):
		return refusal.Plain(fmt.Sprintf("Non-matching dry-run options in request and content: %v and %v", asked, sent.DryRun))
	}
	o.dryRun = len(sent.DryRun) > 0
	if refused := a.validate(q.r.Context()); refused != nil {
		return refused
	}
	refused := q.evictPod(o, sent)
	if refused == nil {
		q.send(http.StatusCreated, created)
	}
	return refused
}

// evictPod deletes the Pod of the request if its budget allows it. It tries again if a Pod that needs no budget has
// changed. A client tries again if one has changed that may be ready by now.
func (q *request) evictPod(o writing, options *deleteOptions) (refused *field.Status) {
	sent := preconditions{}
	if options.Preconditions != nil {
		sent = *options.Preconditions
	}
	for range maxAttempts {
		_, pod, missing := q.get(q.name)
		if missing != nil {
			return missing
		}
		allowed, forbidden := q.disrupt(o, pod)
		if forbidden != nil {
			return forbidden
		}
		only := sent
		if allowed.asItIs && (allowed.by != "" || sent.ResourceVersion == nil) {
			version := text(metadata(pod), "resourceVersion")
			only.ResourceVersion = &version
		}
		refused = q.deleteEvicted(o, options, only)
		changed := refused != nil && refused.Code == http.StatusConflict
		switch {
		case changed && sent.ResourceVersion == nil && allowed.asItIs && allowed.by != "":
			return tooManyDisruptions(allowed.by)
		case changed && sent.ResourceVersion == nil && allowed.unguarded:
			continue
		}
		return refused
	}
	return refused
}

// deleteEvicted deletes a Pod, after its status says why. Empty preconditions are those of the deletion only.
func (q *request) deleteEvicted(o writing, options *deleteOptions, only preconditions) *field.Status {
	if !o.dryRun {
		first := resource.Preconditions{UID: orNil(only.UID), ResourceVersion: orNil(only.ResourceVersion)}
		pod, refused := q.try(o, func(_ *apply.Version, stored map[string]any) resource.Result {
			if err := first.Check(stored); err != nil {
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
		if only.ResourceVersion != nil {
			version := text(metadata(pod), "resourceVersion")
			only.ResourceVersion = &version
		}
	}
	d, errs := options.deletion()
	if len(errs) > 0 {
		return invalidOptions("DeleteOptions", errs...)
	}
	d.writing, d.preconditions = o, resource.Preconditions(only)
	_, _, refused := q.remove(d, q.name, nil)
	return refused
}

// orNil returns nil for an empty text.
func orNil(s *string) *string {
	if s != nil && *s == "" {
		return nil
	}
	return s
}

// A disruption is the permission to evict a Pod.
type disruption struct {
	by        string // the name of the budget that allows it, if the Pod needs one
	unguarded bool   // the Pod needs no budget because of its status
	asItIs    bool   // only as long as the Pod does not change: it may become ready
}

// disrupt asks the budget of a Pod whether it may be evicted, and counts the disruption. A Pod that has ended or not
// begun to run needs no budget, nor does one that no budget selects.
func (q *request) disrupt(o writing, pod map[string]any) (disruption, *field.Status) {
	switch phase := text(mapAt(pod, "status"), "phase"); {
	case phase == "Succeeded", phase == "Failed", metadata(pod)["deletionTimestamp"] != nil:
		return disruption{unguarded: true}, nil
	case phase == "Pending":
		return disruption{unguarded: true, asItIs: true}, nil
	}
	b := *q // for the budget
	b.kind, b.sub = q.catalog.Kind(policyGroup, "v1", "poddisruptionbudgets"), "status"
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
		s := resource.GroupResource{Group: policyGroup, Resource: "poddisruptionbudget"}.Forbidden(name, why)
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
