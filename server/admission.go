package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/patch"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/server/internal/catalog"
	"github.com/crdkit/crdkit/server/internal/condition"
	"github.com/crdkit/crdkit/server/internal/hooks"
	"github.com/crdkit/crdkit/server/protocol"
	"github.com/crdkit/crdkit/unstructured"
)

// A Webhook takes part in the admission of writes, without a network. The server calls the mutating webhooks in order,
// each with the object as changed by the previous one, validates the object, asks the stored
// ValidatingAdmissionPolicies, and then calls the validating webhooks concurrently. A refusal has the error text of a
// Kubernetes server; of several, the first in order counts.
//
// The webhooks of stored configurations (MutatingWebhookConfiguration, ValidatingWebhookConfiguration) come after those
// of the options.
type Webhook struct {
	// Name is the webhook's name in error messages, such as vwidget.example.com.
	Name string
	// Handler answers POSTs of AdmissionReviews (admission.k8s.io/v1), as the webhook does in a cluster. It may be the
	// project's own handler, or one that forwards to a URL. It is called concurrently. It should return when the
	// request's context is done, after Timeout.
	Handler http.Handler
	// Admit, if it is not nil, is called instead of Handler. It returns the object to continue with, which has no
	// effect unless the webhook is mutating; nil is the object of the request. An error refuses the request: a
	// [*field.Status] in it as it is, any other error with code 403. Admit is called concurrently, and should return
	// when ctx is done.
	Admit func(ctx context.Context, r *AdmissionRequest) (object map[string]any, err error)
	// Mutating is for a webhook that may change objects.
	Mutating bool
	// Resources are the resources for which the webhook is called: plural name and group, such as deployments.apps or
	// configmaps, or a subresource, such as deployments.apps/status. Nil is all resources, without subresources.
	Resources []string
	// Operations are some of CREATE, UPDATE and DELETE. Nil is CREATE and UPDATE.
	Operations []string
	// IgnoreFailures continues without the webhook if the call fails or its response is invalid (failurePolicy Ignore).
	IgnoreFailures bool
	// Timeout of a call; 0 is 10 seconds.
	Timeout time.Duration
}

// An AdmissionRequest is a write that a [Webhook] admits.
type AdmissionRequest struct {
	Operation                      string // CREATE, UPDATE or DELETE
	Group, Version, Kind, Resource string // Resource is the plural name
	Subresource                    string // empty: none
	Namespace, Name                string // Name is empty if it is still to be generated
	DryRun                         bool
	User                           User
	// Object is the object to be written, in the version of the request, and OldObject the stored one. Either may be
	// nil. They must not be modified.
	Object, OldObject map[string]any
}

const defaultWebhookTimeout = 10 * time.Second

// concurrentReviews is how many validating webhooks are called concurrently for a request.
const concurrentReviews = 16

// An admission is the admission of one write.
type admission struct {
	q            *request
	operation    string
	dryRun       bool
	hooks        []*hook
	obj, old     map[string]any                         // in version; the old object is in the version of the request
	version      *catalog.Kind                          // of obj
	getNamespace func() (map[string]any, *field.Status) // the namespace of the object
}

// admission returns the admission of a write of an object over another one. Either may be nil.
func (q *request) admission(operation string, dryRun bool, obj, old map[string]any) *admission {
	a := &admission{q: q, operation: operation, dryRun: dryRun, hooks: q.hooks(), obj: q.reviewed(obj), old: q.reviewed(old), version: q.kind}
	a.getNamespace = sync.OnceValues(func() (map[string]any, *field.Status) {
		_, namespace, refused := q.s.ownNamespace(q.r.Context()).get(a.namespace())
		return namespace, refused
	})
	return a
}

// reviewed returns the form of an object in reviews: its Scale for a request to that subresource.
func (q *request) reviewed(obj map[string]any) map[string]any {
	if q.sub != "scale" || obj == nil {
		return obj
	}
	scale, err := q.kind.Version().WrittenScale(obj)
	if err != nil {
		return obj
	}
	return scale
}

// resource returns the resource of the request for webhooks, and the subresource.
func (q *request) resource() (plural, sub string) {
	if q.older {
		return "bindings", ""
	}
	return q.kind.Names.Plural, q.sub
}

// hooks returns the webhooks that may be called for the resource, in order.
func (q *request) hooks() (out []*hook) {
	for _, all := range [][]*hook{q.s.inProcess, q.s.hooks.all()} {
		for _, h := range all {
			if plural, _ := q.resource(); h.Concerns(q.kind.Group, plural) {
				out = append(out, h)
			}
		}
	}
	return out
}

// mutated reports whether mutating webhooks may be called for the resource.
func (q *request) mutated() bool {
	return slices.ContainsFunc(q.hooks(), func(h *hook) bool { return h.Mutating })
}

// mutate calls the mutating webhooks and returns the changed object. It implements Admit of [resource.RequestOptions].
func (q *request) mutate(ctx context.Context, dryRun bool, obj, old map[string]any) (map[string]any, error) {
	operation := hooks.Update
	if old == nil {
		operation = hooks.Create
	}
	a := q.admission(operation, dryRun, q.encoded(obj), q.encoded(old))
	before := a.obj
	if refused := a.mutate(ctx); refused != nil {
		return nil, refused
	}
	if a.version != q.kind {
		if refused := a.convert(ctx, q.kind); refused != nil {
			return nil, refused
		}
	}
	switch {
	case jsonval.Equal(before, a.obj):
		return obj, nil
	case q.sub != "scale":
		return q.withoutNulls(a.obj), nil
	}
	return q.withReplicas(obj, a.obj)
}

// withReplicas returns obj with the replicas of a Scale.
func (q *request) withReplicas(obj, scale map[string]any) (map[string]any, error) {
	sub, err := q.kind.Definition.Lookup().Subresources(q.kind.VersionName)
	if err != nil || sub.Scale == nil {
		return obj, err
	}
	spec, _ := scale["spec"].(map[string]any)
	return withMember(obj, strings.Split(strings.TrimPrefix(sub.Scale.SpecReplicasPath, "."), "."), spec["replicas"]), nil
}

// withMember returns obj with a value at a path of keys. It does not modify obj.
func withMember(obj map[string]any, path []string, value any) map[string]any {
	if len(path) > 1 {
		below, _ := obj[path[0]].(map[string]any)
		value = withMember(below, path[1:], value)
	}
	out := maps.Clone(obj)
	if out == nil {
		out = map[string]any{}
	}
	out[path[0]] = value
	return out
}

// validate compares an object with the limits of its namespace and the rights of the user for signers, and asks the policies and the validating webhooks about it
// and the stored object. For DELETE it calls the mutating webhooks first.
func (q *request) validate(operation string, dryRun bool, obj, stored map[string]any) *field.Status {
	if q.passed {
		return nil
	}
	if refused := q.withinLimits(operation, obj, stored); refused != nil {
		return refused
	}
	if refused := q.checkSigner(operation, obj, stored); refused != nil {
		return refused
	}
	if len(q.hooks()) == 0 && len(q.policies()) == 0 {
		return nil
	}
	var old map[string]any
	if stored != nil {
		var refused *field.Status
		if old, refused = q.readStored(stored); refused != nil {
			return refused
		}
	}
	a := q.admission(operation, dryRun, obj, old)
	if operation == hooks.Delete {
		if refused := a.mutate(q.r.Context()); refused != nil {
			return refused
		}
	}
	return a.validate(q.r.Context())
}

// mutate calls the mutating webhooks in order, and then those again that want it because others have changed the object
// after them.
func (a *admission) mutate(ctx context.Context) *field.Status {
	called, again := map[*hook]bool{}, map[*hook]bool{} // those with reinvocationPolicy IfNeeded
	for round := range 2 {
		changed := false
		for _, h := range a.hooks {
			if !h.Mutating || round > 0 && !again[h] {
				continue
			}
			version, refused := a.choose(ctx, h)
			if refused == nil && version != nil {
				refused = a.convert(ctx, version)
			}
			if refused != nil {
				return refused
			}
			if version == nil {
				continue
			}
			a.q.slot.releaseWork() // the webhook may send requests itself
			r := a.call(ctx, h, version, a.obj)
			a.q.warnings = append(a.q.warnings, r.warnings...)
			if r.refused != nil {
				return r.refused
			}
			if r.obj != nil && !jsonval.Equal(r.obj, a.obj) {
				a.obj, changed = r.obj, true
				for h := range called {
					again[h] = true
				}
				clear(called)
			}
			if h.Reinvoked {
				called[h] = true
			}
		}
		if !changed || len(again) == 0 {
			return nil
		}
	}
	return nil
}

// validate asks the policies, and calls the validating webhooks.
func (a *admission) validate(ctx context.Context) *field.Status {
	if refused := a.decide(ctx); refused != nil {
		return refused
	}
	type chosen struct {
		*hook
		version *catalog.Kind
		obj     map[string]any
		result
	}
	var all []*chosen
	for _, h := range a.hooks {
		if h.Mutating {
			continue
		}
		version, refused := a.choose(ctx, h)
		if refused != nil {
			return refused
		}
		if version == nil {
			continue
		}
		obj, refused := a.in(ctx, version, a.version, a.obj)
		if refused != nil {
			return refused
		}
		all = append(all, &chosen{hook: h, version: version, obj: obj})
	}
	if len(all) == 0 {
		return nil
	}
	a.q.slot.releaseWork() // the webhooks may send requests themselves
	var wg sync.WaitGroup
	slots := make(chan struct{}, concurrentReviews)
	for i, c := range all {
		if i == len(all)-1 { // nothing else is left to do here
			c.result = a.call(ctx, c.hook, c.version, c.obj)
			break
		}
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			c.result = a.call(ctx, c.hook, c.version, c.obj)
		})
	}
	wg.Wait()
	for _, c := range all {
		a.q.warnings = append(a.q.warnings, c.warnings...)
	}
	for _, c := range all {
		if c.refused != nil {
			return c.refused
		}
	}
	return nil
}

// namespace returns the namespace of the object. For a Namespace it is its own name.
func (a *admission) namespace() string {
	if a.q.namespace == "" && a.isNamespace() {
		return a.name()
	}
	return a.q.namespace
}

func (a *admission) name() string { return cmp.Or(a.q.name, text(metadata(a.obj), "name")) }

// matched returns the request, as far as webhooks and policies are chosen by it.
func (a *admission) matched() *hooks.Request {
	q := a.q
	plural, sub := q.resource()
	r := &hooks.Request{
		Operation: a.operation, Group: q.kind.Group, Version: q.kind.VersionName, Resource: plural, Sub: sub,
		Namespace: a.namespace(), Name: a.name(), Object: a.obj, Old: a.old,
		NamespaceLabels: func() (map[string]any, *field.Status) {
			namespace, refused := a.getNamespace()
			return mapAt(namespace, "metadata", "labels"), refused
		},
	}
	if a.isNamespace() && r.Sub == "" && a.operation != hooks.Delete {
		r.NamespaceLabels = func() (map[string]any, *field.Status) { return mapAt(a.obj, "metadata", "labels"), nil }
	}
	if !q.kind.BuiltIn {
		for i := range q.kind.Definition.Spec.Versions {
			v := &q.kind.Definition.Spec.Versions[i]
			if v.Name != q.kind.VersionName && v.Served {
				r.Equivalents = append(r.Equivalents, v.Name)
			}
		}
	}
	return r
}

// isNamespace reports whether the request is for a Namespace.
func (a *admission) isNamespace() bool {
	return a.q.kind.Group == "" && a.q.kind.Names.Plural == catalog.Namespaces
}

// choose returns the version of the objects with which a webhook is called, or nil if it is not called.
func (a *admission) choose(ctx context.Context, h *hook) (*catalog.Kind, *field.Status) {
	q, r := a.q, a.matched()
	if h.stored && r.Exempt() {
		return nil, nil
	}
	name, matches, refused := h.Match(r)
	if refused != nil || !matches {
		return nil, refused
	}
	version := q.catalog.Kind(r.Group, name, r.Resource)
	if q.older {
		version = q.kind
	}
	if version == nil {
		return nil, refusal.Internal(fmt.Errorf("unable to convert to %s/%s, Resource=%s: unknown kind", r.Group, name, r.Resource))
	}
	if len(h.Conditions) == 0 {
		return version, nil
	}
	obj, refused := a.in(ctx, version, a.version, a.obj)
	if refused != nil {
		return nil, refused
	}
	old, refused := a.in(ctx, version, q.kind, a.old)
	if refused != nil {
		return nil, refused
	}
	in := condition.Input{Object: valueOf(obj), OldObject: valueOf(old), Request: condition.Of(a.request("", version))}
	in.Authorizer, in.Resource = a.authorizer()
	switch outcome, err := h.Matches(ctx, &in); {
	case outcome == condition.Differs, outcome == condition.Fails && h.Ignore:
		return nil, nil
	case outcome == condition.Fails:
		return nil, q.kind.Resource().Forbidden(a.name(), err.Error())
	}
	return version, nil
}

// valueOf returns an object as the value of a variable.
func valueOf(obj map[string]any) *condition.Value {
	if obj == nil {
		return nil
	}
	return condition.Of(obj)
}

// authorizer returns who answers the questions of expressions about users, and the resource of the request.
func (a *admission) authorizer() (condition.Authorizer, condition.Inquiry) {
	q := a.q
	ask := func(ctx context.Context, i condition.Inquiry) (bool, string) {
		user := q.user
		if of := i.ServiceAccount; of != nil {
			user = serviceAccount(of[0], of[1])
		}
		info := RequestInfo{Verb: i.Verb, Path: i.Path}
		if i.Resource != "" {
			info.Group, info.Version, info.Resource, info.Subresource = i.Group, "*", i.Resource, i.Subresource
			info.Namespace, info.Name = i.Namespace, i.Name
		}
		return q.s.permits(ctx, user, info)
	}
	plural, sub := q.resource()
	return ask, condition.Inquiry{
		Group: q.kind.Group, Resource: plural, Subresource: sub, Namespace: a.namespace(), Name: a.name(),
	}
}

// convert converts the object to a version of the resource.
func (a *admission) convert(ctx context.Context, to *catalog.Kind) (refused *field.Status) {
	a.obj, refused = a.in(ctx, to, a.version, a.obj)
	a.version = to
	return refused
}

// in returns an object, in the version from, in the version to. Objects of other kinds have one version.
func (a *admission) in(ctx context.Context, to, from *catalog.Kind, obj map[string]any) (map[string]any, *field.Status) {
	if _, other := otherKinds[a.q.sub]; other || obj == nil || to == from {
		return obj, nil
	}
	out, err := to.Version().Convert(ctx, obj)
	if err == nil {
		out, err = filled(to, out)
	}
	if err != nil {
		return nil, protocol.Internal(err)
	}
	return out, nil
}

// filled returns an object with the defaults of its version, as a server sets them in what a webhook returns, before it
// calls the next one.
func filled(of *catalog.Kind, obj map[string]any) (map[string]any, error) {
	if of.BuiltIn {
		return of.Decoded(obj)
	}
	s := of.Version().Schema()
	if s == nil {
		return obj, nil
	}
	return defaulting.FillWithin(s, obj, defaulting.Limit{})
}

// A result is what a webhook decides.
type result struct {
	obj      map[string]any // nil: unchanged
	refused  *field.Status
	warnings []string
}

// call calls a webhook with an object in a version.
func (a *admission) call(ctx context.Context, h *hook, version *catalog.Kind, obj map[string]any) (r result) {
	if a.dryRun && !h.DryRuns {
		r.refused = refusal.BadRequest(fmt.Sprintf("admission webhook %q does not support dry run", h.Name))
		return r
	}
	failed := a.review(ctx, h, version, obj, &r)
	switch {
	case failed == nil:
	case !h.Ignore:
		r.refused = protocol.Internal(fmt.Errorf("failed calling webhook %q: %w", h.Name, failed))
	case ctx.Err() != nil:
		r.refused = &field.Status{Code: http.StatusGatewayTimeout, Reason: refusal.ReasonTimeout, Message: "Timeout: request did not complete within requested timeout"}
	default:
		r = result{}
	}
	return r
}

// review sends a review to a webhook, and sets the result. The error says why the call has failed.
func (a *admission) review(ctx context.Context, h *hook, version *catalog.Kind, obj map[string]any, r *result) error {
	old, refused := a.in(ctx, version, a.q.kind, a.old)
	if refused != nil {
		r.refused = refused
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, h.Timeout)
	defer cancel()
	if h.admit != nil {
		return a.admit(ctx, h, version, obj, old, r)
	}
	if h.Review == "" {
		return errors.New("could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)")
	}
	uid := catalog.UID()
	request := a.request(uid, version)
	request["object"], request["oldObject"] = obj, old // null if nil
	body, err := json.Marshal(map[string]any{"kind": reviewKind, "apiVersion": reviewGroup + "/" + h.Review, "request": request})
	if err != nil {
		return fmt.Errorf("could not create admission objects: %w", err)
	}
	answer, err := h.call(ctx, body)
	if err != nil {
		return fmt.Errorf("failed to call webhook: %w", err)
	}
	response, err := readReview(answer)
	if err != nil {
		return fmt.Errorf("failed to call webhook: %w", err)
	}
	if err := response.verify(h, uid); err != nil {
		return fmt.Errorf("received invalid webhook response: %w", err)
	}
	r.warnings = response.Response.Warnings
	if !response.Response.Allowed {
		r.refused = response.Response.denied(h.Name)
		return nil
	}
	return a.patch(h, version, obj, response.Response, r)
}

// patch applies the patch of a response.
func (a *admission) patch(h *hook, version *catalog.Kind, obj map[string]any, response *admissionResponse, r *result) error {
	if len(response.Patch) == 0 {
		return nil
	}
	var operations []json.RawMessage
	if err := json.Unmarshal(response.Patch, &operations); err != nil {
		return fmt.Errorf("received undecodable patch in webhook response: %w", err)
	}
	if len(operations) == 0 {
		return nil
	}
	if obj == nil {
		r.refused = protocol.Internal(fmt.Errorf("admission webhook %q attempted to modify the object, which is not supported for this operation", h.Name))
		return nil
	}
	if kind := response.PatchType; h.Review == "v1" && *kind != reviewPatch {
		return fmt.Errorf("unsupported patch type %q", *kind)
	}
	text, err := patch.Patched(obj, patch.TypeJSON, response.Patch)
	var changed map[string]any
	if err == nil {
		changed, err = unstructured.DecodeJSON(text)
	}
	if err == nil && version.BuiltIn {
		decodeNulls(version.Type, changed)
	}
	if _, other := otherKinds[a.q.sub]; err == nil && !other {
		changed, err = filled(version, changed)
	}
	if err != nil {
		r.refused = protocol.Internal(err)
		return nil
	}
	r.obj = changed
	return nil
}

// admit calls a Go function.
func (a *admission) admit(ctx context.Context, h *hook, version *catalog.Kind, obj, old map[string]any, r *result) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the webhook has panicked: %v", p)
		}
	}()
	q := a.q
	plural, sub := q.resource()
	changed, refused := h.admit(ctx, &AdmissionRequest{
		Operation: a.operation, Group: q.kind.Group, Version: version.VersionName, Kind: q.kind.Names.Kind, Resource: plural,
		Subresource: sub, Namespace: a.namespace(), Name: a.name(), DryRun: a.dryRun, User: q.user, Object: obj, OldObject: old,
	})
	var status *field.Status
	switch {
	case errors.As(refused, &status):
		r.refused = status
	case refused != nil:
		r.refused = q.kind.Resource().Forbidden(a.name(), refused.Error())
	case h.Mutating && obj != nil && changed != nil:
		if r.obj = changed; otherKinds[q.sub] == [3]string{} {
			if r.obj, err = filled(version, changed); err != nil {
				r.refused, err = protocol.Internal(err), nil
			}
		}
	}
	return err
}

// otherKinds has the group, version and kind of the objects of subresources that are not of the resource's kind.
var otherKinds = map[string][3]string{"scale": {"autoscaling", "v1", "Scale"}, "binding": {"", "v1", "Binding"}, "eviction": {"policy", "v1", "Eviction"},
	tokenSubresource: {catalog.AuthenticationGroup, "v1", tokenKind}}

// request returns the request in a review, without the objects.
func (a *admission) request(uid string, version *catalog.Kind) map[string]any {
	q := a.q
	group := q.kind.Group
	plural, sub := q.resource()
	resource := func(k *catalog.Kind) map[string]any {
		return map[string]any{"group": group, "version": k.VersionName, "resource": plural}
	}
	kind := func(k *catalog.Kind) map[string]any {
		if of := otherKinds[q.sub]; of != [3]string{} {
			return map[string]any{"group": of[0], "version": of[1], "kind": of[2]}
		}
		return map[string]any{"group": group, "version": k.VersionName, "kind": k.Names.Kind}
	}
	request := map[string]any{
		"uid": uid, "kind": kind(version), "resource": resource(version), "requestKind": kind(q.kind), "requestResource": resource(q.kind),
		"operation": a.operation, "dryRun": a.dryRun, "options": a.options(), "userInfo": q.user.info(),
	}
	for key, v := range map[string]string{"name": a.name(), "namespace": a.namespace(), "subResource": sub, "requestSubResource": sub} {
		if v != "" {
			request[key] = v
		}
	}
	return request
}

// options returns the options of the request.
func (a *admission) options() map[string]any {
	kind := map[string]string{hooks.Create: "CreateOptions", hooks.Update: "UpdateOptions", hooks.Delete: "DeleteOptions"}[a.operation]
	out := map[string]any{"apiVersion": "meta.k8s.io/v1", "kind": kind}
	if a.dryRun {
		out["dryRun"] = []any{"All"}
	}
	if a.operation == hooks.Delete {
		maps.Copy(out, a.q.deleteOptions)
		return out
	}
	for _, name := range []string{"fieldManager", "fieldValidation"} {
		if v := a.q.query.Get(name); v != "" {
			out[name] = v
		}
	}
	return out
}
