package server

import (
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/server/internal/catalog"
	"github.com/crdkit/crdkit/server/internal/hooks"
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
		refused = q.postTo(bindingType, q.bind)
	case "eviction":
		refused = q.postTo(evictionType, q.evict)
	case "ephemeralcontainers", "resize":
		var handle func() *field.Status
		switch {
		case reads:
			handle = q.answerStored
		case method == http.MethodPut:
			handle = q.update
		case method == http.MethodPatch:
			handle = q.patch
		}
		if handle == nil {
			refused = q.noMethod()
		} else if q.accepted(false) {
			refused = handle()
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

// bindings answers a request for the older path of Bindings, which names no Pod, and reports whether it is one.
func (q *request) bindings(group string, path []string) bool {
	if group != "" || len(path) != 1 || path[0] != "bindings" || q.namespace == "" {
		return false
	}
	if q.kind = q.catalog.Kind("", "v1", catalog.Pods); q.kind == nil {
		return false
	}
	q.sub, q.older = "binding", true
	return q.pod()
}

// The types of what is sent to subresources of Pods.
const (
	bindingType  = "core.v1.Binding"
	evictionType = "policy.v1.Eviction"
)

// postTo answers POST of an object of another kind, whose type has the name of. answer gets the object as the mutating
// webhooks have changed it, and calls the validating ones. The write of the Pod that follows is not admitted again.
func (q *request) postTo(of string, answer func(o writing, a *admission) *field.Status) *field.Status {
	if q.r.Method != http.MethodPost {
		return q.noMethod()
	}
	if !q.accepted(false) {
		return nil
	}
	o, refused := q.writing(createOptions)
	if refused != nil {
		return refused
	}
	kind := otherKinds[q.sub]
	obj, refused := q.decodedAs(o, of, kind[0], kind[1], kind[2])
	if refused != nil {
		return refused
	}
	meta := mapAt(obj, "metadata")
	if q.sub != "binding" || q.older { // those of a Binding are of the Pod
		removeAll(meta, serverMetadata)
	}
	if q.name == "" {
		q.name = text(meta, "name")
	}
	if namespace := text(meta, "namespace"); namespace != "" && namespace != q.namespace {
		return refusal.OtherNamespace()
	}
	if _, refused := q.namespaceFor(q.name); refused != nil {
		return refused
	}
	if obj, refused = q.plugBinding(obj); refused != nil {
		return refused
	}
	a := q.admission(hooks.Create, o.dryRun, obj, nil)
	if refused = a.mutate(q.r.Context()); refused != nil {
		return refused
	}
	if text(metadata(a.obj), "name") != q.name {
		return refusal.BadRequest("name in URL does not match name in " + kind[2] + " object")
	}
	q.passed = true
	return answer(o, a)
}

// serverMetadata is the metadata that a create does not take from its body.
var serverMetadata = []string{"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "uid"}

func removeAll(m map[string]any, keys []string) {
	for _, key := range keys {
		delete(m, key)
	}
}

// plugBinding returns a Binding as the admission plugins change it. The older path of Bindings has none.
func (q *request) plugBinding(obj map[string]any) (map[string]any, *field.Status) {
	target := mapAt(obj, "target")
	if q.sub != "binding" || q.older || target["kind"] != "Node" {
		return obj, nil
	}
	return q.withTopology(q.r.Context(), obj, text(target, "name"))
}

// notRunning refuses requests that a kubelet would answer. The log of a Pod without a node is empty.
func (q *request) notRunning() *field.Status {
	switch method := q.r.Method; q.sub {
	case "log":
		if method != http.MethodGet {
			return q.noMethod()
		}
		switch {
		case !q.takes(textType, jsonType, yamlType, protobufType):
			return nil
		case q.unfit != nil:
			return failed(q.unfit)
		}
		if refused := q.checkLogOptions(); refused != nil {
			return refused
		}
	case "exec", "attach", "portforward":
		if method != http.MethodGet && method != http.MethodPost {
			return q.noMethod()
		}
	}
	name := q.name
	if q.sub == "proxy" { // [scheme:]name[:port]
		if parts := strings.Split(name, ":"); len(parts) == 3 {
			name = parts[1]
		} else {
			name = parts[0]
		}
	}
	_, stored, refused := q.get(name)
	if refused != nil {
		return refused
	}
	spec, _ := stored["spec"].(map[string]any)
	switch q.sub {
	case "log", "exec", "attach":
		if refused := q.checkContainer(spec); refused != nil {
			return refused
		}
	}
	if q.sub == "log" && text(spec, "nodeName") == "" {
		q.w.WriteHeader(http.StatusNoContent)
		return nil
	}
	q.s.unsupported.once("no Pod runs: pods/" + q.sub + " is refused")
	switch {
	case q.sub == "proxy" && !reachable(text(mapAt(stored, "status"), "podIP")):
		return refusal.BadRequest("address not allowed")
	case q.sub != "proxy" && text(spec, "nodeName") == "":
		return refusal.BadRequest(fmt.Sprintf("pod %s does not have a host assigned", q.name))
	}
	return &field.Status{
		Code: http.StatusInternalServerError, Reason: "InternalError",
		Message: fmt.Sprintf("Internal error occurred: pod %s does not run: this server has no nodes, so there is no %s", q.name, q.sub),
	}
}

// reachable reports whether a server sends requests to an address.
func reachable(address string) bool {
	ip, err := netip.ParseAddr(address)
	return err == nil && ip.IsGlobalUnicast()
}

// checkLogOptions refuses a request for a log with options that cannot be read, or are out of range.
func (q *request) checkLogOptions() *field.Status {
	numbers := map[string]int64{}
	for _, name := range []string{"sinceSeconds", "sinceTime", "tailLines", "limitBytes"} { // in the order of decoding
		sent := q.query.Get(name)
		var err error
		switch {
		case !q.query.Has(name):
		case name != "sinceTime":
			numbers[name], err = strconv.ParseInt(sent, 10, 64)
		case sent != "" && sent != "null":
			_, err = time.Parse(time.RFC3339, sent)
		}
		if err != nil {
			return refusal.BadRequest(err.Error())
		}
	}
	var errs field.List
	least := func(name string, least int64, message string) {
		if n, has := numbers[name]; has && n < least {
			errs = append(errs, field.Invalid(field.NewPath(name), n, message))
		}
	}
	least("tailLines", 0, "must be greater than or equal to 0")
	least("limitBytes", 1, "must be greater than 0")
	if _, has := numbers["sinceSeconds"]; has && q.query.Has("sinceTime") {
		errs = append(errs, field.Forbidden(field.NewPath("[]"), "at most one of `sinceTime` or `sinceSeconds` may be specified"))
	} else {
		least("sinceSeconds", 1, "must be greater than 0")
	}
	if q.query.Has("stream") {
		errs = append(errs, field.Forbidden(field.NewPath("stream"), "may not be specified"))
	}
	if len(errs) > 0 {
		return errs.Status("", "PodLogOptions", q.name)
	}
	return nil
}

// checkContainer refuses a request for a container that a Pod of this spec does not have, and one that does not say for
// which of several it is.
func (q *request) checkContainer(spec map[string]any) *field.Status {
	var names []string
	for _, list := range []string{"initContainers", "containers", "ephemeralContainers"} {
		for _, c := range listAt(spec, list) {
			container, _ := c.(map[string]any)
			names = append(names, text(container, "name"))
		}
	}
	switch name := q.query.Get("container"); {
	case name == "" && len(listAt(spec, "containers")) == 1, slices.Contains(names, name):
		return nil
	case name == "":
		return refusal.BadRequest(fmt.Sprintf("a container name must be specified for pod %s, choose one of: %s", q.name, refusal.Cut(fmt.Sprint(names))))
	default:
		return refusal.BadRequest(fmt.Sprintf("container %s is not valid for pod %s", name, q.name))
	}
}

// bind answers POST of a Binding: it assigns a Pod to a node.
func (q *request) bind(o writing, a *admission) *field.Status {
	obj := a.obj
	target, _ := obj["target"].(map[string]any)
	node, kind := text(target, "name"), text(target, "kind")
	var errs field.List
	if kind != "" && kind != "Node" {
		errs = append(errs, field.NotSupported(field.NewPath("target", "kind"), kind, "Node", "<empty>"))
	}
	if node == "" {
		errs = append(errs, field.Required(field.NewPath("target", "name"), ""))
	} else if kind == "" || kind == "Node" {
		for _, why := range format.DNS1123Subdomain(node) {
			errs = append(errs, field.Invalid(field.NewPath("target", "name"), node, why))
		}
	}
	if len(errs) > 0 {
		return refusal.Plain(errs.String()) // a server gives no reason
	}
	if refused := a.validate(q.r.Context()); refused != nil {
		return refused
	}
	if q.name == "" {
		return refusal.BadRequest("Name parameter required.")
	}
	binding := q.kind.Resource()
	binding.Resource += "/binding"
	assign := func(_ *apply.Version, stored map[string]any) resource.Result {
		if refused := q.unbindable(o, metadata(obj), metadata(stored)); refused != nil {
			return resource.Result{Failure: refused}
		}
		spec, _ := stored["spec"].(map[string]any)
		switch on := text(spec, "nodeName"); {
		case text(metadata(stored), "deletionTimestamp") != "":
			return resource.Result{Failure: binding.Conflict(q.name, fmt.Sprintf("pod %s is being deleted, cannot be assigned to a host", q.name))}
		case on != "":
			return resource.Result{Failure: binding.Conflict(q.name, fmt.Sprintf("pod %s is already assigned to node %q", q.name, on))}
		case len(listAt(spec, "schedulingGates")) > 0:
			return resource.Result{Failure: binding.Conflict(q.name, fmt.Sprintf("pod %s has non-empty .spec.schedulingGates", q.name))}
		}
		out := withMember(stored, []string{"spec", "nodeName"}, node)
		for _, name := range []string{"annotations", "labels"} {
			if more := mapAt(obj, "metadata", name); len(more) > 0 {
				out = withIn(out, func(m map[string]any) { maps.Copy(m, more) }, "metadata", name)
			}
		}
		if mapAt(out, "metadata", "annotations") != nil {
			out = withIn(out, func(m map[string]any) { maps.DeleteFunc(m, isFormer) }, "metadata", "annotations")
		}
		status := withCondition(mapAt(stored, "status"), map[string]any{"type": "PodScheduled", "status": "True"}, q.s.timestamp())
		delete(status, "nominatedNodeName")
		out["status"] = status
		return resource.Result{Object: out}
	}
	if _, refused := q.try(o, assign); refused != nil {
		return refused
	}
	q.send(http.StatusCreated, created)
	return nil
}

// isFormer reports whether an annotation is one of those that had init containers before they were fields. No Pod keeps
// them.
func isFormer(name string, _ any) bool {
	switch name {
	case "pod.alpha.kubernetes.io/init-containers", "pod.beta.kubernetes.io/init-containers",
		"pod.alpha.kubernetes.io/init-container-statuses", "pod.beta.kubernetes.io/init-container-statuses":
		return true
	}
	return false
}

// unbindable refuses a Binding whose uid or resourceVersion is not that of the stored Pod.
func (q *request) unbindable(o writing, meta, stored map[string]any) *field.Status {
	root := storePrefix
	if o.dryRun {
		root = "" // as a server says
	}
	for _, of := range [][2]string{{"uid", "UID"}, {"resourceVersion", "ResourceVersion"}} {
		key, name := of[0], of[1]
		if want, is := text(meta, key), text(stored, key); want != "" && want != is {
			return q.storageError(root, fmt.Sprintf("Precondition failed: %s in precondition: %s, %s in object meta: %s", name, want, name, is))
		}
	}
	return nil
}

// withCondition returns a copy of a status with a condition in place of the one of the same type. Its lastTransitionTime
// is now, unless the status of the condition was the same.
func withCondition(status, condition map[string]any, now string) map[string]any {
	out := maps.Clone(status)
	if out == nil {
		out = map[string]any{}
	}
	condition = maps.Clone(condition)
	condition["lastTransitionTime"] = now
	list := slices.Clone(listAt(out, "conditions"))
	i := slices.IndexFunc(list, func(c any) bool {
		m, _ := c.(map[string]any)
		return m["type"] == condition["type"]
	})
	if i < 0 {
		out["conditions"] = append(list, condition)
		return out
	}
	if before := list[i].(map[string]any); before["status"] == condition["status"] {
		condition["lastTransitionTime"] = before["lastTransitionTime"]
	}
	list[i] = condition
	out["conditions"] = list
	return out
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
