package server

import (
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/server/internal/catalog"
	"github.com/crdkit/crdkit/server/internal/hooks"
	"github.com/crdkit/crdkit/unstructured"
)

// This file answers requests for the subresources of Pods, as far as they are writes of Pods. No Pod runs.

// created is the answer to a Binding or an Eviction.
var created = map[string]any{"kind": "Status", "apiVersion": "v1", "metadata": map[string]any{}, "status": "Success", "code": http.StatusCreated}

// pod answers the request if it is for such a subresource, and reports whether it is.
func (q *request) pod() bool {
	if q.kind == nil || !q.kind.BuiltIn || q.kind.Group != "" || q.kind.Names.Plural != catalog.Pods || q.namespace == "" {
		return false
	}
	var refused *field.Status
	method := q.r.Method
	switch reads := q.reads(); q.sub {
	case "binding":
		refused = q.postTo("core.v1.Binding", q.bind)
	case "eviction":
		refused = q.postTo("policy.v1.Eviction", q.evict)
	case "ephemeralcontainers", "resize":
		switch {
		case reads:
			refused = q.answerStored()
		case method == http.MethodPut:
			refused = q.update()
		case method == http.MethodPatch:
			refused = q.patch()
		default:
			refused = q.noMethod()
		}
	case "log", "exec", "attach", "portforward", "proxy":
		refused = q.notRunning()
	default:
		return false
	}
	if refused != nil {
		q.refuse(refused)
	}
	return true
}

// postTo answers POST of an object of another kind, whose type has the name of, after its admission. The write of the
// Pod that follows is not admitted again.
func (q *request) postTo(of string, answer func(o writing, obj map[string]any) *field.Status) *field.Status {
	if q.r.Method != http.MethodPost {
		return q.noMethod()
	}
	o, refused := q.writing(createOptions)
	if refused != nil {
		return refused
	}
	obj, refused := q.decoded(o.body, of, "")
	if refused != nil {
		return refused
	}
	a := q.admission(hooks.Create, o.dryRun, obj, nil)
	if refused = a.mutate(q.r.Context()); refused == nil {
		refused = a.validate(q.r.Context())
	}
	if refused != nil {
		return refused
	}
	q.passed = true
	return answer(o, a.obj)
}

// notRunning refuses requests that a kubelet would answer. A Pod without a node has no log.
func (q *request) notRunning() *field.Status {
	if q.sub == "log" && !q.reads() {
		return q.noMethod()
	}
	_, stored, refused := q.get(q.name)
	if refused != nil {
		return refused
	}
	spec, _ := stored["spec"].(map[string]any)
	if q.sub == "log" && text(spec, "nodeName") == "" {
		q.w.WriteHeader(http.StatusNoContent)
		return nil
	}
	q.s.unsupported.once("no Pod runs: pods/" + q.sub + " is refused")
	if text(spec, "nodeName") == "" {
		return refusal.BadRequest(fmt.Sprintf("pod %s does not have a host assigned", q.name))
	}
	return &field.Status{
		Code: http.StatusInternalServerError, Reason: "InternalError",
		Message: fmt.Sprintf("Internal error occurred: pod %s does not run: this server has no nodes, so there is no %s", q.name, q.sub),
	}
}

// bind answers POST of a Binding: it assigns a Pod to a node.
func (q *request) bind(o writing, obj map[string]any) *field.Status {
	target, _ := obj["target"].(map[string]any)
	node, kind := text(target, "name"), text(target, "kind")
	var errs field.List
	if kind != "" && kind != "Node" {
		errs = append(errs, field.NotSupported(field.NewPath("target", "kind"), kind, "Node", "<empty>"))
	}
	if node == "" {
		errs = append(errs, field.Required(field.NewPath("target", "name"), ""))
	}
	if len(errs) > 0 {
		return errs.Status("", "Binding", q.name)
	}
	binding := q.kind.Resource()
	binding.Resource += "/binding"
	assign := func(_ *apply.Version, stored map[string]any) resource.Result {
		spec, _ := stored["spec"].(map[string]any)
		switch on := text(spec, "nodeName"); {
		case text(metadata(stored), "deletionTimestamp") != "":
			return resource.Result{Failure: binding.Conflict(q.name, fmt.Sprintf("pod %s is being deleted, cannot be assigned to a host", q.name))}
		case on != "":
			return resource.Result{Failure: binding.Conflict(q.name, fmt.Sprintf("pod %s is already assigned to node %q", q.name, on))}
		}
		out := maps.Clone(stored)
		spec = maps.Clone(spec)
		if spec == nil {
			spec = map[string]any{}
		}
		spec["nodeName"] = node
		out["spec"], out["status"] = spec, scheduled(stored["status"], q.s.timestamp())
		return resource.Result{Object: out}
	}
	if _, refused := q.try(o, assign); refused != nil {
		return refused
	}
	q.send(http.StatusCreated, created)
	return nil
}

// scheduled returns the status of a Pod that was assigned to a node.
func scheduled(status any, now string) map[string]any {
	before, _ := status.(map[string]any)
	out := maps.Clone(before)
	if out == nil {
		out = map[string]any{}
	}
	conditions, _ := out["conditions"].([]any)
	conditions = slices.DeleteFunc(slices.Clone(conditions), func(c any) bool {
		m, _ := c.(map[string]any)
		return m["type"] == "PodScheduled"
	})
	out["conditions"] = append(conditions, map[string]any{"type": "PodScheduled", "status": "True", "lastProbeTime": nil, "lastTransitionTime": now})
	return out
}

// evict answers POST of an Eviction: it deletes the Pod. Disruption budgets are not asked.
func (q *request) evict(o writing, obj map[string]any) *field.Status {
	if name := text(metadata(obj), "name"); name != "" && name != q.name {
		return refusal.BadRequest("name in URL does not match name in Eviction object")
	}
	options, _ := obj["deleteOptions"].(map[string]any)
	sent := new(deleteOptions)
	if err := unstructured.ToStruct(options, sent); err != nil {
		return refusal.BadRequest(err.Error())
	}
	d, errs := sent.deletion()
	if len(errs) > 0 {
		return invalidOptions("DeleteOptions", errs...)
	}
	o.dryRun = o.dryRun || d.dryRun
	d.writing = o
	_, _, refused := q.remove(d, q.name, nil)
	if refused == nil {
		q.send(http.StatusCreated, created)
	}
	return refused
}

// partOfPod returns the Pod to store for a write of a subresource: the stored one with what the subresource may change.
func (q *request) partOfPod(r resource.Result, stored map[string]any) resource.Result {
	if q.kind.Group != "" || q.kind.Names.Plural != catalog.Pods || stored == nil || len(r.Errors) > 0 || r.Object == nil {
		return r
	}
	sent, _ := r.Object["spec"].(map[string]any)
	before, _ := stored["spec"].(map[string]any)
	spec := maps.Clone(before)
	at := field.NewPath("spec")
	switch q.sub {
	case "ephemeralcontainers":
		was, _ := before["ephemeralContainers"].([]any)
		is, _ := sent["ephemeralContainers"].([]any)
		if len(is) < len(was) || !slices.EqualFunc(was, is[:len(was)], func(a, b any) bool { return identity(a) == identity(b) }) {
			r.Errors = field.List{field.Forbidden(at.Child("ephemeralContainers"), "existing ephemeral containers may not be changed or removed")}
			return r
		}
		spec["ephemeralContainers"] = is
	case "resize":
		for _, list := range []string{"containers", "initContainers"} {
			resized(spec, list, before, sent)
		}
	default:
		return r
	}
	meta := maps.Clone(metadata(stored))
	if meta["managedFields"] = metadata(r.Object)["managedFields"]; meta["managedFields"] == nil {
		delete(meta, "managedFields")
	}
	if generation, ok := meta["generation"].(int64); ok && !jsonval.Equal(spec, before) {
		meta["generation"] = generation + 1
	}
	r.Object = with(stored, meta)
	r.Object["spec"] = spec
	return r
}

// resized sets the resources of a list of containers in spec to those that were sent.
func resized(spec map[string]any, list string, before, sent map[string]any) {
	was, _ := before[list].([]any)
	if was == nil {
		return
	}
	is, _ := sent[list].([]any)
	byName := map[string]map[string]any{}
	for _, c := range is {
		m, _ := c.(map[string]any)
		byName[text(m, "name")] = m
	}
	out := slices.Clone(was)
	for i, c := range out {
		m, _ := c.(map[string]any)
		now := byName[text(m, "name")]
		if now == nil {
			continue
		}
		m = maps.Clone(m)
		for _, key := range []string{"resources", "resizePolicy"} {
			if m[key] = now[key]; m[key] == nil {
				delete(m, key)
			}
		}
		out[i] = m
	}
	spec[list] = out
}
